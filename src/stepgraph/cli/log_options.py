"""Options of commands that read event logs, and how their texts become values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from stepgraph.cli import options
from stepgraph.cli.sections import LOG_COLUMNS, LOG_FILTERS, LOG_MEANS
from stepgraph.errors import SettingError

LOG_FORMAT = "log"
"""What --format says for a file that is to be read as an event log."""
LARGEST_FILE = 200_000_000
"""Maximum number of bytes of a file that is read at once; event logs can be of any size."""


def _option(section: str, metavar: str, says: str) -> Any:
    return typer.Option(metavar=metavar, help=says, rich_help_panel=section)


RecordingColumn = Annotated[
    str | None, _option(LOG_COLUMNS, "NAME", "The column that names the recording.")
]
StepColumn = Annotated[str | None, _option(LOG_COLUMNS, "NAME", "The column that names the step.")]
TimeColumn = Annotated[
    str | None, _option(LOG_COLUMNS, "NAME", "The column with the time to sort by.")
]
ProcedureColumn = Annotated[
    str | None,
    _option(LOG_COLUMNS, "NAME", "The column that names the procedure; a graph for each."),
]
LifecycleColumn = Annotated[
    str | None, _option(LOG_COLUMNS, "NAME", "The column that says 'start' or 'complete'.")
]
TimeFormat = Annotated[
    str | None, _option(LOG_COLUMNS, "FORMAT", "How times are written, such as '%d/%m/%Y %H:%M'.")
]
Since = Annotated[str | None, _option(LOG_FILTERS, "DATE", "Only recordings from this day on.")]
Until = Annotated[str | None, _option(LOG_FILTERS, "DATE", "Only recordings up to this day.")]
Complete = Annotated[
    bool,
    typer.Option(
        "--complete",
        help="Only recordings that begin and end as their procedure usually does.",
        rich_help_panel=LOG_FILTERS,
    ),
]
FirstStep = Annotated[
    str | None, _option(LOG_FILTERS, "STEP", "Only recordings that begin with it.")
]
LastStep = Annotated[str | None, _option(LOG_FILTERS, "STEP", "Only recordings that end with it.")]
MinStep = Annotated[
    int | None, _option(LOG_FILTERS, "N", "Leave out steps that fewer recordings show.")
]
MinVariant = Annotated[
    int | None, _option(LOG_FILTERS, "N", "Leave out sequences that fewer recordings have.")
]
TopVariants = Annotated[
    int | None, _option(LOG_FILTERS, "N", "Only the N most frequent sequences of each procedure.")
]
Memory = Annotated[
    str | None, _option(LOG_MEANS, "SIZE", "What the engine may hold in memory. Default: 1GB.")
]


@dataclass(frozen=True)
class LogOptions:
    """The options that only event logs have.

    Parameters
    ----------
    columns
        The column of each role, or None.
    filters
        The fields of a `LogFilter`; those left out are None or False.
    time_format, memory
        Those of `stepgraph.logs.open_log`.
    """

    columns: Mapping[str, str | None]
    filters: Mapping[str, Any]
    time_format: str | None = None
    memory: str | None = None

    def is_log(self, path: str, file_format: str | None) -> bool:
        """Return whether recordings are to be read as an event log.

        They are if the path can be nothing else (Parquet, XES, compressed, a glob, an address), if
        ``--format log`` says so, or if an option is given that only a log has.

        Raises
        ------
        SettingError
            If another format is named, and such an option given.
        """
        from stepgraph.logs.source import is_log as is_log_path

        given = {
            **{f"{role}_column": name for role, name in self.columns.items()},
            **self.filters,
            "time_format": self.time_format,
            "memory": self.memory,
        }
        used = [name for name, value in given.items() if value is not None and value is not False]
        if file_format not in (None, LOG_FORMAT) and used:
            option = f"--{used[0].replace('_', '-')}"
            raise SettingError(
                f"{option} is for event logs, and --format {file_format} says that this is none; "
                f"use --format {LOG_FORMAT}, or leave {option} out"
            )
        if file_format is not None:
            return file_format == LOG_FORMAT
        return is_log_path(path) or bool(used)

    def reading(self, column: Iterable[str] | None, order: str | None) -> dict[str, Any]:
        """Return all of them as arguments of `stepgraph.logs.open_log`.

        Parameters
        ----------
        column, order
            Options that files of recordings have as well.
        """
        from stepgraph.logs import LogFilter

        kept = {name: value for name, value in self.filters.items() if value is not None}
        return {
            "columns": self.named_columns(column),
            "order": order,
            "time_format": self.time_format,
            "keep": LogFilter(**kept),
            **({} if self.memory is None else {"memory": self.memory}),
        }

    def named_columns(self, column: Iterable[str] | None) -> dict[str, str]:
        """Return which column holds what, from the options of their own and from ``--column``."""
        found = {role: value for role, value in self.columns.items() if value is not None}
        for role, value in options.columns(column).items():
            if role in found:
                raise SettingError(f"the column of the {role} is given twice")
            found[role] = value
        return found


def refuse_large(path: Path) -> None:
    """Check that a file is small enough to be read at once.

    Raises
    ------
    SettingError
        If it is not; the message says how to read it all the same.
    """
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        return  # the reader says what is wrong with it
    if size > LARGEST_FILE:
        raise SettingError(
            f"{path}: {size / 1e9:.1f} GB is too much to be read at once; read it as an event log "
            f"with --format {LOG_FORMAT}"
        )
