"""What each move of an alignment costs."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

from stepgraph.errors import SettingError, UnknownNameError

Kind = Literal["done", "skipped", "inserted"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Costs:
    """What a move costs, by its kind and, where that matters, by its step.

    Parameters
    ----------
    done
        A step that the recording has where the graph allows it.
    skipped
        A step of the graph that the recording lacks there; an optional one costs nothing.
    inserted
        A step of the recording for which the graph has no place there.
    steps
        Other costs for single steps, by (kind, step).

    Raises
    ------
    SettingError
        If a cost is negative or no finite number.
    UnknownNameError
        If there is no such kind of move.

    Examples
    --------
    >>> costs = Costs(steps={("skipped", "switch off the gas"): 10})
    >>> costs.of("skipped", "switch off the gas"), costs.of("skipped", "stir")
    (10.0, 1.0)
    """

    done: float = 0.0
    skipped: float = 1.0
    inserted: float = 1.0
    steps: Mapping[tuple[Kind, str], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for kind in KINDS:
            object.__setattr__(self, kind, _cost(getattr(self, kind), kind))
        for kind, _ in self.steps:
            if kind not in KINDS:
                raise UnknownNameError("kind of move", str(kind), KINDS)
        own = {
            (kind, step): _cost(value, f"{kind} of {step!r}")
            for (kind, step), value in self.steps.items()
        }
        object.__setattr__(self, "steps", MappingProxyType(own))

    def of(self, kind: Kind, step: str) -> float:
        """Return what a move costs."""
        own = self.steps.get((kind, step))
        return float(getattr(self, kind)) if own is None else own

    def check(self, steps: Collection[str]) -> None:
        """Check that every step that is to be done or skipped at a cost is one of a graph.

        Raises
        ------
        UnknownNameError
            If one is not; inserting may have a cost for any step.
        """
        for kind, step in self.steps:
            if kind != "inserted" and step not in steps:
                raise UnknownNameError("step", step, steps, f"the cost of {kind!r}")


def _cost(value: float, about: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise SettingError(f"the cost of {about} is {value!r:.40}; expected a number from 0 on")
    return number
