"""The interface of every learner: its settings and their checks, its result, its progress."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from stepgraph.errors import SettingError
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import Demonstrations

Choice = TypeVar("Choice", bound=StrEnum)


def one_of(name: str, value: Any, choices: type[Choice]) -> Choice:
    """Return the choice that a value names."""
    try:
        return choices(value)
    except ValueError:
        expected = ", ".join(choice.value for choice in choices)
        raise SettingError(f"{name} is {value!r}; expected one of {expected}") from None


def check_number(name: str, value: Any, *, low: float, above: bool = False) -> None:
    """Check that a value is a finite number, not below (or, if `above`, above) a bound."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value < low or (above and value == low):
        bound = f"above {low:g}" if above else f"from {low:g} on"
        raise SettingError(f"{name} is {value!r}; expected a number {bound}")


def check_whole(name: str, value: Any, *, low: int) -> None:
    """Check that a value is a whole number, not below a bound."""
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        raise SettingError(f"{name} is {value!r}; expected a whole number from {low} on")


def check_flag(name: str, value: Any) -> None:
    """Check that a value is True or False."""
    if not isinstance(value, bool):
        raise SettingError(f"{name} is {value!r}; expected True or False")


Progress = Callable[[int, int, str], None]
"""Called with the amount done, the total, and a description of the work."""


def no_progress(done: int, total: int, what: str) -> None:
    """Ignore progress."""


@dataclass(frozen=True)
class Curve:
    """The course of a training: the quantity that a method minimises, round by round.

    Parameters
    ----------
    what
        The name of that quantity.
    rounds
        The name of a round, such as "epoch".
    values
        One value for each round, the first round first.
    """

    what: str
    rounds: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Learned:
    """The result of a learner.

    Parameters
    ----------
    adjacency
        The weighted edges.
    notes
        Sentences about what the learner merged or left out.
    facts
        Figures about the run, such as the number of epochs.
    confidence
        The probability that each step (row) needs each other step (column), directly or through
        others; None where the method does not estimate it.
    trust
        For each recording, the probability that one of its steps is in turn; None where the method
        does not estimate it.
    unconstrained
        The weighted edges without the constraints; None without constraints.
    """

    adjacency: WeightedAdjacency
    notes: tuple[str, ...] = ()
    facts: Mapping[str, float] = field(default_factory=dict)
    confidence: WeightedAdjacency | None = None
    trust: tuple[float, ...] | None = None
    unconstrained: WeightedAdjacency | None = None


@dataclass(frozen=True)
class Preset:
    """Settings of a method that go together.

    Parameters
    ----------
    about
        Where they come from, in one line.
    settings
        The settings; those left out have their defaults.
    """

    about: str
    settings: Mapping[str, Any]

    def overruled(self, settings: Mapping[str, Any]) -> list[str]:
        """Return a note for each setting of a user that contradicts the preset.

        Parameters
        ----------
        settings
            The settings of the user.
        """
        return [
            f"{name} is {_plain(settings[name])}; the preset has {_plain(value)}"
            for name, value in self.settings.items()
            if name in settings and settings[name] != value
        ]


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Learner(ABC):
    """A method that learns weighted edges from demonstrations.

    A subclass is a frozen dataclass: its fields are its settings. It implements `learn`. A method
    that gains from seeing many procedures or seeds at once also overrides `learn_many`.

    Parameters
    ----------
    repetitions
        Which occurrence of a repeated step counts.
    """

    name: ClassVar[str]
    seeded: ClassVar[bool] = False
    """Whether the result depends on the seed."""
    counts_all: ClassVar[bool] = False
    """Whether the method can count every occurrence of a repeated step."""
    presets: ClassVar[Mapping[str, Preset]] = MappingProxyType({})
    """Settings that go together, by name."""
    departures: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """For each setting whose default is not the paper's, the reason in one line."""

    repetitions: Repetitions = Repetitions.FIRST

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "repetitions", one_of("repetitions", self.repetitions, Repetitions)
        )
        if self.repetitions is Repetitions.ALL and not self.counts_all:
            others = ", ".join(one.value for one in Repetitions if one is not Repetitions.ALL)
            raise SettingError(
                f"repetitions is 'all', which only 'count-based' can use; expected one of {others}"
            )

    @property
    def learns_from_all(self) -> bool:
        """Whether the method learns procedures from each other and so needs all at once."""
        return False

    @abstractmethod
    def learn(self, demonstrations: Demonstrations, *, seed: int = 0) -> Learned:
        """Learn the weights of one procedure.

        Parameters
        ----------
        demonstrations
            The procedure's recordings.
        seed
            For methods that draw at random; the others ignore it.
        """

    def training_curve(
        self,
        demonstrations: Demonstrations,  # noqa: ARG002 - for those that train
        *,
        seed: int = 0,  # noqa: ARG002
    ) -> Curve | None:
        """Train on one procedure and return the curve; None for a method that does not train.

        The training is the one that `learn` does with the same seed. Methods that train override
        this.

        Parameters
        ----------
        demonstrations, seed
            As for `learn`.
        """
        return None

    def different(self, seeds: Sequence[int]) -> Sequence[int]:
        """Return the seeds that may give different results: one, if nothing is drawn."""
        return seeds if self.seeded or self.repetitions.draws else seeds[:1]

    def learn_many(
        self,
        procedures: Sequence[Demonstrations],
        *,
        seeds: Sequence[int] = (0,),
        progress: Progress = no_progress,
    ) -> list[list[Learned]]:
        """Learn several procedures, each with several seeds.

        Returns
        -------
        list
            For each procedure and each seed, the result of `learn`.
        """
        results = []
        for done, demonstrations in enumerate(procedures):
            progress(done, len(procedures), f"learning {demonstrations.procedure}")
            found = [self.learn(demonstrations, seed=seed) for seed in self.different(seeds)]
            results.append(found if len(found) == len(seeds) else found * len(seeds))
        progress(len(procedures), len(procedures), "learned")
        return results
