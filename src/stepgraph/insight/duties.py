"""What each recording has to do by the rules of a graph, and what it does against them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stepgraph.graph import Choice, TaskGraph, Undoing
from stepgraph.graph.adjacency import reduction
from stepgraph.graph.edges import bits
from stepgraph.graph.semantics import Semantics, State
from stepgraph.insight.attributes import Tally
from stepgraph.insight.reliability import Judgement
from stepgraph.insight.rules import with_rules
from stepgraph.sequences import Demonstrations, KeyStepSequence

BoolMatrix = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Duties:
    """What recordings have to do: one row a recording, one column a step, as in a `Tally`.

    Parameters
    ----------
    choices
        The choices found in the recordings.
    ruled
        The steps that a rule makes due or not: those of choices, and what goes with others.
    due
        Whether the recording has to do the step, given the others that it does.
    other
        Whether it does the step although it takes another alternative.
    again
        Whether it does the step although it counted as done already.
    needless
        For each recording, the positions of such repetitions, from 0.
    undecided
        For each recording, the choices that it had to make and did not.
    not_redone
        For each recording, the steps that it had to do again and did not, each with what undid it.
    """

    choices: tuple[Choice, ...]
    ruled: BoolMatrix
    due: BoolMatrix
    other: BoolMatrix
    again: BoolMatrix
    needless: tuple[frozenset[int], ...]
    undecided: tuple[tuple[Choice, ...], ...]
    not_redone: tuple[dict[str, Undoing], ...]


def find_duties(demonstrations: Demonstrations, judged: Judgement, counted: Tally) -> Duties:
    """Learn the rules of recordings, and return what they say of each.

    Marks of annotators are ignored.

    Parameters
    ----------
    demonstrations
        The recordings.
    judged
        Their order, and the trust in each.
    counted
        Which recording does which step.
    """
    graph = _graph(demonstrations, judged, counted)
    node_of = graph.vocabulary.node
    due, other, again = np.zeros((3, *counted.done.shape), dtype=bool)
    needless, undecided, not_redone = [], [], []
    for row, recording in enumerate(demonstrations):
        nodes = [counted.column[step] + 1 for step in recording.steps]
        done = sum(1 << node for node in set(nodes))
        instead = _instead(graph.semantics, done)
        had, open_ = _due(graph, done & ~instead)
        due[row, [node - 1 for node in bits(had)]] = True
        other[row, [node - 1 for node in bits(instead)]] = True
        undecided.append(open_)
        repeated, undone = _repetitions(graph, nodes)
        again[row, [nodes[position] - 1 for position in repeated]] = True
        needless.append(repeated)
        not_redone.append({step: by for step, by in undone.items() if had >> node_of(step) & 1})
    ruled = np.zeros(len(counted.nodes), dtype=bool)
    for step in (
        *(step for choice in graph.choices for step in choice.steps),
        *(step for own in graph.attributes.values() for step in own.goes_with),
    ):
        ruled[node_of(step) - 1] = True
    return Duties(
        graph.choices,
        ruled,
        due,
        other,
        again,
        tuple(needless),
        tuple(undecided),
        tuple(not_redone),
    )


def _graph(demonstrations: Demonstrations, judged: Judgement, counted: Tally) -> TaskGraph:
    """Return the graph of the order that recordings agree on, with its rules."""
    order = reduction(judged.order[np.ix_(counted.nodes, counted.nodes)])
    edges = [(counted.names[step], counted.names[needed]) for step, needed in np.argwhere(order)]

    def bare(recording: KeyStepSequence) -> KeyStepSequence:
        return replace(recording, mistakes=None, skipped=())

    unmarked = replace(demonstrations, sequences=tuple(map(bare, demonstrations)))
    return with_rules(unmarked, TaskGraph(counted.names, edges), reliability=judged.reliability)


def _instead(semantics: Semantics, done: int) -> int:
    """Return the done steps of all alternatives of a choice but the one that was done most."""
    found = 0
    for choice in semantics.choices:
        begun = [own & done for own in choice.each if own & done]
        if len(begun) > 1:
            most = max(begun, key=int.bit_count)
            found |= (choice.every & done) & ~most
    return found


def _due(graph: TaskGraph, done: int) -> tuple[int, tuple[Choice, ...]]:
    """Return the steps that were due, and the choices that had to be made and were not."""
    due = graph.semantics.due(done)
    open_ = graph.semantics.undecided(done)
    for alternatives in open_:
        due &= ~alternatives.every
    pairs = zip(graph.semantics.choices, graph.choices, strict=True)
    return due, tuple(choice for alternatives, choice in pairs if alternatives in open_)


def _repetitions(graph: TaskGraph, nodes: list[int]) -> tuple[frozenset[int], dict[str, Undoing]]:
    """Return the positions of steps that counted as done, and what was undone until the end."""
    semantics = graph.semantics
    undoing = {graph.vocabulary.node(own.step): own for own in graph.undoings}
    needless, state = set(), State()
    undone: dict[str, Undoing] = {}
    for position, node in enumerate(nodes):
        if state.done >> node & 1:
            needless.add(position)
        state = semantics.do(node, state)
        if node in undoing:
            undone |= dict.fromkeys(undoing[node].undone, undoing[node])
    names = semantics.names_in(state.undone)
    return frozenset(needless), {name: undone[name] for name in names}
