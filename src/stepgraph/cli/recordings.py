"""Reading for several commands: event logs, and the recordings of a graph's procedure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from stepgraph.cli import options
from stepgraph.cli.options import LOG_COLUMNS, LOG_FILTERS, LOG_MEANS
from stepgraph.cli.output import count
from stepgraph.errors import InputError, SettingError, UnknownNameError, nearest_names

if TYPE_CHECKING:
    from stepgraph.formats import Reading
    from stepgraph.graph import TaskGraph
    from stepgraph.sequences import Demonstrations


LOG_FORMAT = "log"
"""The value of --format that reads a file as an event log."""
LARGEST_FILE = 200_000_000
"""Maximum size in bytes of a file to read at once; event logs can have any size."""


def _option(section: str, metavar: str, says: str) -> Any:
    return typer.Option(metavar=metavar, help=says, rich_help_panel=section)


@dataclass(frozen=True)
class LogOptions:
    """The options that only event logs have; `with_log_options` gives them to a command.

    The fields have the names of the options; their annotations hold the help texts.
    """

    recording_column: Annotated[
        str | None, _option(LOG_COLUMNS, "NAME", "The column that names the recording.")
    ] = None
    step_column: Annotated[
        str | None, _option(LOG_COLUMNS, "NAME", "The column that names the step.")
    ] = None
    time_column: Annotated[
        str | None, _option(LOG_COLUMNS, "NAME", "The column with the time to sort by.")
    ] = None
    procedure_column: Annotated[
        str | None,
        _option(LOG_COLUMNS, "NAME", "The column that names the procedure; a graph for each."),
    ] = None
    lifecycle_column: Annotated[
        str | None, _option(LOG_COLUMNS, "NAME", "The column that says 'start' or 'complete'.")
    ] = None
    time_format: Annotated[
        str | None,
        _option(LOG_COLUMNS, "FORMAT", "How times are written, such as '%d/%m/%Y %H:%M'."),
    ] = None
    since: Annotated[
        str | None, _option(LOG_FILTERS, "DATE", "Only recordings from this day on.")
    ] = None
    until: Annotated[
        str | None, _option(LOG_FILTERS, "DATE", "Only recordings up to this day.")
    ] = None
    complete: Annotated[
        bool,
        typer.Option(
            "--complete",
            help="Only recordings that begin and end as their procedure usually does.",
            rich_help_panel=LOG_FILTERS,
        ),
    ] = False
    first_step: Annotated[
        str | None, _option(LOG_FILTERS, "STEP", "Only recordings that begin with it.")
    ] = None
    last_step: Annotated[
        str | None, _option(LOG_FILTERS, "STEP", "Only recordings that end with it.")
    ] = None
    min_step: Annotated[
        int | None, _option(LOG_FILTERS, "N", "Leave out steps that fewer recordings show.")
    ] = None
    min_variant: Annotated[
        int | None, _option(LOG_FILTERS, "N", "Leave out sequences that fewer recordings have.")
    ] = None
    top_variants: Annotated[
        int | None,
        _option(LOG_FILTERS, "N", "Only the N most frequent sequences of each procedure."),
    ] = None
    memory: Annotated[
        str | None, _option(LOG_MEANS, "SIZE", "Memory limit of the engine. Default: 1GB.")
    ] = None

    def is_log(self, path: str, file_format: str | None) -> bool:
        """Return whether to read recordings as an event log.

        They are a log if the path can be nothing else (Parquet, XES, compressed, a glob, an
        address), with ``--format log``, or with an option that only a log has.

        Raises
        ------
        SettingError
            If there is such an option and another format.
        """
        from stepgraph.logs.source import is_log as is_log_path

        given = asdict(self).items()
        used = [name for name, value in given if value is not None and value is not False]
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
        """Return the options as arguments of `stepgraph.logs.open_log`.

        Parameters
        ----------
        column, order
            Options that files of recordings have, too.
        """
        from stepgraph.logs import LogFilter

        filters = {field.name: getattr(self, field.name) for field in fields(LogFilter)}
        return {
            "columns": self.named_columns(column),
            "order": order,
            "time_format": self.time_format,
            "keep": LogFilter(**{name: one for name, one in filters.items() if one is not None}),
            **({} if self.memory is None else {"memory": self.memory}),
        }

    def named_columns(self, column: Iterable[str] | None) -> dict[str, str]:
        """Return the column of each role, from the column options and ``--column``."""
        found = {
            name.removesuffix("_column"): value
            for name, value in asdict(self).items()
            if name.endswith("_column") and value is not None
        }
        for role, value in options.columns(column).items():
            if role in found:
                raise SettingError(f"the column of the {role} is given twice")
            found[role] = value
        return found


def with_log_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options of `LogOptions` where it has a parameter of that type."""
    own = signature(command, eval_str=True).parameters.values()
    place = next(parameter.name for parameter in own if parameter.annotation is LogOptions)
    hints = get_type_hints(LogOptions, include_extras=True)
    options_of_logs = [
        Parameter(
            field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(LogOptions)
    ]
    parameters: list[Parameter] = []
    for parameter in own:
        if parameter.name == place:
            parameters += options_of_logs
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))

    @wraps(command)
    def run(**given: Any) -> None:
        log = LogOptions(**{name: given.pop(name) for name in hints})
        command(**given, **{place: log})

    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    vars(run)["__signature__"] = Signature(parameters)
    return run


