"""Evidence for edges: the recordings for and against one, and why a graph has it or not.

`doubts` and `consequences` put notes on a learned graph: what to doubt in it, and what constraints
changed beside the edges that they name.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import InputError
from stepgraph.graph import Edge, TaskGraph
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.graph.evidence import EXAMPLES, PROBABLE, EdgeEvidence, doubtful
from stepgraph.insight.attributes import every_step
from stepgraph.learners.prior_knowledge import may_belong_together
from stepgraph.learners.robust.demonstrators import MANY
from stepgraph.learners.robust.learner import KEPT
from stepgraph.repetitions import first_occurrences
from stepgraph.sequences import END, START, Demonstrations, KeyStepSequence, in_words

ENTRIES = 4_000_000
"""Places of steps computed at a time; this bounds the memory."""
NEVER = np.iinfo(np.int64).max
"""The place of a step that a recording does not show."""


def edge_evidence(
    demonstrations: Demonstrations,
    edges: Iterable[Edge],
    confidence: WeightedAdjacency | None = None,
) -> dict[Edge, EdgeEvidence]:
    """Count for each edge between steps the recordings that show its order.

    The first occurrence of a step counts. Each recording counts with its weight.

    Parameters
    ----------
    demonstrations
        The recordings.
    edges
        Pairs (step, precondition) over their vocabulary. Pairs with START or END do not count,
        because no recording can contradict them.
    confidence
        The probability that each step needs each other one, if the method estimates it.

    Returns
    -------
    dict
        The evidence of each edge, in the order given.

    Examples
    --------
    >>> recordings = Demonstrations.from_steps({"anna": ["egg", "mix"], "ben": ["mix", "egg"]})
    >>> found = edge_evidence(recordings, [("mix", "egg")])["mix", "egg"]
    >>> found.held, found.broken, found.held_in, found.broken_in
    (1.0, 1.0, ('anna',), ('ben',))
    """
    pairs = [edge for edge in edges if edge[0] != END and edge[1] != START]
    node = demonstrations.vocabulary.node
    rows, columns = ([node(edge[end]) for edge in pairs] for end in (0, 1))
    counts = np.zeros((2, len(pairs)))
    examples: list[list[tuple[str, ...]]] = [[()] * len(pairs) for _ in counts]
    size = demonstrations.vocabulary.end
    most = max(ENTRIES // max(size, len(pairs)), 1)
    for start in range(0, len(demonstrations), most):
        part = demonstrations.sequences[start : start + most]
        places = _places(part, size)
        step, needed = places[:, rows], places[:, columns]
        both = np.maximum(step, needed) < NEVER
        weights = np.array([recording.weight for recording in part])
        ids = tuple(recording.id for recording in part)
        for side, shown in enumerate((both & (needed < step), both & (step < needed))):
            if not shown.any():
                continue
            counts[side] += weights @ shown
            known = examples[side]
            for number, which in enumerate(_named(ids, shown)):
                if which and len(known[number]) < EXAMPLES:
                    known[number] = (known[number] + which)[:EXAMPLES]
    total = demonstrations.total_weight
    found: dict[Edge, EdgeEvidence] = {}
    made: dict[tuple[Any, ...], EdgeEvidence] = {}  # shared by the many edges that are alike
    probable = [None if confidence is None else _probability(confidence, edge) for edge in pairs]
    for edge, *facts in zip(pairs, *counts.tolist(), *examples, probable, strict=True):
        held, broken, held_in, broken_in, probability = key = tuple(facts)
        if key not in made:
            # Sums of fractions may miss the total by rounding.
            silent = max(total - held - broken, 0.0)
            made[key] = EdgeEvidence(held, broken, silent, held_in, broken_in, probability)
        found[edge] = made[key]
    return found


def _probability(confidence: WeightedAdjacency, edge: Edge) -> float:
    """Return a probability, rounded as in files; sums may miss 1 by rounding."""
    return round(min(confidence.weight(*edge), 1.0), 6)


def _named(ids: tuple[str, ...], shown: NDArray[np.bool_]) -> Iterator[tuple[str, ...]]:
    """Yield, for each column, the first few recordings with a true entry."""
    everyone = ids[:EXAMPLES]
    numbers = np.count_nonzero(shown, axis=0).tolist()
    for number, column in zip(numbers, np.ascontiguousarray(shown.T), strict=True):
        if number in (0, len(ids)):  # the common case; they share one tuple
            yield everyone if number else ()
        else:
            yield tuple(islice(compress(ids, column.tobytes()), EXAMPLES))


def _places(recordings: Sequence[KeyStepSequence], size: int) -> NDArray[np.int64]:
    """Return the place of the first occurrence of each node: (recordings, nodes)."""
    places = np.full(len(recordings) * size, NEVER)
    row, node = every_step(recordings)
    np.minimum.at(places, row * size + node, np.arange(len(row)))
    return places.reshape(len(recordings), size)


def why(
    demonstrations: Demonstrations,
    graph: TaskGraph,
    edge: Edge,
    confidence: WeightedAdjacency | None = None,
) -> str:
    """Explain whether a step needs another one, through which steps, and by which recordings.

    Parameters
    ----------
    demonstrations
        The recordings that the graph was learned from.
    graph
        The graph.
    edge
        A step and its possible precondition.
    confidence
        The probability that each step needs each other one, if the method estimates it.

    Raises
    ------
    InputError
        If the edge leads from a step to itself.

    Examples
    --------
    >>> recordings = Demonstrations.from_steps([["egg", "mix", "bake"], ["egg", "mix", "bake"]])
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg"], "bake": ["mix"]})
    >>> why(recordings, graph, ("bake", "egg"))
    "'bake' needs 'egg', through 'mix': so in 2 of 2 recordings"
    """
    step, needed = edge
    if step == needed:
        raise InputError(f"why {step!r} needs itself cannot be asked; name two steps")
    shown = edge_evidence(demonstrations, [edge], confidence)[edge]
    if _is_required(graph, edge) or edge in graph.constraints.never:
        shown = replace(shown, probability=None)  # a required edge has no probability
    return f"{_verdict(demonstrations, graph, edge, shown)}: {shown.told()}"


def _is_required(graph: TaskGraph, edge: Edge) -> bool:
    return edge in graph.constraints.required and edge in graph.edges


def _verdict(
    demonstrations: Demonstrations, graph: TaskGraph, edge: Edge, shown: EdgeEvidence
) -> str:
    step, needed = edge
    if step not in graph.steps or needed not in graph.steps:
        return f"{step!r} does not need {needed!r}, as the graph has not both"
    if _is_required(graph, edge):
        return f"{step!r} needs {needed!r}, as stated"
    if (step, needed) in graph.edges:
        return f"{step!r} needs {needed!r}"
    through = [
        name for name in graph.preconditions_of(step) if needed in graph.all_preconditions_of(name)
    ]
    if through:
        return f"{step!r} needs {needed!r}, through {', '.join(map(repr, through))}"
    if step in graph.all_preconditions_of(needed):
        return f"{step!r} does not need {needed!r}, it is the other way round"
    return f"{step!r} does not need {needed!r}{_reason(demonstrations, graph, edge, shown)}"


def _reason(
    demonstrations: Demonstrations, graph: TaskGraph, edge: Edge, shown: EdgeEvidence
) -> str:
    """Return why an edge is absent; empty if there is no telling."""
    chosen = graph.provenance.settings
    if edge in graph.constraints.never:
        return ", as stated"
    if not shown.held + shown.broken:
        return ", as nobody has done both"
    if graph.provenance.threshold is not None:
        return ", with this threshold"
    limit = chosen.get("least_probable")
    if shown.probability is not None:
        if isinstance(limit, int | float) and shown.probability < limit:
            return f", as that is less probable than {limit:g}"
        if shown.probability < KEPT:
            return ", as that is not probable"
    elif shown.broken:
        return ", as the order is not always the same"
    if _may_be_chance(demonstrations, graph, edge, chosen):
        return ", as nobody did the two one right after the other"
    if isinstance(limit, int | float):
        return ", beside what 'least_probable' rules out ('stepgraph methods robust' says more)"
    for name, said in (("never", graph.constraints.never), ("must", graph.constraints.required)):
        if said:
            return f", beside what {name!r} says"
    if shown.probability is None:
        return ""
    low = shown.probability < PROBABLE
    return ", as that is not probable" if low else ", as other edges fit the recordings better"


def _may_be_chance(
    demonstrations: Demonstrations, graph: TaskGraph, edge: Edge, chosen: Mapping[str, object]
) -> bool:
    """Return whether the method needs more evidence than an order, and has none."""
    step, needed = edge
    if graph.provenance.method not in ("robust", "fusion") or chosen.get("prior"):
        return False
    if chosen.get("names", True) and may_belong_together(step, needed):
        return False
    node = demonstrations.vocabulary.node
    pair = (node(needed), node(step))
    orders = (first_occurrences(recording.steps) for recording in demonstrations)
    return not any(pair in itertools.pairwise(order) for order in orders)


MOST_SINGLE = 3
"""Maximum number of edges of a single recording to list."""
FEW = 3
"""Minimum number of recordings to doubt a step that only one of them shows."""
ALIKE = 0.8
"""Similarity of two names, by `difflib`, from which one may be the other misspelt."""
MAX_EDGES = 5
"""Maximum number of edges to list."""


def doubts(demonstrations: Demonstrations, graph: TaskGraph) -> Iterator[str]:
    """Yield sentences about what may be wrong with a learned graph.

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
    yield from _single(demonstrations, graph)
    yield from _against_recordings(demonstrations, graph)
    yield from _against_rules(demonstrations, graph)
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


