"""Constraints: decisions of people about a graph, whatever the recordings show.

`Constraints` travels with a `TaskGraph`. Learning obeys it, learning again keeps it, and drawings,
advice, the studio and reports distinguish required edges from learned ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stepgraph.errors import CycleError, InputError, SettingError, UnknownNameError
from stepgraph.graph.edges import Edge, find_path
from stepgraph.graph.evidence import StepAttributes
from stepgraph.graph.rules import Choice, Undoing, among, by_step

EDGES = ("must", "never", "pinned")
STEPS = ("optional", "mandatory")
Alternatives = Sequence[str | Sequence[str]]


@dataclass(frozen=True)
class Constraints:
    """Decisions of a person about edges (step, precondition) and steps.

    Parameters
    ----------
    must
        Edges that the graph must imply, set for learning.
    never
        Edges that it must not imply.
    pinned
        Edges fixed by hand in a finished graph; learning again treats them as `must`.
    optional, mandatory
        Steps that may be left out, and steps that must not.
    one_of
        Choices: the alternatives of each, an alternative being a step or a list of them.
    undoes
        Pairs of a step and a step, or a list of them, that it undoes.

    Raises
    ------
    SettingError
        If a value is not a pair of names or a name, or a step is both optional and mandatory.
    GraphError
        If a choice has fewer than two alternatives or a step in two of them, or a step undoes
        itself.

    Examples
    --------
    >>> Constraints(must=[("mix", "egg")], pinned=[("bake", "mix")]).required
    (('mix', 'egg'), ('bake', 'mix'))
    >>> Constraints(one_of=[("scrap", ["pack", "ship"])], undoes=[("repair", "test")]).one_of
    ((('scrap',), ('pack', 'ship')),)
    """

    must: Sequence[Edge] = ()
    never: Sequence[Edge] = ()
    pinned: Sequence[Edge] = ()
    optional: Sequence[str] = ()
    mandatory: Sequence[str] = ()
    one_of: Sequence[Alternatives] = ()
    undoes: Sequence[tuple[str, str | Sequence[str]]] = ()

    def __post_init__(self) -> None:
        for name in EDGES:
            object.__setattr__(self, name, _edges(name, getattr(self, name)))
        for name in STEPS:
            object.__setattr__(self, name, _steps(name, getattr(self, name)))
        for step in self.optional:
            if step in self.mandatory:
                raise SettingError(f"{step!r} is both optional and mandatory; expected one of them")
        object.__setattr__(
            self, "one_of", tuple(map(_alternatives, _listed("one_of", self.one_of)))
        )
        object.__setattr__(self, "undoes", tuple(map(_undoing, _listed("undoes", self.undoes))))
        # Both check what they are given.
        for made in (self.choices, self.undoings):
            tuple(made)

    def __bool__(self) -> bool:
        return any(vars(self).values())

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The choices of `one_of`."""
        return tuple(Choice(alternatives) for alternatives in self.one_of)

    @property
    def undoings(self) -> tuple[Undoing, ...]:
        """The undoings of `undoes`."""
        return by_step(Undoing(step, undone) for step, undone in self.undoes)

    @property
    def required(self) -> tuple[Edge, ...]:
        """The edges that the graph implies: `must` and `pinned`."""
        return tuple(dict.fromkeys((*self.must, *self.pinned)))

    @property
    def steps(self) -> tuple[str, ...]:
        """All steps in the constraints, each once."""
        ends = (name for edge in (*self.required, *self.never) for name in edge)
        chosen = (step for choice in self.choices for step in choice.steps)
        undoing = (step for own in self.undoings for step in (own.step, *own.undone))
        return tuple(dict.fromkeys((*ends, *self.optional, *self.mandatory, *chosen, *undoing)))

    def among(self, steps: Collection[str]) -> Constraints:
        """Return the constraints on these steps alone."""
        edges = {
            name: tuple(edge for edge in getattr(self, name) if set(edge) <= set(steps))
            for name in EDGES
        }
        marks = {
            name: tuple(step for step in getattr(self, name) if step in steps) for name in STEPS
        }
        choices, undoings = among(self.choices, self.undoings, set(steps))
        return Constraints(
            **edges,
            **marks,
            one_of=[choice.alternatives for choice in choices],
            undoes=[(own.step, own.undone) for own in undoings],
        )

    def joined(self, other: Constraints) -> Constraints:
        """Return these constraints and others."""
        return Constraints(
            **{name: (*one, *getattr(other, name)) for name, one in vars(self).items()}
        )

    def without(self, edge: Edge) -> Constraints:
        """Return the constraints without those on an edge."""
        return replace(
            self,
            **{name: tuple(e for e in getattr(self, name) if e != edge) for name in EDGES},
        )

    def marked(self, step: str, *, optional: bool | None) -> Constraints:
        """Return the constraints with a step optional, mandatory or, with None, unmarked."""
        kept = {name: tuple(one for one in getattr(self, name) if one != step) for name in STEPS}
        if optional is not None:
            kept["optional" if optional else "mandatory"] += (step,)
        return replace(self, **kept)

    def mark(self, attributes: Mapping[str, StepAttributes]) -> dict[str, StepAttributes]:
        """Return the attributes of steps, with the optional and mandatory marks applied."""
        marked = dict(attributes)
        for optional, steps in ((True, self.optional), (False, self.mandatory)):
            for step in steps:
                known = marked.get(step, StepAttributes())
                marked[step] = replace(known, optional=optional)
        return marked

    def check(self, steps: Collection[str]) -> None:
        """Check that a graph of these steps can obey the edges.

        Raises
        ------
        UnknownNameError
            If there is no such step.
        CycleError
            If required edges need each other.
        InputError
            If a required edge, or several together, imply one of `never`, or a required edge is
            between alternatives of a choice.
        """
        for name in self.steps:
            if name not in steps:
                raise UnknownNameError("step", name, steps)
        needs: dict[str, list[str]] = {}
        for step, needed in self.required:
            needs.setdefault(step, []).append(needed)
        for step, needed in self.required:
            if back := find_path(needs, needed, step):
                raise CycleError(back, "the must edges")
        for step, needed in self.never:
            if path := find_path(needs, step, needed):
                shown = " needs ".join(map(repr, path))
                raise InputError(
                    f"{step!r} must never need {needed!r}, but the must edges say so: {shown}; "
                    "leave one of them out"
                )
        for choice in self.choices:
            of = {step: own for own in choice.alternatives for step in own}
            for step, needed in self.required:
                if step in of and needed in of and of[step] is not of[needed]:
                    raise InputError(
                        f"{choice}: the must edges say that {step!r} needs {needed!r} of another "
                        "alternative, so that both would be done; leave one of them out"
                    )


