"""How to learn: the method and all that it is told, checked once."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

from stepgraph.errors import SettingError
from stepgraph.graph import NO_CONSTRAINTS, Constraints, Edge, TaskGraph
from stepgraph.learners import LEARNERS, Learner, get_learner

DEFAULT_METHOD = "robust"
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True)
class LearningOptions:
    """How to learn a graph.

    Parameters
    ----------
    method
        A name in `stepgraph.learners.LEARNERS`.
    settings
        The method's settings.
    seed
        For methods that draw at random.
    threshold, relaxed
        For post-processing; see `stepgraph.postprocess.to_graph`.
    with_mistakes
        Whether to learn also from recordings with marked mistakes.
    constraints
        What the graph obeys, whatever the recordings say. Edges need a method that takes them.
    explain
        Pairs (step, precondition); for each, `Learning.explanations` says why the step needs the
        other one, or why it does not.

    Raises
    ------
    UnknownNameError
        If there is no such method or setting; the message names the nearest.
    SettingError
        If a value cannot be, or the method takes no constraints.
    MissingExtraError
        If the method's optional dependency is not installed.

    Examples
    --------
    >>> LearningOptions("intersection", {"repetitions": "last"}).learner().name
    'intersection'
    """

    method: str = DEFAULT_METHOD
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    threshold: float | None = None
    relaxed: bool = False
    with_mistakes: bool = False
    constraints: Constraints = NO_CONSTRAINTS
    explain: tuple[Edge, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", dict(self.settings))
        object.__setattr__(self, "explain", tuple(self.explain))
        if not (isinstance(self.seed, Integral) and 0 <= self.seed <= LARGEST_SEED):
            raise SettingError(
                f"the seed is {self.seed!r}; expected a whole number from 0 to {LARGEST_SEED}"
            )
        limit = self.threshold
        if limit is not None and not (isinstance(limit, Real) and 0 <= limit < math.inf):
            raise SettingError(f"the threshold is {limit!r}; expected a number from 0 on")
        if not isinstance(self.constraints, Constraints):
            raise SettingError(
                f"constraints is {self.constraints!r:.80}; expected Constraints(must=[...])"
            )
        self.learner()

    @classmethod
    def of_graph(cls, graph: TaskGraph) -> LearningOptions:
        """Return the options that a graph was learned with, as it says itself.

        Edges that were pinned since are left out for a method that takes none.

        Raises
        ------
        UnknownNameError, SettingError
            If it does not say with which method, or says what cannot be.
        """
        known = graph.provenance
        constraints = graph.constraints
        if known.method in LEARNERS and not takes_constraints(known.method):
            constraints = Constraints(
                optional=constraints.optional, mandatory=constraints.mandatory
            )
        return cls(
            known.method,
            {name: _from_plain(name, value) for name, value in known.settings.items()},
            known.seed or 0,
            known.threshold,
            known.relaxed,
            known.with_mistakes,
            constraints,
        )

    def learner(self) -> Learner:
        """Return the method with its settings."""
        settings = dict(self.settings)
        if self.constraints.required or self.constraints.never:
            if self.method in LEARNERS and not takes_constraints(self.method):
                raise SettingError(
                    f"the method {self.method!r} takes no must or never; use method='robust' or "
                    "method='fusion'"
                )
            settings["constraints"] = self.constraints
        return get_learner(self.method, **settings)

    def plain_settings(self) -> dict[str, Any]:
        """Return the settings as plain JSON values, without what is secret."""
        fields = dataclasses.fields(LEARNERS[self.method].load())
        secret = {entry.name for entry in fields if entry.metadata.get("secret")}
        return {
            name: _as_plain(value)
            for name, value in sorted(self.settings.items())
            if name not in secret
        }


def takes_constraints(method: str) -> bool:
    """Return whether a method can be told which edges must and must not be."""
    return any(entry.name == "constraints" for entry in dataclasses.fields(LEARNERS[method].load()))


def _as_plain(value: Any) -> Any:
    """Return a setting as plain JSON values: a graph by its edges between steps."""
    if isinstance(value, TaskGraph):
        return {step: list(value.preconditions_of(step)) for step in value.steps}
    if isinstance(value, list | tuple):
        return [_as_plain(item) for item in value]
    return value if isinstance(value, bool | int | float) else str(value)


def _from_plain(name: str, value: Any) -> Any:
    """Return a setting from what `_as_plain` made of it."""
    if name == "prior" and isinstance(value, Mapping):
        return TaskGraph.from_preconditions(value)
    return value
