"""What recordings say of the steps of a graph: attributes, choices, and what undoes what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from stepgraph.graph import Constraints, TaskGraph, connect_ends
from stepgraph.graph.adjacency import reduction
from stepgraph.graph.evidence import StepAttributes
from stepgraph.graph.rules import Choice, RuleEvidence, Undoing
from stepgraph.insight.attributes import (
    Matrix,
    Tally,
    all_do_all_once,
    is_habit,
    step_attributes,
    tally,
)
from stepgraph.insight.choices import FoundChoice, find_choices, relations
from stepgraph.insight.rework import find_undoings
from stepgraph.sequences import Demonstrations


def with_rules(
    demonstrations: Demonstrations, graph: TaskGraph, *, reliability: Sequence[float] = ()
) -> TaskGraph:
    """Return a graph with its attributes, choices and undoing, as recordings show them.

    Edges between alternatives of a choice are removed, as only recordings with a slip do both; what
    they imply of other steps stays.

    Parameters
    ----------
    demonstrations
        The recordings.
    graph
        The graph that was learned from them. Its constraints decide where they say something.
    reliability
        The trust in each recording, from 0 to 1; by default 1.

    Examples
    --------
    >>> cases = [["check", "accept", "ship"]] * 20 + [["check", "reject"]] * 6
    >>> graph = TaskGraph.from_preconditions({"accept": ["check"], "ship": ["accept"]})
    >>> graph = graph.replace(steps=[*graph.steps, "reject"])
    >>> found = with_rules(Demonstrations.from_steps(cases), graph)
    >>> [str(choice) for choice in found.choices]
    ["one of 'accept' and 'ship', or 'reject'"]
    """
    constraints = graph.constraints.among(graph.steps)
    stated = {
        *(step for choice in constraints.choices for step in choice.steps),
        *constraints.optional,
        *constraints.mandatory,
    }
    if all_do_all_once(demonstrations):
        # Most steps are done once by everyone.
        return _stated(graph, constraints, dict.fromkeys(graph.steps, StepAttributes()), [])
    counted = tally(demonstrations)
    present = counted.done | counted.excused
    trusted = counted.weights
    if len(reliability):
        trusted = trusted * np.array(reliability)
    found = relations(present, counted.weights)
    choices = [
        choice
        for choice in find_choices(present, counted.weights, found)
        if _fits(choice, counted.names, graph, stated)
    ]
    about = step_attributes(counted, choices, found, trusted)
    attributes = {
        step: known for step, known in zip(counted.names, about, strict=True) if step in graph.steps
    }
    total = demonstrations.total_weight
    made = [_choice(choice, counted.names, total) for choice in choices]
    graph = _stated(graph, constraints, attributes, made)
    by_hand = {own.step: set(own.undone) for own in graph.undoings}
    undoings = [
        own
        for own in find_undoings(demonstrations, graph, found.slips)
        if not by_hand.get(own.step, set()) & set(own.undone)
    ]
    every = [*graph.undoings, *undoings]
    if not every:
        return graph
    attributes = dict(graph.attributes)
    for step in _no_longer_repeatable(demonstrations, counted, every, trusted):
        attributes[step] = replace(attributes[step], repeatable=False, repeated_after=())
    return graph.replace(attributes=attributes, undoings=every)


def _stated(
    graph: TaskGraph,
    constraints: Constraints,
    attributes: Mapping[str, StepAttributes],
    choices: Sequence[Choice],
) -> TaskGraph:
    """Return a graph with attributes and choices as found, except where people decided.

    A step of a choice that somebody stated has to be done if its alternative is taken. A learned
    choice that adds steps to the alternatives of a stated one stands in its place.
    """
    known = dict(attributes)
    stated = [own for own in constraints.choices if not any(_says_more(c, own) for c in choices)]
    for choice in stated:
        for step in choice.steps:
            known[step] = replace(known.get(step, StepAttributes()), optional=False)
    return _apart(graph, [*stated, *choices]).replace(
        attributes=constraints.mark(known),
        choices=[*stated, *choices],
        undoings=constraints.undoings,
    )


def _says_more(learned: Choice, stated: Choice) -> bool:
    """Return whether a learned choice has the alternatives of a stated one, with more steps."""
    homes = [
        [place for place, steps in enumerate(learned.alternatives) if set(own) <= set(steps)]
        for own in stated.alternatives
    ]
    found = {home[0] for home in homes if home}
    same = len(found) == len(stated.alternatives) == len(learned.alternatives)
    return same and len(learned.steps) > len(stated.steps)


def _fits(choice: FoundChoice, names: Sequence[str], graph: TaskGraph, stated: set[str]) -> bool:
    """Return whether a graph can have a choice, and nobody decided about its steps.

    The graph has its steps, and nobody says that one needs a step of another alternative.
    """
    groups = [
        {names[step] for step in (*core, *others)}
        for core, others in zip(choice.core, choice.others, strict=True)
    ]
    learned = Choice([sorted(own) for own in groups])
    for choice_stated in graph.constraints.among(graph.steps).choices:
        if _says_more(learned, choice_stated):
            stated = stated - set(choice_stated.steps)
    if any(step in stated or step not in graph.steps for own in groups for step in own):
        return False
    return not any(
        step in own and needed in other
        for own, other in permutations(groups, 2)
        for step, needed in graph.constraints.required
    )


def _apart(graph: TaskGraph, choices: Sequence[Choice]) -> TaskGraph:
    """Return a graph without edges between the alternatives of choices."""
    place = {step: number for number, step in enumerate(graph.steps)}
    crossing = np.zeros((len(place), len(place)), dtype=bool)
    for choice in choices:
        groups = [[place[step] for step in own] for own in choice.alternatives]
        for own, other in permutations(groups, 2):
            crossing[np.ix_(own, other)] = True
    if not any(
        step in place and needed in place and crossing[place[step], place[needed]]
        for step, needed in graph.edges
    ):
        return graph
    closed = np.zeros_like(crossing)
    for step, number in place.items():
        closed[number, [place[needed] for needed in graph.all_preconditions_of(step)]] = True
    edges = [
        (graph.steps[step], graph.steps[needed])
        for step, needed in np.argwhere(reduction(closed & ~crossing))
    ]
    return graph.replace(edges=connect_ends(graph.steps, edges))


def _choice(found: FoundChoice, names: Sequence[str], total: float) -> Choice:
    return Choice(
        [
            [names[step] for step in (*core, *others)]
            for core, others in zip(found.core, found.others, strict=True)
        ],
        found.optional or found.context is not None,
        RuleEvidence(found.held, found.broken, total, found.probability),
    )


def _no_longer_repeatable(
    demonstrations: Demonstrations, counted: Tally, undoings: Sequence[Undoing], weights: Matrix
) -> list[str]:
    """Return the undone steps that are not done again by habit without being undone."""
    undone_by: dict[str, set[str]] = {}
    for own in undoings:
        for step in own.undone:
            undone_by.setdefault(step, set()).add(own.step)
    if not undone_by:
        return []
    again = counted.again.copy()
    column = {name: place for place, name in enumerate(counted.names)}
    for row, recording in enumerate(demonstrations):
        names = demonstrations.names(recording)
        if len(set(names)) == len(names):
            continue
        for step, by in undone_by.items():
            if step in column:
                again[row, column[step]] = _again_without(names, step, by)
    habits = is_habit(again, counted.done & ~counted.marked, weights)
    return [step for step in undone_by if step in column and not habits[column[step]]]


def _again_without(names: Sequence[str], step: str, undone_by: set[str]) -> bool:
    """Return whether a recording does a step again that nothing undid since."""
    done = False
    for name in names:
        if name == step and done:
            return True
        done = name == step or (done and name not in undone_by)
    return False
