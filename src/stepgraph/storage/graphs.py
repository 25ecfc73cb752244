"""A task graph as versioned JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from stepgraph.errors import FormatError, GraphError, StepgraphError
from stepgraph.files import write_text
from stepgraph.graph import Edge, TaskGraph
from stepgraph.graph.attributes import EdgeEvidence, StepAttributes
from stepgraph.storage.fields import as_number, as_text, as_texts, kind_of
from stepgraph.storage.json_text import VERSION, dump_json, expect_format, located

GRAPH_FORMAT = "stepgraph-graph"

Record = TypeVar("Record", EdgeEvidence, StepAttributes)

_ORDINARY = StepAttributes()
"""Of a step that everyone does once."""


def graph_to_json(graph: TaskGraph) -> dict[str, Any]:
    """Return a graph as plain JSON values, in the current version of the format."""
    edges = []
    for edge in graph.edges:
        entry: dict[str, Any] = {"step": edge[0], "needs": edge[1]}
        weight, evidence = graph.weights.get(edge), graph.evidence.get(edge)
        if weight is not None:
            entry["weight"] = round(weight, 6)
        if evidence is not None:
            entry["evidence"] = _counts(evidence)
        edges.append(entry)
    attributes = [
        {"step": step, **_plain(graph.attributes[step])}
        for step in graph.steps
        if step in graph.attributes
    ]
    return {
        "format": GRAPH_FORMAT,
        "version": VERSION,
        "procedure": graph.procedure,
        "steps": list(graph.steps),
        "edges": edges,
        **({"attributes": attributes} if attributes else {}),
        "provenance": dict(graph.provenance),
    }


def graph_from_json(content: Any, where: str = "graph") -> TaskGraph:
    """Return the graph that JSON values describe.

    Parameters
    ----------
    content
        What `graph_to_json` gives.
    where
        The file or call it came from, for messages.

    Raises
    ------
    FormatError
        If the content is no graph of a version that this stepgraph knows.
    GraphError
        If its edges make no task graph.
    """
    expect_format(content, GRAPH_FORMAT, where)
    steps = as_texts(content.get("steps"), f"{where}: 'steps'")
    raw_edges = content.get("edges")
    if not isinstance(raw_edges, list):
        raise FormatError(f"{where}: 'edges' is {kind_of(raw_edges)}; expected a list")
    edges: list[Edge] = []
    weights: dict[Edge, float] = {}
    evidence: dict[Edge, EdgeEvidence] = {}
    for number, raw in enumerate(raw_edges, start=1):
        if not isinstance(raw, dict) or not {"step", "needs"} <= raw.keys():
            raise FormatError(f"{where}: edge {number} is {raw!r}; expected 'step' and 'needs'")
        edge = (
            as_text(raw["step"], f"{where}: the step of edge {number}"),
            as_text(raw["needs"], f"{where}: what edge {number} needs"),
        )
        edges.append(edge)
        if raw.get("weight") is not None:
            weights[edge] = as_number(raw["weight"], f"{where}: the weight of edge {number}")
        if raw.get("evidence") is not None:
            evidence[edge] = _record(
                EdgeEvidence, raw["evidence"], f"{where}: the evidence of edge {number}"
            )
    provenance = content.get("provenance", {})
    if not isinstance(provenance, Mapping):
        raise FormatError(f"{where}: 'provenance' is {kind_of(provenance)}; expected an object")
    attributes = _attributes(content.get("attributes", []), where)
    try:
        return TaskGraph(
            steps,
            edges,
            procedure=as_text(content.get("procedure", ""), "'procedure'"),
            weights=weights,
            provenance=provenance,
            attributes=attributes,
            evidence=evidence,
        )
    except StepgraphError as error:
        raise located(error, where) from None


def save_graph(graph: TaskGraph, path: str | Path) -> None:
    """Write a graph to a versioned JSON file; `stepgraph.read_graph` reads it again.

    Raises
    ------
    GraphError
        If something else than a graph came, or the file's ending is that of another format.
    """
    if not isinstance(graph, TaskGraph):
        raise GraphError(f"{graph!r:.80} is to be saved; expected a TaskGraph, then its file")
    if Path(path).suffix.lower() not in ("", ".json"):
        raise GraphError(
            f"{path}: save_graph writes JSON; name the file .json, or write other formats with "
            "'stepgraph convert' and drawings with 'stepgraph draw'"
        )
    write_text(path, dump_json(graph_to_json(graph)))


def _counts(evidence: EdgeEvidence) -> dict[str, Any]:
    """Return evidence as plain JSON values; examples that are none are left out."""
    counts: dict[str, Any] = {
        "held": _short(evidence.held),
        "broken": _short(evidence.broken),
        "silent": _short(evidence.silent),
    }
    if evidence.probability is not None:
        counts["probability"] = evidence.probability
    if evidence.held_in:
        counts["held_in"] = list(evidence.held_in)
    if evidence.broken_in:
        counts["broken_in"] = list(evidence.broken_in)
    return counts


def _plain(attributes: StepAttributes) -> dict[str, Any]:
    """Return attributes as plain JSON values; what says nothing is left out."""
    if attributes == _ORDINARY:
        return {}
    return {
        name: _short(value) if isinstance(value, float) else _listed(value)
        for name, default in vars(_ORDINARY).items()
        if (value := getattr(attributes, name)) != default
    }


def _short(number: float) -> float:
    number = float(number)
    return int(number) if number.is_integer() else round(number, 6)


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _attributes(raw: Any, where: str) -> dict[str, StepAttributes]:
    if not isinstance(raw, list):
        raise FormatError(f"{where}: 'attributes' is {kind_of(raw)}; expected a list")
    attributes: dict[str, StepAttributes] = {}
    for number, entry in enumerate(raw, start=1):
        about = f"{where}: entry {number} of 'attributes'"
        if not isinstance(entry, dict) or "step" not in entry:
            raise FormatError(f"{about} is {entry!r:.40}; expected an object with 'step'")
        step = as_text(entry["step"], f"{about}: 'step'")
        if step in attributes:
            raise FormatError(f"{about}: {step!r} has attributes already")
        rest = {name: value for name, value in entry.items() if name != "step"}
        attributes[step] = _record(StepAttributes, rest, about)
    return attributes


def _record(kind: type[Record], raw: Any, where: str) -> Record:
    """Return a record from JSON values, each of the type that its field has."""
    if not isinstance(raw, dict):
        raise FormatError(f"{where} is {kind_of(raw)}; expected an object")
    fields = {entry.name: entry for entry in dataclasses.fields(kind)}
    needed = {name for name, entry in fields.items() if entry.default is dataclasses.MISSING}
    if not needed <= raw.keys() <= fields.keys():
        raise FormatError(
            f"{where} has {', '.join(map(repr, raw)) or 'nothing'}; expected some of "
            f"{', '.join(map(repr, fields))}"
        )
    values: dict[str, Any] = {}
    for name, value in raw.items():
        about = f"{where}: {name!r}"
        if fields[name].type == "bool":
            if not isinstance(value, bool):
                raise FormatError(f"{about} is {kind_of(value)}; expected true or false")
            values[name] = value
        else:
            read = as_texts if fields[name].type == "tuple[str, ...]" else as_number
            values[name] = read(value, about)
    return kind(**values)