def refuse_large(path: Path) -> None:
    """Check that a file is small enough to be read at once.

    Raises
    ------
    SettingError
        If it is too large; the message says how to read it.
    """
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        return  # the reader reports the error
    if size > LARGEST_FILE:
        raise SettingError(
            f"{path}: {size / 1e9:.1f} GB is too much to be read at once; read it as an event log "
            f"with --format {LOG_FORMAT}"
        )


def read_for_graph(
    graph: TaskGraph, path: Path, *, only: Sequence[str] | None = None, **reading: Any
) -> tuple[Demonstrations, tuple[str, ...]]:
    """Read the recordings of a graph's procedure; return them, and notes on the reading.

    Parameters
    ----------
    graph
        The graph.
    path
        Their file.
    only
        The recordings to keep, by name; by default all.
    **reading
        Options for reading, from `options.reading`.

    Raises
    ------
    InputError
        If the file cannot be used, none of its recordings is of the graph's procedure, or there
        is no recording of that name.
    """
    from stepgraph.formats import read_demonstrations

    found = everything = read_demonstrations(path, **reading)
    if len(found.procedures) > 1:
        # Read again for this procedure alone, so that the notes are about it alone.
        found = read_demonstrations(
            path, **reading | {"procedure": _own_procedure(found, graph, path)}
        )
    demonstrations = found.only()
    if only:
        demonstrations = _only(demonstrations, only, everything, path)
    share_a_step(graph, demonstrations, path)
    return demonstrations, found.notes


def _only(
    given: Demonstrations, names: Sequence[str], everything: Reading, path: Path
) -> Demonstrations:
    by_name = {recording.id: recording for recording in given}
    for name in names:
        if name in by_name:
            continue
        for procedure, others in everything.procedures.items():
            if any(recording.id == name for recording in others):
                raise InputError(
                    f"{path}: {name!r} is a recording of {procedure!r}, the graph is of "
                    f"{given.procedure!r}; name a recording of it, or another graph"
                )
        raise UnknownNameError("recording", name, list(by_name), str(path))
    return replace(given, sequences=tuple(by_name[name] for name in dict.fromkeys(names)))


def _own_procedure(reading: Reading, graph: TaskGraph, path: Path) -> str:
    """Return the name of the graph's own procedure in a file that holds several."""
    if graph.procedure in reading.procedures:
        return graph.procedure
    listed = ", ".join(map(repr, reading.procedures))
    near = nearest_names(graph.procedure, reading.procedures, 1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise InputError(
        f"{path}: {len(reading.procedures)} procedures, none called {graph.procedure!r} as the "
        f"graph is{hint}; choose one with --procedure NAME: {listed}"
    )


def share_a_step(graph: TaskGraph, demonstrations: Demonstrations, path: Path) -> None:
    """Check that recordings have at least one step of a graph.

    Raises
    ------
    InputError
        If they have none: they are of another procedure.
    """
    shown = [demonstrations.vocabulary.name(node) for node in sorted(demonstrations.seen)]
    if any(name in graph.vocabulary for name in shown):
        return
    example = UnknownNameError("step", shown[0], graph.steps)
    raise InputError(
        f"{path}: none of its {count(len(shown), 'step')} is in the graph; {example}; "
        "is this a recording of another procedure?"
    )