def _single(demonstrations: Demonstrations, graph: TaskGraph) -> Iterator[str]:
    """Yield the edges of which many recordings show both steps only once."""
    if demonstrations.total_weight < MANY:
        return
    alone = [edge for edge, found in graph.evidence.items() if found.held + found.broken == 1]
    if alone:
        named = [f"{step!r} needs {needed!r}" for step, needed in alone[:MOST_SINGLE]]
        more = [f"{len(alone) - MOST_SINGLE} more"] if len(alone) > MOST_SINGLE else []
        edges = "1 edge rests" if len(alone) == 1 else f"{len(alone)} edges rest"
        yield f"{edges} on a single recording: {', '.join([*named, *more])}"


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


def _against_rules(demonstrations: Demonstrations, graph: TaskGraph) -> Iterator[str]:
    """Yield the stated choices that recordings do not keep."""
    for choice in graph.constraints.among(graph.steps).choices:
        broken = 0.0
        for recording in demonstrations:
            done = set(demonstrations.names(recording))
            taken = sum(bool(done & set(steps)) for steps in choice.alternatives)
            broken += recording.weight if taken != 1 else 0.0
        if broken:
            yield (
                f"{choice} as stated, although {in_words(broken)} of "
                f"{in_words(demonstrations.total_weight)} recordings "
                f"{'takes' if broken == 1 else 'take'} none or several"
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
    """Return sentences about other edges that constraints removed or added.

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
        notes.append(f"the constraints also remove: {_in_words(lost, stated, never)}")
    if brought:
        notes.append(f"the constraints also add: {_in_words(brought, stated)}")
    return tuple(notes)


def _gone(before: TaskGraph, after: TaskGraph) -> list[Edge]:
    """Return the edges between steps of one graph whose order the other lacks."""
    return [
        (step, needed)
        for step in before.steps
        for needed in before.preconditions_of(step)
        if step not in after.steps or needed not in after.all_preconditions_of(step)
    ]


def _in_words(edges: Sequence[Edge], graph: TaskGraph, never: frozenset[Edge] = frozenset()) -> str:
    said = [
        f"{step!r} needs {needed!r}{_ruled_out_by(step, needed, graph, never)}"
        for step, needed in edges[:MAX_EDGES]
    ]
    more = len(edges) - MAX_EDGES
    return "; ".join(said) + (f"; {more} more" if more > 0 else "")


def _ruled_out_by(step: str, needed: str, graph: TaskGraph, never: frozenset[Edge]) -> str:
    """Return what would bring back an edge that is ruled out; empty if nothing would."""
    for other in graph.all_preconditions_of(needed):
        if (step, other) in never:
            return f", as {needed!r} needs {other!r}"
    return ""
