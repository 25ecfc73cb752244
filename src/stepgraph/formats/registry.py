"""The registry of formats: the file endings of each, its readers and its writer.

`read_demonstrations`, `read_graph` and `graph_text` find the format of a file here. A new format is
a module with a function for each ability, and one entry in `FORMATS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from stepgraph.errors import FormatError, SettingError, UnknownNameError
from stepgraph.files import read_text
from stepgraph.formats import (
    annotations_json,
    captaincook4d,
    csv,
    jsonl,
    powl,
    stepgraph_json,
    text,
)
from stepgraph.formats.adjlist import graph_from_adjacency_list
from stepgraph.formats.bpmn import graph_from_bpmn, to_bpmn
from stepgraph.formats.dot import to_dot
from stepgraph.formats.graphml import graph_from_graphml, to_graphml
from stepgraph.formats.mermaid import to_mermaid
from stepgraph.formats.pnml import graph_from_pnml, to_pnml
from stepgraph.formats.reading import ORDERS, Draft, Reading, Source, finish, naming
from stepgraph.formats.xml_text import MEGABYTES, parse_xml
from stepgraph.graph import TaskGraph


@dataclass(frozen=True)
class Format:
    """A file format of recordings or graphs.

    Parameters
    ----------
    name
        The name that users type.
    description
        A short description of its files, or of the programs that read them.
    extensions
        The endings of its file names, in lower case.
    read
        Turns a source into a draft of recordings; raises stepgraph's errors only, whatever the
        content.
    recognises
        For JSON: whether content holds recordings of this format.
    options
        The options of `read_demonstrations` that it uses: ``columns``, ``errors``.
    read_graph
        Turns a source into a graph.
    write_graph
        Returns the text of a file.
    """

    name: str
    description: str
    extensions: tuple[str, ...]
    read: Callable[[Source], Draft] | None = None
    recognises: Callable[[Any], bool] | None = None
    options: frozenset[str] = frozenset()
    read_graph: Callable[[Source], TaskGraph] | None = None
    write_graph: Callable[[TaskGraph], str] | None = None


def _graph_from_json(source: Source) -> TaskGraph:
    if any(known.recognises and known.recognises(source.json) for known in FORMATS.values()):
        raise FormatError(
            "recordings, expected a task graph; 'stepgraph learn' makes one from them"
        )
    return stepgraph_json.graph_from_values(source.json, source.path)


def _from_text(read: Callable[[str, str], TaskGraph]) -> Callable[[Source], TaskGraph]:
    """Return a reader of graphs from a function of the text and a default name."""
    return lambda source: read(source.text, source.path.stem)


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        format_.name: format_
        for format_ in (
            Format(
                "stepgraph",
                "stepgraph's own JSON, the only format that keeps everything",
                (".json",),
                stepgraph_json.read,
                stepgraph_json.recognises,
                read_graph=_graph_from_json,
                write_graph=stepgraph_json.to_json,
            ),
            Format(
                "annotations",
                "JSON with 'annotations' (recordings with 'segments') and 'taxonomy'",
                (".json",),
                annotations_json.read,
                annotations_json.recognises,
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
                csv.read,
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
                text.read,
            ),
            Format(
                "dot", "Graphviz, for pictures (dot -Tsvg)", (".dot", ".gv"), write_graph=to_dot
            ),
            Format(
                "graphml",
                "GraphML, for networkx, Gephi and yEd",
                (".graphml",),
                read_graph=_from_text(graph_from_graphml),
                write_graph=to_graphml,
            ),
            Format("mermaid", "Mermaid, for Markdown pages", (".mmd",), write_graph=to_mermaid),
            Format(
                "pnml",
                "PNML, a workflow net for ProM, pm4py and WoPeD",
                (".pnml",),
                read_graph=_from_text(graph_from_pnml),
                write_graph=to_pnml,
            ),
            Format(
                "bpmn",
                "BPMN 2.0 with a diagram, for process editors",
                (".bpmn",),
                read_graph=_from_text(graph_from_bpmn),
                write_graph=to_bpmn,
            ),
            Format(
                "powl",
                "POWL code: calls of gen.activity, gen.xor, gen.loop and gen.partial_order",
                (".powl",),
                read_graph=_from_text(powl.graph_from_powl),
            ),
            Format(
                "adjlist",
                "networkx's multi-line adjacency list, ; between its fields",
                (".adjlist",),
                read_graph=_from_text(graph_from_adjacency_list),
            ),
        )
    }
)
"""Every format by name; the contract tests go through all of them."""

RECORDING_FORMATS: Mapping[str, Format] = MappingProxyType(
    {name: format_ for name, format_ in FORMATS.items() if format_.read is not None}
)
"""The formats of recordings."""

GRAPH_WRITERS: Mapping[str, Format] = MappingProxyType(
    {
        ending: format_
        for format_ in FORMATS.values()
        if format_.write_graph is not None
        for ending in format_.extensions
    }
)
"""The formats that write a graph, by the ending of the file."""

GRAPH_READERS: Mapping[str, Format] = MappingProxyType(
    {
        ending: format_
        for format_ in FORMATS.values()
        if format_.read_graph is not None
        for ending in format_.extensions
    }
)
"""The formats that read a graph, by the ending of the file."""

DRAWINGS = (
    *(ending for ending in GRAPH_WRITERS if ending not in GRAPH_READERS),
    ".svg",
    ".png",
    ".pdf",
    ".html",
)
"""Endings of drawings, which stepgraph does not read."""

_ROOTS = {"pnml": ".pnml", "definitions": ".bpmn", "graphml": ".graphml"}
"""The usual ending of an XML file, by its root element."""


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
"""Advice for common files that hold no steps as text, by extension."""


def refuse_foreign(path: Path) -> None:
    """Refuse a file that cannot hold steps as text, with advice.

    Raises
    ------
    FormatError
        If the file cannot hold steps as text.
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
    candidates = [
        format_ for format_ in RECORDING_FORMATS.values() if extension in format_.extensions
    ]
    for format_ in candidates:
        if format_.recognises is None or format_.recognises(source.json):
            return format_
    content = source.json if candidates else None
    if isinstance(content, dict) and (
        content.get("format") == stepgraph_json.GRAPH_FORMAT or {"steps", "edges"} <= content.keys()
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
    known = "; ".join(
        f"{name}: {format_.description}" for name, format_ in RECORDING_FORMATS.items()
    )
    raise FormatError(f"{problem}; name the format with format=NAME, one of: {known}")


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
        The file. If its format names no procedure, the file names it.
    format
        One of `RECORDING_FORMATS`; by default found from the extension, and for JSON from the
        content.
    order
        ``"file"`` (the default) keeps the steps as the file lists them, ``"start"`` and
        ``"end"`` sort each recording by those times.
    procedure
        Keep only this procedure.
    columns
        For tables: the columns of the recording, step, start, end, mistake, procedure or weight, if
        their names do not tell.
    errors
        For CaptainCook4D: the file of error annotations that belongs to the step annotations.

    Returns
    -------
    Reading
        The demonstrations by procedure, and notes on everything merged, dropped or guessed.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If its content does not fit the format.
    UnknownNameError
        If there is no such format, procedure or column.
    SettingError
        If `order` is none of `ORDERS`, or an option does not apply to the format.
    """
    path = Path(path)
    if format is None:
        refuse_foreign(path)
    second = None if errors is None else Path(errors)
    if format is not None and format not in RECORDING_FORMATS:
        raise UnknownNameError("format", format, RECORDING_FORMATS)
    source = Source(path, read_text(path), dict(columns or {}), second)
    return read_source(source, format=format, order=order, procedure=procedure)


def read_source(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002 - the word users know it by
    order: str | None = None,
    procedure: str | None = None,
) -> Reading:
    """Read the recordings of a source, as `read_demonstrations` does those of a file."""
    order = ORDERS[0] if order is None else order
    if order not in ORDERS:
        raise SettingError(f"the order is {order!r}; expected one of {', '.join(ORDERS)}")
    with naming(source.path, *([] if source.errors is None else [source.errors])):
        chosen = detect(source) if format is None else RECORDING_FORMATS[format]
        _refuse_unused_options(source, chosen)
        assert chosen.read is not None  # noqa: S101 - for the types; those of recordings have one
        draft = chosen.read(source)
        return finish(draft, order=order, procedure=procedure, where=str(source.path))


def _refuse_unused_options(source: Source, chosen: Format) -> None:
    for option, given in (("columns", bool(source.columns)), ("errors", source.errors is not None)):
        if given and option not in chosen.options:
            users = " and ".join(
                name for name, other in RECORDING_FORMATS.items() if option in other.options
            )
            raise SettingError(
                f"{source.path}: '{option}' is of no use to the format {chosen.name!r}; "
                f"leave it out, only {users} can use it"
            )


def read_graph(path: str | Path) -> TaskGraph:
    """Read a task graph.

    Parameters
    ----------
    path
        A graph that stepgraph wrote; JSON with ``steps`` (id to label) and ``edges`` (pairs of ids,
        [before, after]); a ``.graphml`` file, or an ``.adjlist`` file (networkx's multi-line
        adjacency list, ``;`` between its fields), whose edges go from a step to its
        precondition, as `TaskGraph.to_networkx` has them; or a ``.pnml``, ``.bpmn`` or ``.powl``
        file whose process consists of blocks. The root element of an ``.xml`` file tells its
        format; a ``.txt`` or ``.py`` file that makes a ``ModelGenerator`` is POWL code.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If its content is not a graph of these formats.
    GraphError, CycleError
        If its edges make no task graph.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in DRAWINGS:
        raise FormatError(
            f"{path}: stepgraph writes {suffix} files and does not read them; keep the graph as "
            ".json, .graphml, .pnml or .bpmn as well"
        )
    if suffix in (".xml", ".pnml", ".bpmn", ".graphml"):
        _check_size(path)
    source = Source(path, read_text(path), {})
    with naming(path):
        is_powl = suffix in (".txt", ".py") and powl.recognises(source.text)
        if suffix in (".csv", ".tsv", ".jsonl", ".ndjson", ".txt") and not is_powl:
            raise _no_graph(source.text)
        read = _from_text(powl.graph_from_powl) if is_powl else _graph_reader(source)
        graph = read(source)
        for (step, needed), weight in graph.weights.items():
            if not math.isfinite(weight):
                raise FormatError(f"the edge {step!r} needing {needed!r} has the weight {weight}")
        for name in (graph.procedure, *graph.steps):
            if not _writable(name):
                raise FormatError(f"the name {name!r} has half of a character; rename it")
    return graph


def graph_text(graph: TaskGraph, ending: str) -> str:
    """Return the text of a file with a graph.

    Parameters
    ----------
    graph
        The graph to write.
    ending
        The ending of the file's name, such as ``".dot"``; capitals do not matter.

    Raises
    ------
    UnknownNameError
        If no format has this ending.
    GraphError
        If the format cannot hold one of the names.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["crack egg"]})
    >>> print(graph_text(graph, ".mmd").splitlines()[0])
    flowchart BT
    """
    found = GRAPH_WRITERS.get(ending.lower())
    if found is None or found.write_graph is None:
        raise UnknownNameError("output format", ending, GRAPH_WRITERS)
    return found.write_graph(graph)


def _graph_reader(source: Source) -> Callable[[Source], TaskGraph]:
    """Return the reader of a graph's file; the root element of XML tells the format."""
    suffix = source.path.suffix.lower()
    if suffix == ".xml":
        root = parse_xml(source.text)
        if root.name not in _ROOTS:
            raise FormatError(
                f"line {root.line}: the element <{root.name}>; expected PNML, BPMN or GraphML, "
                f"which begin with {', '.join(f'<{name}>' for name in _ROOTS)}"
            )
        suffix = _ROOTS[root.name]
    found = GRAPH_READERS.get(suffix)
    return _graph_from_json if found is None or found.read_graph is None else found.read_graph


def _no_graph(content: str) -> FormatError:
    """Return the error for a file that holds recordings, or several graphs."""
    if f'"{stepgraph_json.GRAPH_FORMAT}"' in content[:200]:
        return FormatError(
            f"{content.count(chr(10))} graphs, one a line, expected one; have them written to "
            "a file each, with a folder after -o, or take a line into a .json file"
        )
    return FormatError(
        "recordings, expected a task graph; 'stepgraph learn' makes one from recordings"
    )


def _check_size(path: Path) -> None:
    """Refuse a file that is too large, before reading it."""
    try:
        size = path.stat().st_size
    except (OSError, ValueError):  # reading it raises the error
        return
    if size > MEGABYTES * 2**20:
        raise FormatError(f"{path}: {size / 2**20:.0f} MB of XML; expected at most {MEGABYTES} MB")


def _writable(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
