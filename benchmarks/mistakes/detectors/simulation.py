"""Mistakes put into recordings that have none, and the noise of a recogniser.

Training recordings hold no mistakes, so a threshold can only be set on simulated ones: a clean
recording is followed up to some place, and there something else is done. The kinds are those
that the paper names: order, omission, correction and repetition, and anything at all.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

Nodes = tuple[int, ...]


def _early(steps: Nodes, place: int, size: int, rng: random.Random) -> Nodes | None:  # noqa: ARG001
    """Omission, and the first half of a wrong order: a step of later on is done now."""
    done = steps[:place]
    later = [x for x in steps[place + 1 :] if x not in done and x != steps[place]]
    return (*done, rng.choice(later)) if later else None


def _late(steps: Nodes, place: int, size: int, rng: random.Random) -> Nodes | None:  # noqa: ARG001
    """Correction: a step was left out, and is made good now."""
    earlier = sorted(set(steps[: max(place - 1, 0)]))
    if not earlier:
        return None
    step = rng.choice(earlier)
    done = merged([x for x in steps[:place] if x != step])
    return (*done, step) if done else None


def _repeat(steps: Nodes, place: int, size: int, rng: random.Random) -> Nodes | None:  # noqa: ARG001
    """Repetition: a step is done again."""
    done = steps[:place]
    again = [x for x in done[:-1] if x not in (steps[place], done[-1])]
    return (*done, rng.choice(again)) if again else None


def _wrong(steps: Nodes, place: int, size: int, rng: random.Random) -> Nodes | None:
    """Anything: any other step of the vocabulary is done."""
    done = steps[:place]
    others = [x for x in range(1, size + 1) if x != steps[place] and x not in done[-1:]]
    return (*done, rng.choice(others)) if others else None


MISTAKES: Mapping[str, Callable[[Nodes, int, int, random.Random], Nodes | None]] = MappingProxyType(
    {"early": _early, "late": _late, "repeat": _repeat, "wrong": _wrong}
)
"""Kinds of mistakes: from a recording, a place in it, the number of steps and a source of
randomness to the steps up to and including the mistake; None where it cannot happen there."""


def with_mistakes(steps: Nodes, size: int, rng: random.Random) -> list[Nodes]:
    """Return the recording cut at a mistake, once for every place and kind.

    Parameters
    ----------
    steps
        A recording without mistakes, as node numbers.
    size
        How many steps the vocabulary has.
    rng
        For which step is done instead.
    """
    made = (
        make(steps, place, size, rng) for place in range(len(steps)) for make in MISTAKES.values()
    )
    return [cut for cut in made if cut is not None]


def perturb(steps: Sequence[int], rate: float, choices: Sequence[int], rng: random.Random) -> Nodes:
    """Return steps as a poor recogniser would report them (paper, Figure 5).

    Each step is perturbed with some probability, in one of three ways alike: a random step is
    inserted after it, it is deleted, or it is replaced by a random step. Something always
    remains: where everything would go, the last step stays.

    Parameters
    ----------
    steps
        What was done.
    rate
        The probability that a step is perturbed.
    choices
        What a random step is drawn from.
    rng
        For all draws.
    """
    seen: list[int] = []
    for step in steps:
        if rng.random() >= rate:
            seen.append(step)
            continue
        way = rng.randrange(3)
        if way == 0:
            seen += [step, rng.choice(choices)]
        elif way == 1:
            seen.append(rng.choice(choices))
    return tuple(seen) or tuple(steps[-1:])


def merged(steps: Sequence[int]) -> Nodes:
    """Return equal steps in a row as one, as recognisers report them."""
    return tuple(step for step, _ in itertools.groupby(steps))
