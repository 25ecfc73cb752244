"""Task graphs in every format that they are read from, and edges that somebody states."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path

from stepgraph.formats import graph_text, read_adjacency, read_graph, save_graph
from stepgraph.formats.edges import read_constraints
from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import EdgeEvidence, StepAttributes
from tests.fuzz.target import Target, by_name, expect, put

_PANCAKES = TaskGraph.from_preconditions(
    {"mix": ["crack egg", "add milk"], "fry": ["mix", "heat pan"]}, procedure="pancakes"
).replace(
    weights={("mix", "crack egg"): 0.75},
    attributes={"heat pan": StepAttributes(optional=True)},
    evidence={("mix", "add milk"): EdgeEvidence(4, 3, 0, ("anna",))},
)
_KNOWN = {
    "steps": {"0": "START", "1": "a", "2": "b", "3": "END"},
    "edges": [[0, 1], [1, 2], [2, 3]],
}
_OLD_NET = b"""<pnml><net id="n" type="http://www.yasper.org/specs/epnml-1.1"><place id="p">
<initialMarking><text>1</text></initialMarking></place><transition id="t"><name><value>mix</value>
</name></transition><place id="q"/><arc id="a" source="p" target="t"/><arc id="b" source="t"
target="q"><inscription><value>Default,1</value></inscription></arc></net></pnml>"""
_WORDS = {
    ".pnml": ("place", "transition", "arc", "page", "net", "toolspecific", "name", "text", "id"),
    ".bpmn": ("task", "startEvent", "endEvent", "parallelGateway", "exclusiveGateway", "id"),
    ".graphml": ("node", "edge", "graph", "key", "data", "directed", "undirected", "weight", "d0"),
}


def _read(suffix: str, data: bytes, folder: Path) -> None:
    graph = read_graph(put(folder, f"pancakes{suffix}", data))
    again = folder / "again.json"
    save_graph(graph, again)
    found = read_graph(again)
    expect(_all_of(found, exact=False) == _all_of(graph, exact=False), "JSON keeps a graph")
    save_graph(found, again)
    expect(_all_of(read_graph(again)) == _all_of(found), "a graph is read as it was written")
    if suffix in _WORDS:
        text = graph_text(graph, suffix)
        _compare(graph, read_graph(put(folder, f"again{suffix}", text.encode())), suffix)


def _compare(graph: TaskGraph, found: TaskGraph, suffix: str) -> None:
    expect(set(graph.steps) == set(found.steps), f"{suffix} keeps the steps")
    expect(graph.procedure == found.procedure, f"{suffix} keeps the procedure's name")
    if len(graph.steps) > 200:  # what follows costs the square of that
        return
    if suffix == ".graphml":
        expect(graph.edges == found.edges or graph == found, f"{suffix} keeps the edges")
    else:
        for step in graph.steps:
            same = set(graph.all_preconditions_of(step)) == set(found.all_preconditions_of(step))
            expect(same, f"{suffix} keeps what a step comes after")
        same = set(graph.optional_steps) == set(found.optional_steps)
        expect(same, f"{suffix} keeps which steps may be left out")


def _all_of(graph: TaskGraph, *, exact: bool = True) -> object:
    """Return all that a graph file holds; where not exact, without rounded numbers."""
    whole = (graph.procedure, graph.steps, graph.edges, graph.optional_steps)
    if not exact:
        expect(all(map(math.isfinite, graph.weights.values())), "weights are finite")
        return (*whole, set(graph.weights), set(graph.evidence), set(graph.attributes))
    return (*whole, graph.weights, graph.evidence, graph.attributes, graph.provenance)


def _adjacency(data: bytes, folder: Path) -> None:
    read_adjacency(put(folder, "pancakes.adjlist", data))


def _stated(data: bytes, folder: Path) -> None:
    steps = ("crack egg", "mix", "a>b", "b", "before")
    found = read_constraints(put(folder, "edges.txt", data), steps)
    named = {name for edges in (found.must, found.never) for edge in edges for name in edge}
    expect(named <= set(steps), "stated edges are of known steps")


def _seeds(suffix: str) -> list[bytes]:
    own = graph_text(_PANCAKES, suffix).encode()
    return [own, *([_OLD_NET] if suffix == ".pnml" else ())]


def _module(suffix: str) -> tuple[str, ...]:
    own = {".pnml": ("pnml", "process", "xml_text"), ".bpmn": ("bpmn", "process", "xml_text")}
    return tuple(f"stepgraph.formats.{name}" for name in ("registry", *own.get(suffix, ())))


_LIST = b"7_mix;2\n3_crack egg;{}\n4_milk;{}\n3_crack egg;1\nSTART;{}\nEND;1\n7_mix;{}\n"

TARGETS = by_name(
    *(
        Target(
            f"graph{suffix.replace('.', '-')}",
            partial(_read, suffix),
            partial(_seeds, suffix),
            _module(suffix),
            words,
            1.5,
        )
        for suffix, words in _WORDS.items()
    ),
    Target(
        "graph-xml",
        partial(_read, ".xml"),
        lambda: [graph_text(_PANCAKES, suffix).encode() for suffix in _WORDS],
        ("stepgraph.formats.registry", "stepgraph.formats.xml_text"),
        share=0.5,
    ),
    Target(
        "graph-json",
        partial(_read, ".json"),
        lambda: [graph_text(_PANCAKES, ".json").encode()],
        ("stepgraph.formats.stepgraph_json", "stepgraph.graph", "stepgraph.graph.evidence"),
        ("weight", "evidence", "attributes", "optional", "provenance"),
        1.5,
    ),
    Target(
        "graph-known",
        partial(_read, ".json"),
        lambda: [json.dumps(_KNOWN).encode()],
        ("stepgraph.formats.stepgraph_json", "stepgraph.graph"),
        share=0.5,
    ),
    Target(
        "graph-adjlist",
        partial(_read, ".adjlist"),
        lambda: [_LIST],
        ("stepgraph.formats.adjlist",),
        share=0.5,
    ),
    Target("adjacency", _adjacency, lambda: [_LIST], ("stepgraph.formats.adjlist",), share=0.5),
    Target(
        "stated-edges",
        _stated,
        lambda: [b"# known\nmust mix>crack egg\nnever: b before mix\n"],
        ("stepgraph.formats.edges",),
        ("must", "never", "before", ">", "a>b"),
        0.5,
    ),
)
