"""What to doubt in a learned graph: edges hardly probable, and recordings all alike."""

from __future__ import annotations

from collections.abc import Iterator

from tgml.graph import Edge, TaskGraph
from tgml.repetitions import first_occurrences
from tgml.sequences import Demonstrations, in_words

PROBABLE = 0.5
"""An edge is doubtful if it is more probable that the step does not need the other one."""
NAMED = 3
"""So many doubtful edges are named, the least probable ones."""


def doubts(demonstrations: Demonstrations, graph: TaskGraph) -> Iterator[str]:
    """Yield in words what may be wrong with a graph that was learned.

    Parameters
    ----------
    demonstrations
        The recordings that it was learned from.
    graph
        The graph, with its evidence.

    Examples
    --------
    >>> recordings = Demonstrations.from_steps([["egg", "mix"], ["egg", "mix"]])
    >>> graph = TaskGraph.from_preconditions({"egg": [], "mix": ["egg"]})
    >>> [note.partition(",")[0] for note in doubts(recordings, graph)]
    ['the 2 recordings show one and the same order']
    """
    first, *others = demonstrations
    order = first_occurrences(first.steps)
    if len(graph.steps) > 1 and all(first_occurrences(other.steps) == order for other in others):
        total = demonstrations.total_weight
        shown = (
            "there is one recording"
            if total == 1
            else (f"the {in_words(total)} recordings show one and the same order")
        )
        yield (
            f"{shown}, so that each step seems to need the one before it; others would show what "
            "may change places"
        )
    improbable = list(doubtful(graph))
    yield from improbable
    if improbable:
        yield (
            "--never 'A needs B' rules an edge out, --set least_probable=0.5 all that are less "
            "probable than not"
        )


def doubtful(graph: TaskGraph) -> Iterator[str]:
    """Yield in words the edges that recordings break and that are improbable.

    What all recordings agree on can be improbable as well, where they are few; `advise` asks.

    Parameters
    ----------
    graph
        A graph with its evidence.
    """
    given: dict[Edge, float] = {
        edge: found.probability
        for edge, found in graph.evidence.items()
        if found.broken and found.probability is not None and found.probability < PROBABLE
    }
    by_probability = sorted(given, key=given.__getitem__)
    for step, needed in by_probability[:NAMED]:
        found = graph.evidence[step, needed]
        yield (
            f"doubtful ({100 * given[step, needed]:.0f} % probable): {step!r} needs {needed!r}, "
            f"which {found.broken:g} of {found.held + found.broken:g} recordings break"
        )
    if len(given) > NAMED:
        more = len(given) - NAMED
        yield f"{more} more {'edge is' if more == 1 else 'edges are'} doubtful"
