"""The formats that demonstrations come in, and how a file's format is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from stepgraph.errors import FormatError
from stepgraph.formats import captaincook4d, jsonl, plain_text, stepgraph_json, table, taxonomy_json
from stepgraph.formats.draft import Draft, Source
from stepgraph.storage import GRAPH_FORMAT


@dataclass(frozen=True)
class Format:
    """One way in which demonstrations are written down.

    Parameters
    ----------
    name
        What users call it.
    description
        What a file of it looks like, in a few words.
    extensions
        How the names of its files end, in lower case.
    read
        Turns a source into a draft; raises nothing but errors of stepgraph, whatever the content.
    recognises
        For JSON: whether content is of this format.
    options
        Which options of `read_demonstrations` it can use, of ``columns`` and ``errors``.
    """

    name: str
    description: str
    extensions: tuple[str, ...]
    read: Callable[[Source], Draft]
    recognises: Callable[[Any], bool] | None = None
    options: frozenset[str] = frozenset()


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        format_.name: format_
        for format_ in (
            Format(
                "stepgraph",
                "stepgraph's own JSON, as it writes demonstrations itself",
                (".json",),
                stepgraph_json.read,
                stepgraph_json.recognises,
            ),
            Format(
                "annotations",
                "JSON with 'annotations' (recordings with 'segments') and 'taxonomy'",
                (".json",),
                taxonomy_json.read,
                taxonomy_json.recognises,
            ),
            Format(
                "captaincook4d",
                "CaptainCook4D's JSON: recordings with 'steps', or a list with 'step_annotations'",
                (".json",),
                captaincook4d.read,
                captaincook4d.recognises,
                options=frozenset({"errors"}),
            ),
            Format(
                "csv",
                "a table with one row a step, separated by commas, semicolons or tabs",
                (".csv", ".tsv"),
                table.read,
                options=frozenset({"columns"}),
            ),
            Format(
                "jsonl",
                "JSON Lines, each line one step or one whole recording",
                (".jsonl", ".ndjson"),
                jsonl.read,
                options=frozenset({"columns"}),
            ),
            Format(
                "text",
                "one step a line, a blank line between recordings, # before comments",
                (".txt",),
                plain_text.read,
            ),
        )
    }
)
"""Every format by name; the contract tests go through all of them."""


FOREIGN: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        (".xlsx", ".xls", ".ods", ".numbers"),
        "a spreadsheet; save it as CSV (UTF-8), with one row for each step",
    )
    | dict.fromkeys(
        (".parquet", ".pq", ".xes", ".gz"),
        "an event log, which 'stepgraph learn' and 'stepgraph inspect' read, and "
        "stepgraph.read_log in Python; expected recordings as CSV, JSON Lines, JSON or text",
    )
    | dict.fromkeys(
        (".mp4", ".mov", ".avi", ".mkv", ".webm"),
        "a video, and stepgraph does not look at videos; expected a list of the steps in it, such "
        "as a CSV file with one row for each step",
    )
)
"""Files that people try, and what they should bring instead, by extension."""


def refuse_foreign(path: Path) -> None:
    """Say what to bring instead of a file that can hold no steps as text.

    Raises
    ------
    FormatError
        If it is such a file.
    """
    if path.suffix.lower() in FOREIGN and path.is_file():
        raise FormatError(f"{path}: {FOREIGN[path.suffix.lower()]}")


def detect(source: Source) -> Format:
    """Return the format of a source, from its extension and, for JSON, its content.

    Raises
    ------
    FormatError
        If no format fits; the message lists them all.
    """
    extension = source.path.suffix.lower()
    candidates = [format_ for format_ in FORMATS.values() if extension in format_.extensions]
    for format_ in candidates:
        if format_.recognises is None or format_.recognises(source.json):
            return format_
    content = source.json if candidates else None
    if isinstance(content, dict) and (
        content.get("format") == GRAPH_FORMAT or {"steps", "edges"} <= content.keys()
    ):
        raise FormatError(
            "a task graph, expected recordings; 'stepgraph show' and 'stepgraph draw' look at a "
            "graph"
        )
    problem = (
        f"the JSON fits no format of {extension} files"
        if candidates
        else f"the extension {extension!r} does not tell the format"
    )
    known = "; ".join(f"{name}: {format_.description}" for name, format_ in FORMATS.items())
    raise FormatError(f"{problem}; name the format with --format NAME, one of: {known}")
