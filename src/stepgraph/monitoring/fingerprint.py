"""Which graph a session was watched with, so that its state goes on with no other."""

from __future__ import annotations

import json
from typing import Any

from stepgraph.errors import FormatError
from stepgraph.graph import TaskGraph
from stepgraph.storage import expect_format


def fingerprint(graph: TaskGraph) -> str:
    """Return a text that tells graphs apart by their steps and edges, whatever their order.

    Which steps may be left out counts as well: verdicts depend on it.
    """
    import hashlib  # only who saves or resumes waits for it

    content = json.dumps(
        [
            sorted(graph.steps),
            sorted(graph.edges),
            *([sorted(graph.optional_steps)] if graph.optional_steps else []),
        ]
    )
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def check_state(content: Any, name: str, graph: TaskGraph, where: str) -> None:
    """Check that JSON values say they are a session's state, and one of this graph.

    Parameters
    ----------
    content
        The values.
    name
        The name of the format.
    graph
        The graph.
    where
        The file or call they came from, for messages.

    Raises
    ------
    FormatError
        If they do not.
    """
    expect_format(content, name, where)
    if content.get("graph") == fingerprint(graph):
        return
    came = content.get("procedure")
    about = f", of {came!r}," if isinstance(came, str) and came else ""
    own = f" {graph.procedure!r}" if graph.procedure else ""
    raise FormatError(
        f"{where}: the state of a session with another graph{about} cannot go on with this "
        f"graph{own}; use the graph that the session began with"
    )
