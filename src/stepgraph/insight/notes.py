"""Notes on a learned graph: what to doubt in it, and what constraints changed beside themselves."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from stepgraph.graph import Edge, TaskGraph
from stepgraph.graph.evidence import doubtful
from stepgraph.insight.evidence import edge_evidence
from stepgraph.repetitions import first_occurrences
from stepgraph.sequences import Demonstrations, in_words

FEW = 3
"""Fewer recordings say nothing about a step that only one of them does."""
ALIKE = 0.8
"""Similarity of two names, by `difflib`, from which one may be the other misspelt."""
MAX_EDGES = 5
"""Maximum number of edges to list."""


def doubts(demonstrations: Demonstrations, graph: TaskGraph) -> Iterator[str]:
    """Yield in words what may be wrong with a learned graph.

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
            "least_probable=0.5 rules out all edges that are less probable than not; "
            "never=[('A', 'B')] one of them, in whose place another may come"
        )


def one_order(demonstrations: Demonstrations) -> str:
    """Return a phrase if all recordings show one order; empty if they do not."""
    first, *others = demonstrations
    order = first_occurrences(first.steps)
    if any(first_occurrences(other.steps) != order for other in others):
        return ""
    total = demonstrations.total_weight
    if total == 1:
        return "there is one recording"
    return f"the {in_words(total)} recordings show one and the same order"


def _against_recordings(demonstrations: Demonstrations, graph: TaskGraph) -> Iterator[str]:
    """Yield the required edges that recordings show the other way round."""
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


def consequences(without: TaskGraph, stated: TaskGraph) -> tuple[str, ...]:
    """Return in words what constraints removed or added beside the edges that they name.

    Parameters
    ----------
    without
        The graph learned without the constraints.
    stated
        The graph learned with them, from the same recordings.

    Examples
    --------
    >>> from stepgraph.graph import Constraints
    >>> chain = {"grease": ["heat"], "fry": ["grease"]}
    >>> without = TaskGraph.from_preconditions(chain)
    >>> never = Constraints(never=[("fry", "heat")])
    >>> told = {"grease": ["heat"], "fry": []}
    >>> consequences(without, TaskGraph.from_preconditions(told, constraints=never))
    ("the constraints also remove: 'fry' needs 'grease', as 'grease' needs 'heat'",)
    """
    never = frozenset(stated.constraints.never)
    lost = [edge for edge in _gone(without, stated) if edge not in never]
    brought = [edge for edge in _gone(stated, without) if edge not in stated.constraints.required]
    notes = []
    if lost:
        notes.append(f"the constraints also remove: {_named(lost, stated, never)}")
    if brought:
        notes.append(f"the constraints also add: {_named(brought, stated)}")
    return tuple(notes)


def _gone(before: TaskGraph, after: TaskGraph) -> list[Edge]:
    """Return the edges between steps of one graph whose order another one does not have."""
    return [
        (step, needed)
        for step in before.steps
        for needed in before.preconditions_of(step)
        if step not in after.steps or needed not in after.all_preconditions_of(step)
    ]


def _named(edges: Sequence[Edge], graph: TaskGraph, never: frozenset[Edge] = frozenset()) -> str:
    said = [
        f"{step!r} needs {needed!r}{_reason(step, needed, graph, never)}"
        for step, needed in edges[:MAX_EDGES]
    ]
    more = len(edges) - MAX_EDGES
    return "; ".join(said) + (f"; {more} more" if more > 0 else "")


def _reason(step: str, needed: str, graph: TaskGraph, never: frozenset[Edge]) -> str:
    """Return what would bring back an edge that is ruled out; empty if nothing would."""
    for other in graph.all_preconditions_of(needed):
        if (step, other) in never:
            return f", as {needed!r} needs {other!r}"
    return ""
