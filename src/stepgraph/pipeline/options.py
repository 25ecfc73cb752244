"""The options of learning, checked once."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

from stepgraph.errors import SettingError
from stepgraph.graph import NO_CONSTRAINTS, Constraints, Edge, TaskGraph
from stepgraph.learners import LEARNERS, Learner, get_learner, get_preset

DEFAULT_METHOD = "robust"
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True)
class LearningOptions:
    """The options of learning.

    Parameters
    ----------
    method
        A name in `stepgraph.learners.LEARNERS`.
    settings
        The method's settings.
    seed
        The seed of methods that draw at random.
    threshold, relaxed
        For post-processing; see `stepgraph.postprocess.to_graph`.
    with_mistakes
        Whether to learn also from recordings with marked mistakes.
    constraints
        Constraints on the graph. Edges need a method that takes them.
    explain
        Pairs (step, precondition); for each, `Learning.explanations` says why the step needs the
        other one, or why it does not.
    preset
        Settings of the method that go together, such as 'paper'; `settings` overrule them.

    Raises
    ------
    UnknownNameError
        If there is no such method, preset or setting; the message names the nearest.
    SettingError
        If a value is invalid, or the method takes no constraints or has no presets.
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
    preset: str | None = None

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
        for name in ("relaxed", "with_mistakes"):
            if getattr(self, name) not in (True, False):
                raise SettingError(f"{name} is {getattr(self, name)!r}; expected True or False")
        if not isinstance(self.constraints, Constraints):
            raise SettingError(
                f"constraints is {self.constraints!r:.80}; expected Constraints(must=[...])"
            )
        self.learner()

    @classmethod
    def of_graph(cls, graph: TaskGraph) -> LearningOptions:
        """Return the options of a learned graph, from its provenance.

        For a method without constraints it leaves out the pinned edges.

        Raises
        ------
        UnknownNameError, SettingError
            If the provenance names no method, or is invalid.
        """
        known = graph.provenance
        constraints = graph.constraints
        if known.method in LEARNERS and not takes(known.method, "constraints"):
            constraints = dataclasses.replace(constraints, must=(), never=(), pinned=())
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
        if self.relaxed and self.method in LEARNERS and takes(self.method, "relaxed"):
            settings["relaxed"] = True
        if self.constraints.required or self.constraints.never:
            if self.method in LEARNERS and not takes(self.method, "constraints"):
                raise SettingError(
                    f"the method {self.method!r} takes no must or never; use method='robust' or "
                    "method='fusion'"
                )
            settings["constraints"] = self.constraints
        return get_learner(self.method, preset=self.preset, **settings)

    def plain_settings(self) -> dict[str, Any]:
        """Return the settings, those of the preset too, as plain JSON values, without secrets."""
        fields = dataclasses.fields(LEARNERS[self.method].load())
        secret = {entry.name for entry in fields if entry.metadata.get("secret")}
        preset = {} if self.preset is None else get_preset(self.method, self.preset).settings
        return {
            name: _as_plain(value)
            for name, value in sorted({**preset, **self.settings}.items())
            if name not in secret
        }

    def notes(self) -> list[str]:
        """Return a note if settings contradict the preset."""
        if self.preset is None:
            return []
        overruled = get_preset(self.method, self.preset).overruled(self.settings)
        return [f"preset {self.preset!r}: {'; '.join(overruled)}"] if overruled else []


def takes(method: str, setting: str) -> bool:
    """Return whether a method has a setting."""
    return any(entry.name == setting for entry in dataclasses.fields(LEARNERS[method].load()))


def _as_plain(value: Any) -> Any:
    """Return a setting as plain JSON values: a graph by its edges between steps."""
    if isinstance(value, TaskGraph):
        return {step: list(value.preconditions_of(step)) for step in value.steps}
    if isinstance(value, list | tuple):
        return [_as_plain(item) for item in value]
    return value if isinstance(value, bool | int | float) else str(value)


def _from_plain(name: str, value: Any) -> Any:
    """Return a setting from the result of `_as_plain`."""
    if name == "prior" and isinstance(value, Mapping):
        return TaskGraph.from_preconditions(value)
    return value
