"""Only recordings that can be believed: protection for learners that trust whatever they see."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stepgraph.learners.robust import Robust
from stepgraph.learners.robust.demonstrators import TRUSTED
from stepgraph.learners.robust.numbering import by_place
from stepgraph.learners.robust.recordings import Recordings
from stepgraph.sequences import Demonstrations

FEWEST = 3
"""At least so many recordings are kept, those with the fewest slips."""


def believable(demonstrations: Demonstrations) -> Demonstrations:
    """Return the recordings without a slip, as the robust learner sees them.

    Where fewer than `FEWEST` have none, those with the fewest expected slips are kept.

    Examples
    --------
    >>> recordings = Demonstrations.from_steps(["abcdef"] * 6 + ["fedcba"])
    >>> [recording.id for recording in believable(recordings)]
    ['1', '2', '3', '4', '5', '6']
    """
    learner = Robust()
    numbered, _ = by_place(demonstrations)
    recordings = Recordings.of(numbered, learner.repetitions, 0)
    _, order = learner.most_probable(recordings)
    slips = learner.everybody(recordings, order).slips(order)
    worst = [float(slips[list(own)].max()) for own in recordings.owners]
    expected = [float(slips[list(own)].sum(axis=1).min()) for own in recordings.owners]
    best = np.argsort(expected, kind="stable")[:FEWEST].tolist()
    return replace(
        demonstrations,
        sequences=tuple(
            recording
            for number, recording in enumerate(demonstrations)
            if worst[number] <= TRUSTED or number in best
        ),
    )
