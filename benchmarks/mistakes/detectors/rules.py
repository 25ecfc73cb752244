"""What every detector does, and plain rules and controls that do it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from stepgraph.errors import SettingError
from stepgraph.graph import TaskGraph
from stepgraph.learners.precedence import precedence
from stepgraph.monitoring import Kind, find_violations
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import Demonstrations


class Detector(Protocol):
    """Flags mistakes online: a flag depends on the steps up to it and on nothing later."""

    def flags(self, steps: Sequence[str]) -> tuple[bool, ...]:
        """Return for each step of a recording whether it is flagged.

        Parameters
        ----------
        steps
            Step names in the order done.
        """
        ...


@dataclass(frozen=True)
class GraphRule:
    """The paper's rule: a step is a mistake if the graph wants something before it, or lacks it.

    Parameters
    ----------
    graph
        A learned graph, without steps that no recording shows.
    """

    graph: TaskGraph

    def flags(self, steps: Sequence[str]) -> tuple[bool, ...]:
        """Return which steps are done without a direct precondition, or are unknown."""
        wrong = {
            violation.position
            for violation in find_violations(self.graph, steps)
            if violation.kind in (Kind.TOO_EARLY, Kind.UNKNOWN_STEP)
        }
        return tuple(position in wrong for position in range(1, len(steps) + 1))


@dataclass(frozen=True)
class AlwaysBefore:
    """A step is a mistake if what always came before its first time is missing, or if unseen.

    Parameters
    ----------
    needed
        For each step that was seen, what came before it.
    """

    needed: Mapping[str, frozenset[str]]

    @classmethod
    def learn(cls, demonstrations: Demonstrations, share: float = 1.0) -> AlwaysBefore:
        """Learn what comes before each step.

        Parameters
        ----------
        demonstrations
            Recordings without mistakes.
        share
            In which share of the recordings with a step another must come before it.

        Raises
        ------
        SettingError
            If the share is not above 0 and at most 1.

        Examples
        --------
        >>> rule = AlwaysBefore.learn(Demonstrations.from_steps(["abc", "bac"]))
        >>> rule.flags("acx")
        (False, True, True)
        """
        if not 0 < share <= 1:
            raise SettingError(f"the share is {share}; expected a number above 0 and at most 1")
        counts = precedence(demonstrations, Repetitions.FIRST)
        words = demonstrations.vocabulary
        before = counts.before >= share * counts.recordings[:, None] - 1e-9
        before[:, [0, words.end]] = False
        np.fill_diagonal(before, val=False)
        return cls(
            {
                words.name(node): frozenset(map(words.name, np.flatnonzero(before[node]).tolist()))
                for node in sorted(demonstrations.seen)
            }
        )

    def flags(self, steps: Sequence[str]) -> tuple[bool, ...]:
        """Return which steps come too early or were never seen."""
        done: set[str] = set()
        found = []
        for step in steps:
            found.append(step not in self.needed or not self.needed[step] <= done)
            done.add(step)
        return tuple(found)


@dataclass(frozen=True)
class UnseenStep:
    """Control: a step is a mistake if no recording shows it, and for no other reason."""

    seen: frozenset[str]

    @classmethod
    def learn(cls, demonstrations: Demonstrations) -> UnseenStep:
        """Learn which steps there are."""
        return cls(frozenset(map(demonstrations.vocabulary.name, demonstrations.seen)))

    def flags(self, steps: Sequence[str]) -> tuple[bool, ...]:
        """Return which steps were never seen."""
        return tuple(step not in self.seen for step in steps)


@dataclass(frozen=True)
class FromPosition:
    """Control: every segment from a given one on is a mistake, whatever it is.

    Parameters
    ----------
    first
        The first segment that is flagged, from 1 on; None flags none.
    """

    first: int | None

    @classmethod
    def half_way(cls, demonstrations: Demonstrations) -> FromPosition:
        """Flag from where a mistake is to be expected if it may happen anywhere in a recording."""
        middle = sum((len(recording) + 1) / 2 for recording in demonstrations) / len(demonstrations)
        return cls(int(np.ceil(middle)))

    def flags(self, steps: Sequence[str]) -> tuple[bool, ...]:
        """Return which segments are late enough."""
        first = len(steps) + 1 if self.first is None else self.first
        return tuple(position >= first for position in range(1, len(steps) + 1))


@dataclass
class AtRandom:
    """Control: any segment may be a mistake, whatever it is and wherever it stands.

    Every recording is drawn for anew: the same steps twice have different flags.

    Parameters
    ----------
    share
        The share of segments flagged, from 0 to 1.
    seed
        For the draws.

    Raises
    ------
    SettingError
        If the share is not from 0 to 1.

    Examples
    --------
    >>> AtRandom(1.0).flags("ab")
    (True, True)
    """

    share: float
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise SettingError(f"the share is {self.share}; expected a number from 0 to 1")
        self._draws = random.Random(self.seed)

    @classmethod
    def once_a_recording(cls, demonstrations: Demonstrations, seed: int = 0) -> AtRandom:
        """Flag one segment a recording on average, if it may be cut anywhere."""
        segments = sum((len(recording) + 1) / 2 for recording in demonstrations)
        return cls(len(demonstrations) / segments, seed)

    def flags(self, steps: Sequence[str]) -> tuple[bool, ...]:
        """Return which segments the draw has met."""
        return tuple(self._draws.random() < self.share for _ in steps)


ALWAYS_MISTAKE = FromPosition(1)
"""Control: everything is a mistake."""
ALWAYS_CORRECT = FromPosition(None)
"""Control: nothing is."""
