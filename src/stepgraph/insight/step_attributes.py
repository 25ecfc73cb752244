"""How each step is done: always or by choice, once or again, and what goes with that."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from stepgraph.graph.evidence import StepAttributes
from stepgraph.insight.association import related
from stepgraph.insight.slips import habit_probabilities
from stepgraph.insight.tally import BoolMatrix, Matrix, tally
from stepgraph.sequences import Demonstrations

MOST = 5
"""At most so many steps are named after which a step is repeated."""


def step_attributes(
    demonstrations: Demonstrations, *, reliability: Sequence[float] = ()
) -> dict[str, StepAttributes]:
    """Learn the attributes of every step that some recording shows.

    A step is optional if leaving it out is more probably a habit of its own than a slip of those
    who left it out, and repeatable if the same holds of doing it again; see
    `stepgraph.insight.slips`. A step that an annotator marked as skipped by mistake, or one marked
    as done wrongly when it is done again, is a slip for certain and says nothing of habits.

    Parameters
    ----------
    demonstrations
        The recordings.
    reliability
        How far each of them is trusted, from 0 to 1; by default all in full.

    Examples
    --------
    >>> tea = [["boil", "pour"], ["boil", "pour", "add milk", "stir", "add milk", "stir"]] * 6
    >>> found = step_attributes(Demonstrations.from_steps(tea))
    >>> found["boil"].optional, found["add milk"].optional, found["add milk"].left_out_with
    (False, True, ('stir',))
    >>> found["stir"].repeatable, found["stir"].repeated_after
    (True, ('add milk',))
    """
    words = demonstrations.vocabulary
    plain = StepAttributes()  # of a step that everyone does once, as most are
    if _all_do_all_once(demonstrations):
        return dict.fromkeys(words.steps, plain)
    counted = tally(demonstrations)
    done, again, weights = counted.done, counted.again, counted.weights
    trusted = weights * np.array(reliability) if len(reliability) else weights
    optional = _is_habit(~done, ~counted.excused, trusted)
    repeatable = _is_habit(again, done & ~counted.marked, trusted)
    together, instead = related(done, optional, weights)
    shares = (weights @ done) / math.fsum(weights)
    repeats = (weights @ again) / (weights @ done)

    def names(places: Iterable[int]) -> tuple[str, ...]:
        return tuple(words.name(counted.nodes[place]) for place in places)

    def of(place: int, node: int) -> StepAttributes:
        often = counted.before[node].most_common(MOST) if repeatable[place] else ()
        return StepAttributes(
            # Sums of fractions may miss 1 by their rounding.
            done=min(float(shares[place]), 1.0),
            optional=bool(optional[place]),
            left_out_with=names(together.get(place, ())),
            done_instead=names(instead.get(place, ())),
            repeated=min(float(repeats[place]), 1.0),
            repeatable=bool(repeatable[place]),
            repeated_after=tuple(words.name(other) for other, _ in often),
        )

    special = ((shares < 1) | (repeats > 0)).tolist()
    return {
        words.name(node): of(place, node) if special[place] else plain
        for place, node in enumerate(counted.nodes)
    }


def _all_do_all_once(demonstrations: Demonstrations) -> bool:
    """Return whether every recording shows every step of the vocabulary, and shows it once."""
    number = len(demonstrations.vocabulary)
    return all(
        len(recording.steps) == number and len(set(recording.steps)) == number
        for recording in demonstrations.sequences
    )


def _is_habit(happened: BoolMatrix, possible: BoolMatrix, weights: Matrix) -> BoolMatrix:
    """Return which steps it happens to by habit; to none, where it never happened at all."""
    if not happened.any():
        return np.zeros(happened.shape[1], dtype=bool)
    return habit_probabilities(happened, possible, weights) > 0.5
