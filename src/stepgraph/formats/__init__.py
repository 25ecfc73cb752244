"""Files in, demonstrations and graphs out.

One file per format turns text into a draft of recordings, and the same last steps sort,
check and describe every draft, so that all formats behave alike. Whatever is wrong with a
file becomes an error that starts with its path, and whatever was merged, left out or guessed
becomes a note of the `Reading`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.files import read_text
from stepgraph.formats.adjacency_lists import read_adjacency
from stepgraph.formats.draft import Source, naming
from stepgraph.formats.formats import FORMATS, Format, detect, refuse_foreign
from stepgraph.formats.graphs import read_graph
from stepgraph.formats.reading import ORDERS, Reading, finish
from stepgraph.formats.steps import read_steps

__all__ = [
    "FORMATS",
    "ORDERS",
    "Format",
    "Reading",
    "read_adjacency",
    "read_demonstrations",
    "read_graph",
    "read_steps",
]


def read_demonstrations(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word users know it by
    order: str | None = None,
    procedure: str | None = None,
    columns: Mapping[str, str] | None = None,
    errors: str | Path | None = None,
) -> Reading:
    """Read the recordings of one or more procedures from a file.

    Parameters
    ----------
    path
        The file. Where its format names no procedure, the procedure is called after it.
    format
        One of `FORMATS`; found from the extension, and for JSON from the content, if left out.
    order
        ``"file"`` (the default) keeps the steps as the file lists them, ``"start"`` and
        ``"end"`` sort each recording by those times.
    procedure
        Keep only this procedure.
    columns
        For tables: which column holds the recording, step, start, end, mistake, procedure or
        weight, where its name does not say so.
    errors
        For CaptainCook4D: the file of error annotations that belongs to the step annotations.

    Returns
    -------
    Reading
        The demonstrations by procedure, and notes on all that was merged, dropped or guessed.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If its content is not what the format says.
    UnknownNameError
        If there is no such format, procedure or column.
    SettingError
        If `order` is none of `ORDERS`, or an option does not apply to the format.
    """
    path = Path(path)
    order = ORDERS[0] if order is None else order
    if order not in ORDERS:
        raise SettingError(f"the order is {order!r}; expected one of {', '.join(ORDERS)}")
    if format is not None and format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    if format is None:
        refuse_foreign(path)
    source = Source(
        path, read_text(path), dict(columns or {}), None if errors is None else Path(errors)
    )
    with naming(path, *([] if source.errors is None else [source.errors])):
        chosen = FORMATS[format] if format is not None else detect(source)
        _refuse_unused_options(source, chosen)
        return finish(chosen.read(source), order=order, procedure=procedure, where=str(path))


def _refuse_unused_options(source: Source, chosen: Format) -> None:
    for option, given in (("columns", bool(source.columns)), ("errors", source.errors is not None)):
        if given and option not in chosen.options:
            users = " and ".join(name for name, other in FORMATS.items() if option in other.options)
            raise SettingError(
                f"{source.path}: '{option}' is of no use to the format {chosen.name!r}; "
                f"leave it out, only {users} can use it"
            )
