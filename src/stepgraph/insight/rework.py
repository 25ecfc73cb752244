"""Steps that undo others, found from what people do again and what came between.

A step undoes another if, whenever it comes after that one, the other is done again before anything
that needs it and before the end. Where the other step is optional, nobody has to do it again; then
something undoes it only if it is never done again without that. `find_undoings` compares the rule,
against which only slips go, with doing the step again at any rate. A step that was done too early
and again in its place was not undone by what it needs.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from stepgraph.errors import GraphError
from stepgraph.graph import TaskGraph
from stepgraph.graph.rules import RuleEvidence, Undoing, check_rules
from stepgraph.insight.choices import PRIOR, SLIP, Matrix, log_beta, log_rule
from stepgraph.sequences import Demonstrations, KeyStepSequence

FEWEST = 2
"""Minimum number of recordings with a repetition that a rule explains."""
KINDS_OF_SLIPS = 3
"""Number of kinds of slips that go against undoing, each taken to be as frequent as omissions."""
VISITS = 5_000_000
"""Maximum number of steps to visit; beyond it the most frequent recordings count."""


@dataclass(slots=True)
class _Candidate:
    """A step that may undo another one.

    Parameters
    ----------
    redone
        Number of times that the other step was done again after it, before what needs it.
    left
        Number of times that it was not, although it had to be.
    between, recordings
        Number of times that it came between two occurrences of the other step, and of recordings
        in which it did.
    distance
        Sum of the number of steps between the other step and this one, where it was done again.
    """

    redone: float = 0.0
    left: float = 0.0
    between: float = 0.0
    recordings: float = 0.0
    distance: float = 0.0


@dataclass(slots=True)
class _Repeated:
    """What came between the occurrences of a step that somebody did again.

    Parameters
    ----------
    gaps
        The steps between two occurrences, with the number of recordings.
    by
        The steps that came between, or after the last occurrence.
    binding
        Number of recordings in which the step has to be done.
    shown
        Number of recordings with the step.
    """

    gaps: list[tuple[frozenset[int], float]] = field(default_factory=list)
    by: dict[int, _Candidate] = field(default_factory=lambda: defaultdict(_Candidate))
    binding: float = 0.0
    shown: float = 0.0


def find_undoings(
    demonstrations: Demonstrations, graph: TaskGraph, slips: float = SLIP
) -> list[Undoing]:
    """Return the steps that undo others, with their evidence; only what the graph can obey.

    Parameters
    ----------
    demonstrations
        The recordings.
    graph
        The learned graph, with its attributes and choices, and what somebody says undoes what.
    slips
        The rate of steps that are left out by mistake.

    Examples
    --------
    >>> bench = [["build", "test", "pack"]] * 6 + [["build", "test", "repair", "test", "pack"]] * 4
    >>> graph = TaskGraph.from_preconditions(
    ...     {"test": ["build"], "repair": ["test"], "pack": ["test", "repair"]}
    ... )
    >>> [str(own) for own in find_undoings(Demonstrations.from_steps(bench), graph)]
    ["'repair' undoes 'test'"]
    """
    # Not only a step left out goes against a rule, but also one out of order, or a needless one.
    slips = min(KINDS_OF_SLIPS * slips, SLIP)
    repeated = _repeated(demonstrations, graph)
    number = len(graph.steps)
    fitting = {step: _fitting(own, number, slips) for step, own in sorted(repeated.items())}
    breadth: dict[int, int] = defaultdict(int)
    for candidates in fitting.values():
        for step in candidates:
            breadth[step] += 1
    undoes: dict[int, dict[int, _Candidate]] = defaultdict(dict)
    for undone, candidates in fitting.items():
        for step in _chosen(repeated[undone], candidates, breadth):
            undoes[step][undone] = repeated[undone].by[step]
    name = graph.vocabulary.name
    total = demonstrations.total_weight
    found: list[Undoing] = []
    for step, own in sorted(undoes.items()):
        rule = Undoing(name(step), [name(undone) for undone in own], _evidence(own, total, slips))
        if _can_obey(graph, [*graph.undoings, *found, rule]):
            found.append(rule)
    return found


def _can_obey(graph: TaskGraph, undoings: Sequence[Undoing]) -> bool:
    """Return whether a graph can have these undoings."""
    try:
        check_rules(
            graph.steps, graph.preconditions_of, graph.choices, undoings, graph.optional_steps
        )
    except GraphError:
        return False
    return True


def _evidence(undone: dict[int, _Candidate], total: float, slips: float) -> RuleEvidence:
    redone, left = _counts(undone.values())
    least_sure = float(_log_odds(redone, left, slips).min())
    return RuleEvidence(redone, sum(left), total, 1 / (1 + math.exp(-least_sure)))


def _counts(candidates: Iterable[_Candidate]) -> tuple[list[float], list[float]]:
    own = list(candidates)
    return [one.redone for one in own], [one.left for one in own]


def _log_odds(redone: Sequence[float], left: Sequence[float], slips: float) -> Matrix:
    """Return the log odds that a step is always done again, rather than at any rate.

    Parameters
    ----------
    redone, left
        Number of times that it was done again, and that it was not.
    slips
        The rate of slips.
    """
    kept, against = np.array(redone), np.array(left)
    return log_rule(kept, against, slips) - log_beta(kept, against)


def _repeated(demonstrations: Demonstrations, graph: TaskGraph) -> dict[int, _Repeated]:
    """Return what came between the occurrences of every step that somebody did again."""
    recordings = _most_frequent(demonstrations)
    nodes = {
        node
        for recording in recordings
        if len(set(recording.steps)) < len(recording.steps)
        for node in _again(recording)
    }
    node_of = [
        graph.vocabulary.node(name) if name in graph.vocabulary else 0
        for name in demonstrations.vocabulary.nodes
    ]
    found: dict[int, _Repeated] = {}
    for recording in recordings if nodes else ():
        steps = [node_of[node] for node in recording.steps]
        due = graph.semantics.due(sum(1 << node for node in set(steps)))
        for node in dict.fromkeys(node_of[node] for node in recording.steps if node in nodes):
            if node:
                own = found.setdefault(node, _Repeated())
                own.shown += recording.weight
                own.binding += recording.weight if due >> node & 1 else 0.0
                before, after = graph.semantics.before[node], graph.semantics.after[node]
                _count(
                    own, steps, node, recording.weight, before, after if due >> node & 1 else None
                )
    return found


def _most_frequent(demonstrations: Demonstrations) -> Sequence[KeyStepSequence]:
    """Return the recordings, or as many of the most frequent ones as can be visited."""
    ranked = sorted(demonstrations, key=lambda recording: -recording.weight)
    chosen, visits = [], 0
    for recording in ranked:
        own = len(recording) * len(set(recording.steps))
        if visits + own <= VISITS:
            chosen.append(recording)
            visits += own
    return chosen


def _again(recording: KeyStepSequence) -> Iterator[int]:
    """Yield the steps that a recording does again, unless that is marked as a mistake."""
    came: set[int] = set()
    marks = recording.mistakes or (None,) * len(recording)
    for node, mark in zip(recording.steps, marks, strict=True):
        if node in came and mark is None:
            yield node
        came.add(node)


def _count(
    own: _Repeated,
    steps: Sequence[int],
    node: int,
    weight: float,
    before: int,
    after: int | None,
) -> None:
    """Count what a recording says of a step.

    Parameters
    ----------
    own
        Where to count.
    steps
        The recording; 0 for steps that the graph lacks.
    node
        The step.
    weight
        Number of recordings like this.
    before
        The steps that it needs, as a mask.
    after
        The steps that need it, as a mask; None if it does not have to be done.
    """
    places = [place for place, step in enumerate(steps) if step == node]
    came = sum(1 << step for step in set(steps[: places[0]]))
    known = len(own.gaps)
    for start, end in zip(places, [*places[1:], len(steps)], strict=True):
        between = steps[start + 1 : end]
        again = end < len(steps)
        too_early = before & ~came  # not yet done when this step was
        places_of: dict[int, int] = {}
        for place, step in enumerate(between):
            if step and not too_early >> step & 1:
                places_of.setdefault(step, place)
        if again:
            own.gaps.append((frozenset(places_of), weight))
        needing = after or 0
        last_needing = max((p for p, step in enumerate(between) if needing >> step & 1), default=-1)
        for step, place in places_of.items():
            candidate = own.by[step]
            candidate.between += weight if again else 0.0
            if again and place >= last_needing:
                candidate.redone += weight
                candidate.distance += weight * place
            elif after is not None:
                candidate.left += weight
        came |= sum(1 << step for step in set(between))
    for step in {step for steps_between, _ in own.gaps[known:] for step in steps_between}:
        own.by[step].recordings += weight


def _fitting(own: _Repeated, number: int, slips: float) -> dict[int, float]:
    """Return the steps that may undo a step, each with the repetitions that it explains.

    Parameters
    ----------
    own
        What is known of the step.
    number
        Number of steps of the procedure.
    slips
        The rate of slips.
    """
    often = {
        step: candidate for step, candidate in own.by.items() if candidate.recordings >= FEWEST
    }
    total = sum(weight for _, weight in own.gaps)
    covered = [candidate.between for candidate in often.values()]
    uncovered = [max(total - one, 0.0) for one in covered]
    always = _log_odds(*_counts(often.values()), slips)
    if own.binding < own.shown / 2:
        # Nobody has to do it again: what always comes between is all that there is to see.
        explains = _log_odds(covered, uncovered, slips) > math.log(number + 1)
    else:
        rare = np.log((np.array(uncovered) + 0.5) / (own.shown + 1))
        explains = np.array(covered) * -rare > 2 * math.log(number) + PRIOR
    fits = (always > 0) & explains
    return {step: one for step, one, fit in zip(often, covered, fits, strict=True) if fit}


def _chosen(own: _Repeated, candidates: dict[int, float], breadth: dict[int, int]) -> list[int]:
    """Return the fewest candidates that explain the repetitions of a step.

    Of those that explain as many, take the one that undoes most, then the first after the step.
    """
    chosen: list[int] = []
    gaps, left = own.gaps, dict(candidates)
    while left:
        explained = {
            step: sum(weight for between, weight in gaps if step in between) for step in left
        }
        step = min(
            left,
            key=lambda one: (
                -explained[one],
                -breadth[one],
                own.by[one].distance / own.by[one].redone,
                one,
            ),
        )
        if explained[step] < FEWEST:
            break
        chosen.append(step)
        gaps = [(between, weight) for between, weight in gaps if step not in between]
        del left[step]
    return chosen
