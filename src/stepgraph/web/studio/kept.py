"""What a sitting leaves in a graph file: its history, and what is pinned, forbidden and marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stepgraph.graph import Edge, TaskGraph
from stepgraph.web.studio.edits import Edits


def kept_history(graph: TaskGraph) -> tuple[Mapping[str, Any], ...]:
    """Return the history that a graph came with; anything else under that name is kept whole."""
    raw = graph.provenance.get("history")
    if raw is None:
        return ()
    entries = raw if isinstance(raw, list) else [raw]
    return tuple(
        entry if isinstance(entry, dict) and isinstance(entry.get("edit"), str) else _foreign(entry)
        for entry in entries
    )


def _foreign(entry: Any) -> dict[str, Any]:
    return {"edit": "other", "content": entry}


def kept_edits(graph: TaskGraph) -> tuple[Edits, tuple[str, ...]]:
    """Return the pins, bans and marks of a graph, and notes on those that cannot be used."""
    raw = graph.provenance.get("constraints")
    if raw is None:
        return Edits(), ()
    notes: list[str] = []
    found: dict[str, tuple[Edge, ...]] = {}
    for name in ("must", "never"):
        entries = raw.get(name, []) if isinstance(raw, dict) else None
        if not isinstance(entries, list):
            return Edits(), ("the file's 'constraints' are not what the studio wrote; left out",)
        edges = []
        for entry in entries:
            if (
                isinstance(entry, list)
                and len(entry) == 2
                and all(isinstance(step, str) and step in graph.vocabulary for step in entry)
            ):
                edges.append((entry[0], entry[1]))
            else:
                notes.append(f"the file's '{name}' has {entry!r:.80}, no two steps; left out")
        found[name] = tuple(dict.fromkeys(edges))
    optional = raw.get("optional", {})
    marks = {}
    for step, said in optional.items() if isinstance(optional, dict) else [(optional, None)]:
        if isinstance(said, bool) and step in graph.vocabulary:
            if (step in graph.optional_steps) == said:
                marks[step] = said
            else:  # somebody changed the file since
                now = "optional" if not said else "not optional"
                notes.append(f"{step!r} is {now} by now, though it was marked otherwise; kept so")
        else:
            notes.append(f"the file's 'optional' has {step!r:.80}, no step with a mark; left out")
    edits = Edits(must=found["must"], never=found["never"], optional=marks)
    return edits, tuple(notes)


def with_kept(graph: TaskGraph, edits: Edits, history: Sequence[Mapping[str, Any]]) -> TaskGraph:
    """Return a graph with its history and with what is pinned, forbidden and marked, as saved."""
    provenance = {
        name: value
        for name, value in graph.provenance.items()
        if name not in ("history", "constraints")
    }
    if edits.must or edits.never or edits.optional:
        provenance["constraints"] = {
            "must": [list(edge) for edge in edits.must],
            "never": [list(edge) for edge in edits.never],
        }
        if edits.optional:
            provenance["constraints"]["optional"] = dict(edits.optional)
    if history:
        provenance["history"] = [dict(entry) for entry in history]
    return graph.replace(provenance=provenance)
