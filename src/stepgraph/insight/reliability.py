"""The robust learner's results beyond a graph: confidence in pairs, trust in recordings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import InputError
from stepgraph.graph import NO_CONSTRAINTS, Constraints
from stepgraph.learners.robust import Robust
from stepgraph.repetitions import first_occurrences
from stepgraph.sequences import Demonstrations

Matrix = NDArray[np.float64]
BoolMatrix = NDArray[np.bool_]

MAX_STEPS = 300
"""Maximum number of different steps; every pair of them is compared."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """The confidence in every pair, and the reliability of every recording.

    Parameters
    ----------
    sequences
        The first occurrence of each step, recording by recording, as node numbers.
    before
        ``before[i, j]``: the number of recordings in which j comes before i.
    confidence
        ``confidence[i, j]``: the probability that i needs j, directly or through others.
    order
        The learned order: row = step, column = precondition; closed, without START and END.
    reliability
        The trust in each recording, from 0 to 1.
    """

    sequences: tuple[tuple[int, ...], ...]
    before: Matrix
    confidence: Matrix
    order: BoolMatrix
    reliability: tuple[float, ...]


def judge(demonstrations: Demonstrations, constraints: Constraints = NO_CONSTRAINTS) -> Judgement:
    """Return the confidence in each pair of steps, and the trust in each recording.

    Marks of annotators are ignored.

    Parameters
    ----------
    demonstrations
        The recordings.
    constraints
        Edges that the order must or must not imply.

    Raises
    ------
    InputError
        If there are more than `MAX_STEPS` different steps.

    Examples
    --------
    >>> found = judge(Demonstrations.from_steps(["abc", "abc", "bac"]))
    >>> bool(found.confidence[3, 1] > found.confidence[2, 1])
    True
    """
    if len(demonstrations.seen) > MAX_STEPS:
        about = f"procedure {demonstrations.procedure!r}" if demonstrations.procedure else "these"
        raise InputError(
            f"{about}: {len(demonstrations.seen):,} different steps; expected {MAX_STEPS:,} or "
            "fewer, as each is compared with every other"
        )
    learned = Robust(constraints=constraints).learn(demonstrations)
    if learned.confidence is None or learned.trust is None:
        raise AssertionError("the robust learner says how sure it is")  # for the type checker
    sequences = tuple(first_occurrences(recording.steps) for recording in demonstrations)
    size = len(demonstrations.vocabulary.nodes)
    before = np.zeros((size, size))
    for recording, steps in zip(demonstrations, sequences, strict=True):
        nodes = np.array(steps)
        later, earlier = np.tril_indices(len(nodes), -1)
        before[nodes[later], nodes[earlier]] += recording.weight
    order = learned.adjacency.matrix > 0
    order[:, [0, -1]] = order[[0, -1], :] = False
    return Judgement(sequences, before, learned.confidence.matrix, order, learned.trust)
