"""Who comes before whom: the pairwise order of steps, counted over recordings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgml.repetitions import Repetitions
from tgml.sequences import Demonstrations


@dataclass(frozen=True, eq=False)
class Precedence:
    """How often each step came before each other one.

    Parameters
    ----------
    before
        ``before[i, j]``: in how many recordings with i did j come before i, by node number;
        START is in every recording before all else, END in every one after all else.
    recordings
        ``recordings[i]``: how many recordings show i.
    together
        ``together[i, j]``: how many recordings show both.
    """

    before: NDArray[np.int64]
    recordings: NDArray[np.int64]
    together: NDArray[np.int64]

    @property
    def agreed(self) -> NDArray[np.bool_]:
        """Whether j came before i in every recording that shows both, of which there are some."""
        agreed: NDArray[np.bool_] = (self.before == self.together) & (self.together > 0)
        return agreed

    @property
    def always(self) -> NDArray[np.bool_]:
        """Whether j came before i in every recording that shows i.

        For a step that no recording shows this holds of every j, as of any statement about
        nothing.
        """
        always: NDArray[np.bool_] = self.before == self.recordings[:, None]
        return always


def precedence(demonstrations: Demonstrations, repetitions: Repetitions) -> Precedence:
    """Count who comes before whom.

    Where a recording repeats a step, the policy says which of its occurrences counts. For
    'expand' and 'random' a step comes before another only if it does so whichever occurrences
    are chosen: its last one before the other's first one. No expansion is needed for that.
    """
    return precedence_of(
        (recording.steps for recording in demonstrations),
        demonstrations.vocabulary.end,
        repetitions,
    )


def precedence_of(
    sequences: Iterable[tuple[int, ...]],
    end: int,
    repetitions: Repetitions = Repetitions.FIRST,
) -> Precedence:
    """Count who comes before whom in sequences of node numbers.

    Parameters
    ----------
    sequences
        Node numbers 1 to n, without START and END.
    end
        The node number of END.
    repetitions
        As for `precedence`.
    """
    before = np.zeros((end + 1, end + 1), dtype=np.int64)
    recordings = np.zeros(end + 1, dtype=np.int64)
    together = np.zeros((end + 1, end + 1), dtype=np.int64)
    for steps in sequences:
        nodes = np.array([0, *steps, end])
        first = np.full(end + 1, -1)
        last = np.full(end + 1, -1)
        last[nodes] = np.arange(len(nodes))
        first[nodes[::-1]] = np.arange(len(nodes))[::-1]
        shown = np.flatnonzero(first >= 0)
        done_at = first if repetitions is Repetitions.FIRST else last
        needed_at = last if repetitions is Repetitions.LAST else first
        before[np.ix_(shown, shown)] += done_at[None, shown] < needed_at[shown, None]
        together[np.ix_(shown, shown)] += 1
        recordings[shown] += 1
    np.fill_diagonal(together, 0)
    return Precedence(before, recordings, together)
