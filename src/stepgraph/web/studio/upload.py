"""A file that the page sent: read within limits, from memory, its name no more than a name."""

from __future__ import annotations

import re
from pathlib import Path, PurePath

from stepgraph.errors import FormatError
from stepgraph.formats import Reading
from stepgraph.formats.draft import Source
from stepgraph.formats.registry import read_source
from stepgraph.web.studio.limits import StudioLimits

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".txt")


def file_name(raw: str) -> str:
    """Return the last part of a name that a browser gave, without anything that is no letter.

    Raises
    ------
    FormatError
        If its ending says no format of recordings.
    """
    name = PurePath(raw.replace("\\", "/")).name
    name = re.sub(r"[\x00-\x1f\x7f]", "", name)[-100:]
    if PurePath(name).suffix.lower() not in SUFFIXES:
        raise FormatError(
            f"{name!r}: its ending says no recordings; expected one of {', '.join(SUFFIXES)}"
        )
    return name


def read_upload(
    content: bytes, name: str, limits: StudioLimits, procedure: str | None = None
) -> Reading:
    """Return the recordings in an uploaded file.

    Parameters
    ----------
    content
        The bytes that came.
    name
        What the file is called; never opened.
    limits
        How large it may be.
    procedure
        Which one to keep, where there are several.

    Raises
    ------
    InputError
        If it cannot be read, or is too large.
    """
    path = Path(file_name(name))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path}: byte {error.start} ({content[error.start]:#04x}) is not UTF-8; "
            "save the file with the encoding UTF-8"
        ) from None
    if not text.strip():
        raise FormatError(f"{path}: the file is empty")
    if path.suffix.lower() in (".csv", ".tsv"):
        check_columns(text, str(path), limits)
    reading = read_source(Source(path, text, {}), procedure=procedure)
    for demonstrations in reading.procedures.values():
        limits.check_demonstrations(demonstrations, str(path))
    return reading


def check_columns(text: str, where: str, limits: StudioLimits) -> None:
    """Refuse a table with too many columns before anybody compares their names.

    Raises
    ------
    FormatError
        If its first line has too many.
    """
    line = text.lstrip().split("\n", 1)[0]
    count = 1 + max(line.count(separator) for separator in (",", ";", "\t"))
    if count > limits.columns:
        raise FormatError(
            f"{where}: the first line has {count:,} columns; at most {limits.columns} are read. A "
            "table of recordings has one row a step, with a column for the recording and one for "
            "the step"
        )
