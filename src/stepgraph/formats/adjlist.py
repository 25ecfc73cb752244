"""Edges from networkx's multi-line adjacency lists, as published for language models' answers.

A line ``node;2`` announces two edges, and a line ``precondition;{...}`` follows for each; `#`
starts a comment. Nodes written as ``12_name`` lose their number.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.errors import FormatError
from stepgraph.files import read_text
from stepgraph.formats.reading import naming
from stepgraph.graph import Edge, TaskGraph
from stepgraph.sequences import END, START, Vocabulary

if TYPE_CHECKING:
    from stepgraph.graph.adjacency import WeightedAdjacency

_NUMBERED = re.compile(r"^\d+_(?=.)")


def parse_adjacency_list(text: str) -> tuple[tuple[str, ...], list[Edge]]:
    r"""Return the steps and edges (step, precondition) of an adjacency list.

    Raises
    ------
    FormatError
        If a line is malformed; the message gives its number.

    Examples
    --------
    >>> parse_adjacency_list("7_mix;1\n3_crack egg;{}")
    (('mix', 'crack egg'), [('mix', 'crack egg')])
    """
    edges: list[Edge] = []
    names: dict[str, None] = {}
    current, left = "", 0
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        name, separator, rest = line.rpartition(";")
        if not separator or not name.strip():
            raise FormatError(f"line {number}: {line[:60]!r} has no ';'; expected 'node;...'")
        name = name.strip()
        names[name] = None
        if left:
            edges.append((current, name))
            left -= 1
            continue
        try:
            current, left = name, int(rest)
        except ValueError:
            raise FormatError(
                f"line {number}: {rest[:30]!r} after the node; expected how many edges follow"
            ) from None
        if left < 0:
            raise FormatError(f"line {number}: {left} edges; expected 0 or more")
    if left:
        raise FormatError(f"the file ends, but {left} more edges of {current!r} were announced")
    steps = [name for name in names if name not in (START, END)]
    if steps and all(_NUMBERED.match(name) for name in steps):
        plain = {name: _NUMBERED.sub("", name) for name in steps}
        if len(set(plain.values())) == len(plain):
            edges = [(plain.get(a, a), plain.get(b, b)) for a, b in edges]
            steps = list(plain.values())
    return tuple(steps), edges


def read_adjacency(path: str | Path) -> WeightedAdjacency:
    """Read an adjacency list as weights of 1, with any cycles, ready for post-processing.

    Parameters
    ----------
    path
        A networkx multi-line adjacency list, its edges from a step to its precondition.
    """
    import numpy as np

    from stepgraph.graph.adjacency import WeightedAdjacency

    text = read_text(path)
    with naming(Path(path)):
        steps, edges = parse_adjacency_list(text)
        vocabulary = Vocabulary(steps)
        matrix = np.zeros((len(steps) + 2, len(steps) + 2))
        for step, needed in edges:
            matrix[vocabulary.node(step), vocabulary.node(needed)] = 1.0
        return WeightedAdjacency(vocabulary, matrix)


def graph_from_adjacency_list(text: str, procedure: str) -> TaskGraph:
    """Return the graph that an adjacency list holds, edge for edge."""
    steps, edges = parse_adjacency_list(text)
    return TaskGraph(steps, edges, procedure=procedure)
