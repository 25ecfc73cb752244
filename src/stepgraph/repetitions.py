"""Policies for steps that a recording repeats.

The paper's likelihood is defined over sequences without repetition. A `Repetitions` policy turns
each recording into one or more such sequences. `RepetitionFree` holds these and notes on what was
merged or left out.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from stepgraph.errors import SettingError
from stepgraph.sequences import Demonstrations, KeyStepSequence, in_words

EXPANSION_LIMIT = 64
"""Maximum number of sequences in the expansion of one recording; a sample represents more."""


class Repetitions(StrEnum):
    """Which occurrence of a repeated step counts."""

    FIRST = "first"
    """The first occurrence: when was the step done for the first time?"""
    LAST = "last"
    """The last occurrence: when was the step done for good?"""
    EXPAND = "expand"
    """Each occurrence in turn, as in the paper: ABCAD gives ABCD and BCAD."""
    RANDOM = "random"
    """A random occurrence, drawn anew each epoch if the learner has epochs."""
    AUGMENT = "augment"
    """The first, the last and a random occurrence, a sequence each, as the paper's released code
    does with noisy recordings; of random ones, the later the likelier."""

    ALL = "all"
    """Every occurrence; for methods that count which step follows which."""

    @property
    def draws(self) -> bool:
        """Whether the policy draws at random."""
        return self in (Repetitions.RANDOM, Repetitions.AUGMENT)


_COUNTED = {
    Repetitions.FIRST: "the first time counts",
    Repetitions.LAST: "the last time counts",
    Repetitions.EXPAND: "each time counts in turn",
    Repetitions.RANDOM: "one time, drawn at random, counts",
    Repetitions.AUGMENT: "the first, the last and a random time count in turn",
}


@dataclass(frozen=True)
class RepetitionFree:
    """Sequences without repetition, in node numbers, with notes.

    Parameters
    ----------
    sequences
        The distinct sequences, in the order of the recordings.
    counts
        Number of recordings behind each. Direct Optimization and the paper's baselines but one
        count each sequence once, as the published ones do.
    merged
        Number of sequences equal to an earlier one.
    on_repetitions
        Sentences about repeated steps.
    """

    sequences: tuple[tuple[int, ...], ...]
    counts: tuple[float, ...]
    merged: int = 0
    on_repetitions: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for learners that count each sequence once."""
        if not self.merged:
            return self.on_repetitions
        total = self.merged + len(self.sequences)
        are = "is" if self.merged == 1 else "are"
        same = f"{self.merged} of {total} sequences {are} the same as another one"
        return (*self.on_repetitions, f"{same}; equal ones are taken together")


def without_repetitions(
    demonstrations: Demonstrations,
    policy: Repetitions = Repetitions.FIRST,
    *,
    seed: int = 0,
    limit: int = EXPANSION_LIMIT,
) -> RepetitionFree:
    """Turn demonstrations into distinct sequences without repetition.

    Parameters
    ----------
    demonstrations
        The recordings.
    policy
        Which occurrence of a repeated step counts.
    seed
        The seed of the random policy, and of the sample if an expansion exceeds the limit.
    limit
        Maximum number of sequences in the expansion of one recording, at least 2. The first and the
        last occurrences are always among them.

    Raises
    ------
    SettingError
        If the limit is below 2, or the policy keeps every occurrence.

    Examples
    --------
    >>> abcad = Demonstrations.from_steps(["ABCAD"])
    >>> without_repetitions(abcad, Repetitions.EXPAND).sequences
    ((1, 2, 3, 4), (2, 3, 1, 4))
    """
    if policy is Repetitions.ALL:
        raise SettingError("repetitions is 'all'; expected a choice of one occurrence")
    if limit < 2:
        raise SettingError(f"the limit of an expansion is {limit}; expected 2 or more")
    rng = random.Random(seed)
    produced: dict[tuple[int, ...], float] = {}
    made = 0
    notes: list[str] = []
    repeating = 0.0
    for recording in demonstrations:
        if not recording.has_repetitions:
            sequences = [recording.steps]
        else:
            repeating += recording.weight
            sequences, possible = _kept(recording, policy, rng, limit)
            if possible > limit:
                notes.append(
                    f"recording {recording.id!r} expands to {possible} choices of occurrences; "
                    f"{len(sequences)} of them are used, the first and the last among them"
                )
        made += len(sequences)
        for steps in sequences:
            produced[steps] = produced.get(steps, 0.0) + recording.weight
    if repeating:
        number, total = in_words(repeating), in_words(demonstrations.total_weight)
        who = f"all {total}" if number == total != "1" else f"{number} of {total}"
        repeat = "repeats" if number == "1" else "repeat"
        notes.insert(
            0,
            f"{who} recordings {repeat} steps; {_COUNTED[policy]} (repetitions=WHICH changes that)",
        )
    return RepetitionFree(
        tuple(produced), tuple(produced.values()), made - len(produced), tuple(notes)
    )


