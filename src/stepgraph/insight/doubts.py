"""What to doubt in a learned graph: edges hardly probable, and recordings all alike."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import doubtful
from stepgraph.insight.evidence import edge_evidence
from stepgraph.repetitions import first_occurrences
from stepgraph.sequences import Demonstrations, in_words

FEW = 3
"""Of fewer recordings nothing can be said about a step that one of them does."""
ALIKE = 0.8
"""From which likeness of two names on, by `difflib`, one may be the other misspelt."""


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
    shown = one_order(demonstrations)
    if shown and len(graph.steps) > 1:
        yield (
            f"{shown}, so that each step seems to need the one before it; others would show what "
            "may change places"
        )
    yield from _misspelt(demonstrations, graph)
    yield from _against_recordings(demonstrations, graph)
    improbable = list(doubtful(graph))
    yield from improbable
    if improbable:
        yield (
            "--set least_probable=0.5 rules out all edges that are less probable than not; --never "
            "'A needs B' one of them, in whose place another may come"
        )


def one_order(demonstrations: Demonstrations) -> str:
    """Return in words that all recordings show one order; empty if they do not."""
    first, *others = demonstrations
    order = first_occurrences(first.steps)
    if any(first_occurrences(other.steps) != order for other in others):
        return ""
    total = demonstrations.total_weight
    if total == 1:
        return "there is one recording"
    return f"the {in_words(total)} recordings show one and the same order"


def _against_recordings(demonstrations: Demonstrations, graph: TaskGraph) -> Iterator[str]:
    """Yield what somebody stated and recordings show the other way round."""
    said = graph.constraints.among(graph.steps).required
    for (step, needed), found in edge_evidence(demonstrations, said).items():
        if found.broken:
            yield (
                f"{step!r} needs {needed!r} as stated, although {in_words(found.broken)} of "
                f"{in_words(found.held + found.broken)} recordings "
                f"{'does' if found.broken == 1 else 'do'} it the other way round"
            )


def _misspelt(demonstrations: Demonstrations, graph: TaskGraph) -> Iterator[str]:
    """Yield the steps of a single recording whose name is almost that of one it lacks."""
    total = demonstrations.total_weight
    lone = [step for step, known in graph.attributes.items() if known.done * total < 1.5]
    if not lone or total < FEW:
        return
    node = demonstrations.vocabulary.node
    for step in lone:
        for recording in demonstrations:
            if node(step) in recording.steps:
                others = [
                    name
                    for name in graph.steps
                    if name not in lone and node(name) not in recording.steps
                ]
                near = difflib.get_close_matches(step, others, n=1, cutoff=ALIKE)
                if near:
                    yield (
                        f"only recording {recording.id!r} does {step!r}, and it does not do "
                        f"{near[0]!r}; if that is the same step, give it the same name"
                    )