def _edges(name: str, came: Any) -> tuple[Edge, ...]:
    pairs = (came,) if isinstance(came, str) or not isinstance(came, Iterable) else tuple(came)
    for pair in pairs:
        if not (
            isinstance(pair, tuple | list)
            and len(pair) == 2
            and all(isinstance(end, str) for end in pair)
        ):
            raise SettingError(
                f"{name} is {came!r:.80}; expected pairs (step, precondition), as in "
                f"{name}=[('mix', 'crack egg')]"
            )
    return tuple(dict.fromkeys((a, b) for a, b in pairs))


def _steps(name: str, came: Any) -> tuple[str, ...]:
    steps = (None,) if isinstance(came, str) or not isinstance(came, Iterable) else tuple(came)
    if not all(isinstance(step, str) for step in steps):
        raise SettingError(f"{name} is {came!r:.80}; expected a list of step names")
    return tuple(dict.fromkeys(steps))


def _listed(name: str, came: Any) -> list[Any]:
    if isinstance(came, str) or not isinstance(came, Iterable):
        example = "[('accept', 'reject')]" if name == "one_of" else "[('repair', 'test')]"
        raise SettingError(f"{name} is {came!r:.80}; expected a list, as in {name}={example}")
    return list(came)


def _alternatives(came: Any) -> tuple[tuple[str, ...], ...]:
    if isinstance(came, Choice):
        came = came.alternatives
    groups = [(own,) if isinstance(own, str) else own for own in _listed("one_of", came)]
    return tuple(_steps("one_of", own) for own in groups)


def _undoing(came: Any) -> tuple[str, tuple[str, ...]]:
    if isinstance(came, Undoing):
        came = came.step, came.undone
    if isinstance(came, str) or not isinstance(came, Sequence) or len(came) != 2:
        raise SettingError(
            f"undoes has {came!r:.80}; expected pairs (step, what it undoes), as in "
            "undoes=[('repair', 'test')]"
        )
    step, undone = came
    (step,) = _steps("undoes", (step,))
    return step, _steps("undoes", (undone,) if isinstance(undone, str) else undone)


NO_CONSTRAINTS = Constraints()
"""No constraints."""
