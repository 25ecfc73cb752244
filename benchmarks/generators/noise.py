"""What people get wrong when they show a procedure: orders disturbed at known rates.

A `Demonstrator` makes each kind of error at a rate of its own; `Noise` is a crowd of careful
and careless ones. Every disturbance is marked on the recording, so that the truth is known.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

from stepgraph.errors import SettingError
from stepgraph.sequences import KeyStepSequence


@dataclass(frozen=True)
class Demonstrator:
    """How often a person makes each kind of error: the chance at each step of an order.

    Errors are made one kind after the other, in the order of the parameters.

    Parameters
    ----------
    skipped
        The step is left out. Where all would be, one is not.
    swapped
        The step changes places with the one after it; the next chance is after both.
    exchanged
        The step changes places with any other one, each equally likely.
    repeated
        The step is done once more, anywhere after its own place.
    inserted
        Before the step another one of the procedure is done that does not belong there: any
        but the two neighbours. It is also done at its own place.
    unknown
        Before the step something is done that is no step of the procedure.

    Raises
    ------
    SettingError
        If a rate is not between 0 and 1.
    """

    skipped: float = 0.0
    swapped: float = 0.0
    exchanged: float = 0.0
    repeated: float = 0.0
    inserted: float = 0.0
    unknown: float = 0.0

    def __post_init__(self) -> None:
        for rate in fields(self):
            _check_share(f"the rate of {rate.name} steps", getattr(self, rate.name))

    @classmethod
    def even(cls, rate: float) -> Demonstrator:
        """Return one who makes all errors within the procedure equally often.

        Parameters
        ----------
        rate
            The sum of the five rates: about the share of steps at which something goes wrong.

        Examples
        --------
        >>> Demonstrator.even(0.1).skipped
        0.02
        """
        _check_share("the rate of errors", rate)
        return cls(*[rate / 5] * 5)

    def show(
        self,
        order: Sequence[int],
        rng: random.Random,
        *,
        id: str,  # noqa: A002 - as KeyStepSequence calls it
        steps: int | None = None,
        unknown_steps: int = 0,
    ) -> KeyStepSequence:
        """Do the steps in an order, with errors.

        Parameters
        ----------
        order
            Node numbers; some may repeat, as part of the procedure.
        rng
            Where chance comes from.
        id
            What the recording is called.
        steps
            How many steps the procedure has: nodes 1 to this are inserted; by default as many
            as the order.
        unknown_steps
            How many things there are to do that are no step of the procedure: the nodes after
            the last step.

        Returns
        -------
        KeyStepSequence
            `skipped` lists the steps that were left out, `mistakes` marks all other
            disturbances by the names of the rates: both steps of a swap or an exchange, the
            second time of a repetition, what was inserted. A swap is marked also where the
            graph leaves the two steps free and no harm is done.

        Raises
        ------
        SettingError
            If something unknown is to be done and there is nothing unknown.
        """
        if self.unknown and unknown_steps < 1:
            raise SettingError(
                f"the rate of unknown steps is {self.unknown}, and there are "
                f"{unknown_steps} unknown steps; expected 1 or more"
            )
        last = len(order) if steps is None else steps
        done, skipped = _skip(list(order), self.skipped, rng)
        recording = [_Done(step) for step in done]
        _swap(recording, self.swapped, rng)
        _exchange(recording, self.exchanged, rng)
        _repeat(recording, self.repeated, rng)
        _insert(recording, self.inserted, rng, range(1, last + 1), "inserted")
        _insert(recording, self.unknown, rng, range(last + 1, last + 1 + unknown_steps), "unknown")
        return KeyStepSequence(
            id,
            tuple(entry.step for entry in recording),
            mistakes=tuple(" and ".join(entry.marks) or None for entry in recording),
            skipped=tuple(skipped),
        )


@dataclass(frozen=True)
class Noise:
    """A crowd of demonstrators, careful and careless.

    Parameters
    ----------
    careful
        How the careful ones err.
    careless
        How the careless ones err.
    careless_share
        The chance that a recording is shown by a careless one.
    unknown_steps
        How many different things there are to do that are no step of the procedure.

    Raises
    ------
    SettingError
        If the share is not between 0 and 1, or somebody is to do unknown steps and there are
        none.

    Examples
    --------
    >>> noise = Noise.mixed(0.1)
    >>> round(noise.careful.swapped, 4), round(noise.careless.swapped, 4)
    (0.0133, 0.04)
    """

    careful: Demonstrator = field(default_factory=Demonstrator)
    careless: Demonstrator = field(default_factory=Demonstrator)
    careless_share: float = 0.0
    unknown_steps: int = 3

    def __post_init__(self) -> None:
        _check_share("the share of careless demonstrators", self.careless_share)
        if self.unknown_steps < 1 and (self.careful.unknown or self.careless.unknown):
            raise SettingError(
                f"the number of unknown steps is {self.unknown_steps}; expected 1 or more, as "
                "their rate is above 0"
            )

    @classmethod
    def mixed(
        cls, rate: float, *, careless_share: float = 0.25, careless_factor: float = 3.0
    ) -> Noise:
        """Return a crowd in which all errors within the procedure are equally frequent.

        Parameters
        ----------
        rate
            The rate of errors of the whole crowd, summed over the five kinds.
        careless_share
            The share of careless demonstrators.
        careless_factor
            How many times as often as a careful one a careless one errs.

        Raises
        ------
        SettingError
            If careless demonstrators would err at more than every step.
        """
        careful = rate / (1 + careless_share * (careless_factor - 1))
        careless = careless_factor * careful
        _check_share("the rate of errors of a careless demonstrator", careless)
        return cls(Demonstrator.even(careful), Demonstrator.even(careless), careless_share)


def disturb(
    orders: Iterable[Sequence[int]], noise: Noise, seed: int, *, steps: int | None = None
) -> tuple[KeyStepSequence, ...]:
    """Let a crowd of demonstrators show orders, each with errors of its own.

    Parameters
    ----------
    orders
        Node numbers, each once.
    noise
        Who shows them.
    seed
        The same seed gives the same recordings.
    steps
        How many steps the procedure has; by default as many as each order.

    Returns
    -------
    tuple
        One recording an order, called by its number and by who showed it, with every
        disturbance marked as `Demonstrator.show` says.

    Examples
    --------
    >>> (recording,) = disturb([(1, 2, 3, 4)], Noise(Demonstrator(skipped=0.3)), seed=2)
    >>> recording.id, recording.steps, recording.skipped
    ('1 careful', (1, 3, 4), (2,))
    """
    rng = random.Random(f"noise {seed}")
    recordings = []
    for number, order in enumerate(orders, start=1):
        careless = rng.random() < noise.careless_share
        demonstrator = noise.careless if careless else noise.careful
        # A generator of its own for each recording: an error in one changes none of the others.
        recordings.append(
            demonstrator.show(
                order,
                random.Random(rng.getrandbits(64)),
                id=f"{number} {'careless' if careless else 'careful'}",
                steps=steps,
                unknown_steps=noise.unknown_steps,
            )
        )
    return tuple(recordings)


class _Done:
    """A step on the way to a recording, with the marks of what went wrong."""

    __slots__ = ("marks", "step")

    def __init__(self, step: int, mark: str = "") -> None:
        self.step = step
        self.marks = [mark] if mark else []


def _skip(order: list[int], rate: float, rng: random.Random) -> tuple[list[int], list[int]]:
    chances = [rng.random() < rate for _ in order]
    if all(chances):
        chances[rng.randrange(len(order))] = False  # a recording shows at least one step
    done = [step for step, skipped in zip(order, chances, strict=True) if not skipped]
    left_out = dict.fromkeys(step for step, skipped in zip(order, chances, strict=True) if skipped)
    return done, [step for step in left_out if step not in done]


def _swap(recording: list[_Done], rate: float, rng: random.Random) -> None:
    place = 0
    while place + 1 < len(recording):
        if rng.random() < rate:
            _change_places(recording, place, place + 1, "swapped")
            place += 1
        place += 1


def _exchange(recording: list[_Done], rate: float, rng: random.Random) -> None:
    for place in range(len(recording)):
        if rng.random() < rate and len(recording) > 1:
            other = rng.choice([other for other in range(len(recording)) if other != place])
            _change_places(recording, place, other, "exchanged")


def _change_places(recording: list[_Done], place: int, other: int, mark: str) -> None:
    recording[place], recording[other] = recording[other], recording[place]
    for entry in (recording[place], recording[other]):
        if mark not in entry.marks:
            entry.marks.append(mark)


def _repeat(recording: list[_Done], rate: float, rng: random.Random) -> None:
    for entry in [entry for entry in recording if rng.random() < rate]:
        place = rng.randint(recording.index(entry) + 1, len(recording))
        recording.insert(place, _Done(entry.step, "repeated"))


def _insert(
    recording: list[_Done], rate: float, rng: random.Random, steps: range, mark: str
) -> None:
    for place in reversed([place for place in range(len(recording)) if rng.random() < rate]):
        neighbours = {entry.step for entry in recording[max(place - 1, 0) : place + 1]}
        possible = [step for step in steps if step not in neighbours]
        if possible:
            recording.insert(place, _Done(rng.choice(possible), mark))


def _check_share(what: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise SettingError(f"{what} is {value:g}; expected a number from 0 to 1")