def first_occurrences(steps: Iterable[int]) -> tuple[int, ...]:
    """Keep the first occurrence of each step."""
    return tuple(dict.fromkeys(steps))


def last_occurrences(steps: tuple[int, ...]) -> tuple[int, ...]:
    """Keep the last occurrence of each step."""
    return tuple(reversed(dict.fromkeys(reversed(steps))))


def random_occurrences(steps: tuple[int, ...], rng: random.Random) -> tuple[int, ...]:
    """Keep one occurrence of each step, each equally likely."""
    return _at({step: rng.choice(positions) for step, positions in _positions(steps).items()})


def late_occurrences(steps: tuple[int, ...], rng: random.Random) -> tuple[int, ...]:
    """Keep one occurrence of each step, half of the time the last one.

    At each further occurrence a coin decides whether the step moves there, as in the paper's
    released code.
    """
    position_of: dict[int, int] = {}
    for position, step in enumerate(steps):
        if step not in position_of or rng.random() < 0.5:
            position_of[step] = position
    return _at(position_of)


def _kept(
    recording: KeyStepSequence, policy: Repetitions, rng: random.Random, limit: int
) -> tuple[list[tuple[int, ...]], int]:
    """Return the sequences of a recording, and how many ways there are to choose occurrences."""
    steps = recording.steps
    if policy is Repetitions.EXPAND:
        return _expand(recording, rng, limit)
    if policy is Repetitions.FIRST:
        return [first_occurrences(steps)], 1
    if policy is Repetitions.LAST:
        return [last_occurrences(steps)], 1
    if policy is Repetitions.RANDOM:
        return [random_occurrences(steps, rng)], 1
    found = [first_occurrences(steps), last_occurrences(steps), late_occurrences(steps, rng)]
    return list(dict.fromkeys(found)), 1


def _expand(
    recording: KeyStepSequence, rng: random.Random, limit: int
) -> tuple[list[tuple[int, ...]], int]:
    # The choice between occurrences in a row makes no difference.
    steps = tuple(step for step, _ in itertools.groupby(recording.steps))
    positions = _positions(steps)
    possible = math.prod(len(places) for places in positions.values())
    if possible <= limit:
        choices = itertools.product(*positions.values())
        found = [_at(dict(zip(positions, choice, strict=True))) for choice in choices]
    else:
        found = [first_occurrences(steps), last_occurrences(steps)]
        found += [random_occurrences(steps, rng) for _ in range(limit - len(found))]
    return list(dict.fromkeys(found)), possible


def _positions(steps: tuple[int, ...]) -> dict[int, list[int]]:
    positions: dict[int, list[int]] = {}
    for position, step in enumerate(steps):
        positions.setdefault(step, []).append(position)
    return positions


def _at(position_of: dict[int, int]) -> tuple[int, ...]:
    return tuple(sorted(position_of, key=position_of.__getitem__))
