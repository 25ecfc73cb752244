"""Task graphs from files: JSON, GraphML, adjacency lists, and PNML and BPMN where they are one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from stepgraph.errors import FormatError
from stepgraph.files import read_text
from stepgraph.formats.adjacency_lists import graph_from_adjacency_list
from stepgraph.formats.bpmn import graph_from_bpmn
from stepgraph.formats.draft import naming
from stepgraph.formats.formats import FORMATS
from stepgraph.formats.pnml import graph_from_pnml
from stepgraph.formats.values import as_list, as_name, as_object, shown
from stepgraph.formats.xml_tree import MEGABYTES, parse_xml
from stepgraph.graph import Edge, TaskGraph, connect_ends
from stepgraph.sequences import END, START
from stepgraph.storage import GRAPH_FORMAT, graph_from_json, parse_json


def read_graph(path: str | Path) -> TaskGraph:
    """Read a task graph.

    Parameters
    ----------
    path
        A graph that stepgraph wrote; JSON with ``steps`` (id to label) and ``edges`` (pairs of ids,
        [before, after]); a ``.graphml`` file, or an ``.adjlist`` file (networkx's multi-line
        adjacency list, ``;`` between its fields), whose edges go from a step to its
        precondition, as `TaskGraph.to_networkx` has them; or a ``.pnml`` or ``.bpmn`` file whose
        net or process is a partial order. What an ``.xml`` file is, its root element says.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If its content is no graph of these formats.
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
    if suffix in (*_PROCESSES, ".graphml"):
        _check_size(path)
    text = read_text(path)
    with naming(path):
        if suffix in _PROCESSES:
            graph = _PROCESSES[suffix](text, path.stem)
        elif suffix == ".graphml":
            graph = _from_graphml(text, path.stem)
        elif suffix == ".adjlist":
            graph = graph_from_adjacency_list(text, path.stem)
        elif suffix in (".csv", ".tsv", ".jsonl", ".ndjson", ".txt"):
            if f'"{GRAPH_FORMAT}"' in text[:200]:
                raise FormatError(
                    f"{text.count(chr(10))} graphs, one a line, expected one; have them written to "
                    "a file each, with a folder after -o, or take a line into a .json file"
                )
            raise FormatError(
                "recordings, expected a task graph; 'stepgraph learn' makes one from recordings"
            )
        else:
            graph = _from_json(parse_json(text, str(path)), path)
        for (step, needed), weight in graph.weights.items():
            if not math.isfinite(weight):
                raise FormatError(f"the edge {step!r} needing {needed!r} has the weight {weight}")
        for name in (graph.procedure, *graph.steps):
            if not _writable(name):
                raise FormatError(f"the name {name!r} has half of a character; rename it")
    return graph


def _from_json(content: Any, path: Path) -> TaskGraph:
    recordings = any(known.recognises and known.recognises(content) for known in FORMATS.values())
    if isinstance(content, dict) and "format" in content and not recordings:
        try:
            return graph_from_json(content, str(path))
        except OverflowError:  # JSON has whole numbers of any size, weights have not
            raise FormatError("a weight is too large to be a number") from None
    if isinstance(content, dict) and {"steps", "edges"} <= content.keys():
        return _from_ground_truth(content, path.stem)
    if recordings:
        raise FormatError(
            "recordings, expected a task graph; 'stepgraph learn' makes one from them"
        )
    raise FormatError(
        "no task graph; expected one that stepgraph wrote, JSON with 'steps' and 'edges', a "
        ".graphml, .adjlist, .pnml or .bpmn file"
    )


def _from_ground_truth(content: dict[str, Any], procedure: str) -> TaskGraph:
    """Build a graph from labels by id and pairs [before, after].

    Where neither START nor END is among the labels, both are connected by themselves.
    """
    labels: dict[str, str] = {}
    ids: dict[str, str] = {}
    for id_, label in as_object(content["steps"], "'steps'").items():
        name = as_name(label, f"the label of step {id_!r}")
        if name in ids:
            raise FormatError(f"the steps {ids[name]!r} and {id_!r} are both labelled {name!r}")
        labels[id_], ids[name] = name, id_
    edges: list[Edge] = []
    for number, raw in enumerate(as_list(content["edges"], "'edges'"), start=1):
        if not isinstance(raw, list) or len(raw) != 2:
            raise FormatError(f"edge {number} is {shown(raw)}; expected [before, after]")
        before, after = (as_name(id_, f"an id of edge {number}") for id_ in raw)
        for id_ in (before, after):
            if id_ not in labels:
                raise FormatError(
                    f"edge {number} has the id {id_!r}, which is not among the steps; "
                    f"they are {', '.join(map(repr, labels)) or 'none'}"
                )
        edges.append((labels[after], labels[before]))
    steps = [name for name in labels.values() if name not in (START, END)]
    if len(steps) == len(labels):
        edges = connect_ends(steps, edges)
    return TaskGraph(steps, edges, procedure=procedure)


def _from_graphml(text: str, stem: str) -> TaskGraph:
    import networkx as nx

    parse_xml(text)  # networkx would follow entities that a document type declares
    try:
        graph = nx.parse_graphml(text)
        directed = graph.is_directed()
        procedure = str(graph.graph.get("procedure") or stem)
        weights = [float(w) for _, _, w in graph.edges(data="weight") if w is not None]
    except Exception as error:  # the parser lets whatever goes wrong inside it through
        raise FormatError(
            f"not GraphML that can be used ({type(error).__name__}: {error})"
        ) from None
    if not directed:
        raise FormatError("an undirected graph; expected edges from a step to its precondition")
    del weights  # converted only to know that they are numbers
    return TaskGraph.from_networkx(graph, procedure=procedure)


def _from_xml(text: str, stem: str) -> TaskGraph:
    """Build a graph from XML whose root element says what it is."""
    root = parse_xml(text)
    if root.name not in _ROOTS:
        raise FormatError(
            f"line {root.line}: the element <{root.name}>; expected PNML, BPMN or GraphML, which "
            f"begin with {', '.join(f'<{name}>' for name in _ROOTS)}"
        )
    return _ROOTS[root.name](text, stem)


_ROOTS = {"pnml": graph_from_pnml, "definitions": graph_from_bpmn, "graphml": _from_graphml}
DRAWINGS = (".dot", ".gv", ".mmd", ".svg", ".png", ".pdf", ".html")
"""Endings of what stepgraph draws and does not read."""
GRAPH_ENDINGS = (".json", ".graphml", ".adjlist", ".pnml", ".bpmn")
"""Endings of files that are looked for in a folder of graphs."""
_PROCESSES = {".pnml": graph_from_pnml, ".bpmn": graph_from_bpmn, ".xml": _from_xml}


def _check_size(path: Path) -> None:
    """Check that a file is worth to be read at all."""
    try:
        size = path.stat().st_size
    except (OSError, ValueError):  # reading it says what is wrong
        return
    if size > MEGABYTES * 2**20:
        raise FormatError(f"{path}: {size / 2**20:.0f} MB of XML; expected at most {MEGABYTES} MB")


def _writable(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
