"""From what a recogniser sees in each frame to key-steps, online.

A filter of two kinds of evidence: steps last, and the recogniser is right more often than not.
After each frame it knows how probable each step is by all frames so far; a step is announced
when it has been the most probable one for long enough. Nothing ever looks ahead: what was
announced depends on the frames up to then only, and is never taken back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from stepgraph.errors import SettingError, UnknownNameError

DURATION = 900.0
"""How many frames a step takes on average, where nothing is known: 30 s at 30 frames a second."""
ACCURACY = 0.5
"""How often a frame is recognised rightly, where nothing is known."""
ACCURACY_OF_TWO = 0.75
"""The same of two steps, of which every other frame is right by chance."""
PATIENCE = 0.1
"""For which share of a mean duration a step must lead before it is announced."""
LEAST = 1e-4
"""A probability is taken to be at least this: no frame rules a step out for good."""
CORRELATION = 30.0
"""How many frames in a row err together: what they say counts as much as one does."""

_SETTINGS = (
    *("steps", "duration", "accuracy", "patience", "correlation"),
    *("_numbers", "_stay", "_agree", "_differ"),
)


@dataclass(frozen=True)
class KeyStep:
    """A key-step that frames announced.

    Parameters
    ----------
    step
        Its name.
    frame
        At which frame it was announced, from 1 on.
    """

    step: str
    frame: int


class FrameSmoother:
    """Turns frames into key-steps as they come.

    Parameters
    ----------
    steps
        All steps.
    duration
        How many frames a step takes on average.
    accuracy
        The share of frames that are recognised rightly, by default half of them, and three
        quarters where there are but two steps; errors are taken as equally likely.
    patience
        For how many frames a step must lead before it is announced; by default a tenth of the
        duration.
    correlation
        How many frames in a row err together. Neighbouring frames show the same picture, so
        that their evidence must not be multiplied.

    Raises
    ------
    SettingError
        If a number is out of range.

    Examples
    --------
    >>> smoother = FrameSmoother(["mix", "pour"], duration=10, accuracy=0.8, correlation=1)
    >>> frames = ["mix"] * 6 + ["pour"] + ["mix"] * 5 + ["pour"] * 8
    >>> [segment.step for segment in smoother.smooth(frames)]
    ['mix', 'pour']
    """

    __slots__ = (
        "_agree",
        "_candidate",
        "_current",
        "_differ",
        "_frame",
        "_leads_since",
        "_numbers",
        "_shares",
        "_stay",
        "accuracy",
        "correlation",
        "duration",
        "patience",
        "steps",
    )

    def __init__(
        self,
        steps: Iterable[str],
        *,
        duration: float = DURATION,
        accuracy: float | None = None,
        patience: int | None = None,
        correlation: float = CORRELATION,
    ) -> None:
        self.steps = tuple(steps)
        count = len(self.steps)
        if len(set(self.steps)) < count or not count:
            raise SettingError("a smoother needs one or more steps with different names")
        if not 1 < duration < math.inf:
            raise SettingError(f"the duration is {duration}; expected more than 1 frame")
        if accuracy is None:
            accuracy = ACCURACY if count != 2 else ACCURACY_OF_TWO
        if not 0 < accuracy < 1 or (count > 1 and accuracy <= 1 / count):
            raise SettingError(
                f"the accuracy is {accuracy}; expected more than chance ({1 / count:g}) and less "
                "than 1"
            )
        if not 1 <= correlation < math.inf:
            raise SettingError(f"the correlation is {correlation}; expected 1 frame or more")
        self.patience = max(1, round(PATIENCE * duration)) if patience is None else patience
        if not self.patience >= 1:
            raise SettingError(f"the patience is {self.patience}; expected 1 frame or more")
        self.duration, self.accuracy, self.correlation = duration, accuracy, correlation
        self._numbers = {step: number for number, step in enumerate(self.steps)}
        self._stay = 1 - 1 / duration
        self._agree = accuracy ** (1 / correlation)
        self._differ = ((1 - accuracy) / max(count - 1, 1)) ** (1 / correlation)
        self._begin()

    def _begin(self) -> None:
        """Know nothing yet."""
        self._shares = [1 / len(self.steps)] * len(self.steps)
        self._frame = 0
        self._current: int | None = None
        self._candidate: int | None = None
        self._leads_since = 1

    @classmethod
    def fitted(
        cls, recordings: Sequence[tuple[Sequence[str], Sequence[str]]], steps: Iterable[str]
    ) -> FrameSmoother:
        """Return a smoother for a recogniser, by recordings of which the truth is known.

        Parameters
        ----------
        recordings
            For each recording the true and the recognised step of each frame.
        steps
            All steps.

        Raises
        ------
        SettingError
            If there are no frames or no steps, or a recording has more true frames than
            recognised ones or fewer.
        """
        names = tuple(steps)
        if not names:
            raise SettingError("a smoother needs one or more steps with different names")
        for number, (true, recognised) in enumerate(recordings, start=1):
            if len(true) != len(recognised):
                raise SettingError(
                    f"recording {number} has {len(true)} true and {len(recognised)} recognised "
                    "frames; expected as many"
                )
        runs = [sum(1 for _ in run) for true, _ in recordings for _, run in groupby(true)]
        if not runs:
            raise SettingError("there are no frames to fit a smoother to")
        hits = [a == b for pair in recordings for a, b in zip(*pair, strict=True)]
        errors = [
            sum(1 for _ in run)
            for pair in recordings
            for right, run in groupby(a == b for a, b in zip(*pair, strict=True))
            if not right
        ]
        chance = 1 / len(names)
        accuracy = min(max(sum(hits) / len(hits), chance + 0.01), 0.99)
        correlation = max(1.0, sum(errors) / len(errors)) if errors else 1.0
        duration = max(sum(runs) / len(runs), 2.0)
        return cls(names, duration=duration, accuracy=accuracy, correlation=correlation)

    def fresh(self) -> FrameSmoother:
        """Return a smoother with the same settings that has seen nothing."""
        other = FrameSmoother.__new__(FrameSmoother)
        for name in _SETTINGS:
            setattr(other, name, getattr(self, name))
        other._begin()
        return other

    def observe(self, step: str) -> str | None:
        """Take in what was recognised in the next frame.

        Returns
        -------
        str or None
            A key-step that has now begun, or None while nothing new is sure enough.

        Raises
        ------
        UnknownNameError
            If it is none of the steps.
        """
        if step not in self._numbers:
            raise UnknownNameError("step", step, self.steps, f"frame {self._frame + 1}")
        evidence = [self._differ] * len(self.steps)
        evidence[self._numbers[step]] = self._agree
        return self._take_in(evidence)

    def observe_shares(self, shares: Sequence[float]) -> str | None:
        """Take in how probable each step is by the next frame, where the recogniser says so.

        Parameters
        ----------
        shares
            A probability for each step, in the order of the steps; those of frames that err
            together count as one, as for `observe`. None is taken for impossible.

        Returns
        -------
        str or None
            A key-step that has now begun, or None while nothing new is sure enough.

        Raises
        ------
        SettingError
            If they are not as many as the steps, or no probabilities.
        """
        if len(shares) != len(self.steps) or not all(0 <= share <= 1 + 1e-4 for share in shares):
            raise SettingError(
                f"frame {self._frame + 1} has {len(shares)} numbers; expected a probability for "
                f"each of the {len(self.steps)} steps"
            )
        power = 1 / self.correlation
        return self._take_in([max(share, LEAST) ** power for share in shares])

    def _take_in(self, evidence: Sequence[float]) -> str | None:
        """Weigh what a frame says for each step against what is known."""
        self._frame += 1
        count = len(self.steps)
        leave = (1 - self._stay) / max(count - 1, 1)
        keep = self._stay - leave
        shares = [
            (leave + keep * share) * weight
            for share, weight in zip(self._shares, evidence, strict=True)
        ]
        total = sum(shares)
        self._shares = [share / total for share in shares]
        leader = max(range(count), key=lambda number: (self._shares[number], -number))
        if leader != self._candidate:
            self._candidate, self._leads_since = leader, self._frame
        long_enough = self._frame - self._leads_since + 1 >= self.patience
        if leader == self._current or not long_enough:
            return None
        self._current = leader
        return self.steps[leader]

    def smooth(self, frames: Iterable[str]) -> list[KeyStep]:
        """Return the key-steps of a whole recording, as they would be announced online."""
        smoother = self.fresh()
        found = []
        for number, frame in enumerate(frames, start=1):
            step = smoother.observe(frame)
            if step is not None:
                found.append(KeyStep(step, number))
        return found

    def smooth_shares(self, frames: Iterable[Sequence[float]]) -> list[KeyStep]:
        """Return the key-steps of a whole recording of probabilities, as online."""
        smoother = self.fresh()
        found = []
        for number, shares in enumerate(frames, start=1):
            step = smoother.observe_shares(shares)
            if step is not None:
                found.append(KeyStep(step, number))
        return found
