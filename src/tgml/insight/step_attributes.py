"""How each step is done: always or by choice, once or again, and what goes with that."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tgml.attributes import StepAttributes
from tgml.insight.association import related
from tgml.insight.slips import habit_probabilities
from tgml.sequences import Demonstrations

BoolMatrix = NDArray[np.bool_]

MOST = 5
"""At most so many steps are named after which a step is repeated."""


def step_attributes(
    demonstrations: Demonstrations, *, reliability: Sequence[float] = ()
) -> dict[str, StepAttributes]:
    """Learn the attributes of every step that some recording shows.

    A step is optional if leaving it out is more probably a habit of its own than a slip of those
    who left it out, and repeatable if the same holds of doing it again; see `tgml.insight.slips`.
    A step that an annotator marked as skipped by mistake, or one marked as done wrongly when it
    is done again, is a slip for certain and says nothing of habits.

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
    seen = sorted(demonstrations.seen)
    column = {node: place for place, node in enumerate(seen)}
    shape = (len(demonstrations), len(seen))
    done, again, excused, wrong = (np.zeros(shape, dtype=bool) for _ in range(4))
    before: dict[int, Counter[int]] = {node: Counter() for node in seen}
    for row, recording in enumerate(demonstrations):
        last = 0
        marks = recording.mistakes or (None,) * len(recording)
        for node, mark in zip(recording.steps, marks, strict=True):
            place = column[node]
            if done[row, place] and mark is not None:
                wrong[row, place] = True
            elif done[row, place]:
                again[row, place] = True
                before[node][last] += 1
            done[row, place] = True
            last = node
        excused[row, [column[node] for node in recording.skipped if node in column]] = True
    excused &= ~done
    weights = np.array([recording.weight for recording in demonstrations])
    trusted = weights * np.array(reliability) if len(reliability) else weights
    left_out = habit_probabilities(~done, ~excused, trusted) > 0.5
    repeated = habit_probabilities(again, done & ~(wrong & ~again), trusted) > 0.5
    together, instead = related(done, left_out, weights)
    total = math.fsum(weights)
    shares = (weights @ done) / total
    repeats = (weights @ again) / np.maximum(weights @ done, np.finfo(float).tiny)

    def names(places: Sequence[int]) -> tuple[str, ...]:
        return tuple(words.name(seen[place]) for place in places)

    return {
        words.name(node): StepAttributes(
            done=min(float(shares[place]), 1.0),
            optional=bool(left_out[place]),
            left_out_with=names(together.get(place, ())),
            done_instead=names(instead.get(place, ())),
            repeated=min(float(repeats[place]), 1.0),
            repeatable=bool(repeated[place]),
            repeated_after=tuple(words.name(other) for other, _ in before[node].most_common(MOST))
            if repeated[place]
            else (),
        )
        for node, place in column.items()
    }
