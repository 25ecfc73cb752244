"""Options that several commands share, and how their texts become values."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from tgml.errors import SettingError, UnknownNameError

Demos = Annotated[
    Path, typer.Argument(help="The recordings: CSV, JSON Lines, JSON or text.", show_default=False)
]
Graph = Annotated[Path, typer.Argument(help="A task graph file.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", help="The format of the recordings, where its file name does not tell."
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        "--order",
        metavar="file|start|end",
        help="Which order of steps counts. Default: the file's.",
    ),
]
Procedure = Annotated[
    str | None, typer.Option("--procedure", help="Use only this procedure of the file.")
]
ColumnNames = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="ROLE=NAME",
        help="Which column is the recording, step, start, end, mistake or procedure; repeatable.",
    ),
]
Errors = Annotated[
    Path | None,
    typer.Option("--errors", help="CaptainCook4D's error annotations for the step annotations."),
]

COLUMN_ROLES = ("recording", "step", "start", "end", "mistake", "procedure")


def columns(given: Iterable[str] | None) -> dict[str, str]:
    """Return ``--column`` options as a mapping from role to column name."""
    pairs = dict(_pair("--column", text) for text in given or ())
    for role in pairs:
        if role not in COLUMN_ROLES:
            raise UnknownNameError("column role", role, COLUMN_ROLES, "--column")
    return pairs


def settings(given: Iterable[str] | None) -> dict[str, Any]:
    """Return ``--set`` options as a mapping from setting to value, numbers as numbers."""
    return {name: _value(text) for name, text in (_pair("--set", item) for item in given or ())}


def _pair(option: str, text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name or not value:
        raise SettingError(f"{option} {text!r}: expected NAME=VALUE")
    return name.strip(), value.strip()


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
