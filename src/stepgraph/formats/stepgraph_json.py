"""Demonstrations as stepgraph writes them itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from stepgraph.errors import FormatError
from stepgraph.formats.draft import Draft, Source
from stepgraph.storage import DEMONSTRATIONS_FORMAT, demonstrations_from_json


def recognises(content: Any) -> bool:
    """Return whether JSON says that it holds demonstrations of stepgraph."""
    return isinstance(content, dict) and content.get("format") == DEMONSTRATIONS_FORMAT


def read(source: Source) -> Draft:
    """Read stepgraph's own JSON."""
    try:
        demonstrations = demonstrations_from_json(source.json, str(source.path))
    except OverflowError:  # JSON has whole numbers of any size, times have not
        raise FormatError("a time is too large; expected a number of seconds") from None
    name = demonstrations.procedure.strip() or source.name
    return Draft({name: replace(demonstrations, procedure=name)})
