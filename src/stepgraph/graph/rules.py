"""Rules beyond preconditions: choices between steps, and steps that undo others.

Both travel with a `TaskGraph`; `stepgraph.graph.semantics` says what they mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from typing import TYPE_CHECKING

from stepgraph.errors import GraphError, UnknownNameError
from stepgraph.graph.evidence import StepAttributes

if TYPE_CHECKING:
    from stepgraph.graph.task_graph import TaskGraph


@dataclass(frozen=True)
class RuleEvidence:
    """The evidence of recordings for a choice, or for a step that undoes another.

    Parameters
    ----------
    held
        For a choice, the number of recordings that take each alternative alone. For a step that
        undoes others, the number of times that they were done again after it.
    broken
        Number of recordings that break the rule: more than one alternative, or none of a choice
        that has to be made; not done again.
    recordings
        Number of all recordings.
    probability
        The probability of the rule.

    Raises
    ------
    GraphError
        If a count is negative or not finite, or the probability is not from 0 to 1.
    """

    held: Sequence[float]
    broken: float
    recordings: float
    probability: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "held", tuple(self.held))
        for count in (*self.held, self.broken, self.recordings):
            if not 0 <= count < math.inf:
                raise GraphError(
                    f"the evidence of a rule has {count!r:.40} recordings; expected a count"
                )
        if self.probability is not None and not 0 <= self.probability <= 1:
            raise GraphError(
                f"the probability of a rule is {self.probability!r:.40}; "
                "expected a number from 0 to 1"
            )


@dataclass(frozen=True)
class Choice:
    """Alternatives of which one is done, or at most one if the choice is optional.

    Parameters
    ----------
    alternatives
        Two or more alternatives, each the names of one or several steps.
    optional
        Whether none of them need be done.
    evidence
        The evidence of recordings.

    Raises
    ------
    GraphError
        If there are fewer than two alternatives, one is empty, or a step is in two of them.

    Examples
    --------
    >>> str(Choice([["accept", "pack"], ["reject"]]))
    "one of 'accept' and 'pack', or 'reject'"
    >>> Choice([["accept"], ["accept", "pack"]])
    Traceback (most recent call last):
    stepgraph.errors.GraphError: 'accept' is in two alternatives of a choice; expected one of them
    """

    alternatives: Sequence[Sequence[str]]
    optional: bool = False
    evidence: RuleEvidence | None = None

    def __post_init__(self) -> None:
        alternatives = tuple(_names(steps) for steps in self.alternatives)
        if len(alternatives) < 2:
            named = ", ".join(repr(step) for steps in alternatives for step in steps)
            raise GraphError(
                f"a choice has {len(alternatives)} alternative{'' if alternatives else 's'}"
                f"{f', {named}' if named else ''}; expected two or more"
            )
        seen: set[str] = set()
        for steps in alternatives:
            if not steps:
                raise GraphError("a choice has an alternative without steps; expected one or more")
            for step in steps:
                if step in seen:
                    raise GraphError(
                        f"{step!r} is in two alternatives of a choice; expected one of them"
                    )
            seen |= set(steps)
        object.__setattr__(self, "alternatives", alternatives)

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps of all alternatives."""
        return tuple(step for steps in self.alternatives for step in steps)

    def __str__(self) -> str:
        *first, last = (_and(steps) for steps in self.alternatives)
        some = "at most one" if self.optional else "one"
        comma = "," if any(len(steps) > 1 for steps in self.alternatives) else ""
        return f"{some} of {', '.join(first)}{comma} or {last}"


@dataclass(frozen=True)
class Undoing:
    """A step that undoes others: they have to be done again.

    Parameters
    ----------
    step
        The step.
    undone
        The steps that count as not done once it is done.
    evidence
        The evidence of recordings.

    Raises
    ------
    GraphError
        If it undoes nothing, or itself.

    Examples
    --------
    >>> str(Undoing("repair", ["test", "seal"]))
    "'repair' undoes 'test' and 'seal'"
    """

    step: str
    undone: Sequence[str]
    evidence: RuleEvidence | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "undone", _names(self.undone))
        if not self.undone:
            raise GraphError(f"{self.step!r} is said to undo nothing; expected a step or more")
        if self.step in self.undone:
            raise GraphError(f"{self.step!r} is said to undo itself; expected other steps")

    def __str__(self) -> str:
        return f"{self.step!r} undoes {_and(self.undone)}"


def check_rules(
    steps: Collection[str],
    needs: Callable[[str], Collection[str]],
    choices: Sequence[Choice],
    undoings: Sequence[Undoing],
    optional: Collection[str],
) -> None:
    """Check that a graph can obey choices and undoing.

    Parameters
    ----------
    steps
        The steps of the graph.
    needs
        Returns the steps that a step needs directly.
    choices, undoings
        The rules.
    optional
        The optional steps.

    Raises
    ------
    GraphError
        If a rule names a step that the graph lacks, an alternative needs another one of its
        choice, a step undoes all others, or steps that have to be done undo each other.
    """
    rules: tuple[Choice | Undoing, ...] = (*choices, *undoings)
    for rule in rules:
        named = rule.steps if isinstance(rule, Choice) else (rule.step, *rule.undone)
        for step in named:
            if step not in steps:
                raise GraphError(f"{rule}: {UnknownNameError('step', step, steps)}")
    for choice in choices:
        for one, other in combinations(choice.alternatives, 2):
            for first, second in ((a, b) for a in one for b in other):
                for needing, needed in ((first, second), (second, first)):
                    if needed in needs(needing):
                        raise GraphError(
                            f"{choice}: {needing!r} needs {needed!r} of another alternative, so "
                            "that both would be done; leave out the choice or that edge"
                        )
    undoes = _table(undoings)
    for step, undone in undoes.items():
        if len(steps) > 2 and undone >= set(steps) - {step}:
            raise GraphError(
                f"{step!r} is said to undo every other step; expected some of them: to begin anew "
                "is another recording"
            )
    chosen = {step for choice in choices for step in choice.steps}
    required = set(steps) - set(optional) - chosen
    circle = _circle(undoes, required)
    for choice in choices:
        circles = [
            _circle(undoes, required | (set(alternative) - set(optional)))
            for alternative in choice.alternatives
        ]
        if not choice.optional and all(circles):
            circle = circle or circles[0]
    if circle:
        shown = ", which undoes ".join(map(repr, circle[1:]))
        raise GraphError(
            f"{circle[0]!r} undoes {shown}: all of them have to be done, so that the end cannot be "
            "reached; make one optional or leave out what it undoes"
        )


def _table(undoings: Iterable[Undoing]) -> dict[str, set[str]]:
    undoes: dict[str, set[str]] = {}
    for undoing in undoings:
        undoes.setdefault(undoing.step, set()).update(undoing.undone)
    return undoes


def _circle(undoes: Mapping[str, Set[str]], required: Set[str]) -> list[str]:
    """Return steps that undo each other in a circle, the first also last; empty without one."""
    among = {step: undone & required for step, undone in undoes.items() if step in required}
    try:
        TopologicalSorter(among).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle[::-1]
    return []


def _names(came: Iterable[str]) -> tuple[str, ...]:
    if isinstance(came, str):
        raise GraphError(f"a rule has the text {came!r}; expected a list of names: [{came!r}]")
    return tuple(dict.fromkeys(came))


def _and(steps: Sequence[str]) -> str:
    *first, last = map(repr, steps)
    return f"{', '.join(first)} and {last}" if first else last


def among(
    choices: Iterable[Choice], undoings: Iterable[Undoing], steps: Set[str]
) -> tuple[list[Choice], list[Undoing]]:
    """Return what the rules say of these steps alone.

    Examples
    --------
    >>> among([Choice([["a"], ["b"], ["c"]])], [Undoing("b", ["a"])], {"a", "c"})[0][0].steps
    ('a', 'c')
    """
    kept_choices = []
    for choice in choices:
        alternatives = [[step for step in own if step in steps] for own in choice.alternatives]
        left = [own for own in alternatives if own]
        if len(left) > 1:
            complete = len(left) == len(alternatives)
            evidence = choice.evidence if complete else None
            kept_choices.append(Choice(tuple(map(tuple, left)), choice.optional, evidence))
    kept_undoings = []
    for undoing in undoings:
        undone = tuple(step for step in undoing.undone if step in steps)
        if undone and undoing.step in steps:
            kept_undoings.append(replace(undoing, undone=undone))
    return kept_choices, kept_undoings


def by_step(undoings: Iterable[Undoing]) -> tuple[Undoing, ...]:
    """Return undoings with one for each step; of several, what they undo comes together.

    Examples
    --------
    >>> [str(own) for own in by_step([Undoing("repair", ["test"]), Undoing("repair", ["seal"])])]
    ["'repair' undoes 'test' and 'seal'"]
    """
    found: dict[str, Undoing] = {}
    for own in undoings:
        known = found.get(own.step)
        found[own.step] = (
            own if known is None else replace(known, undone=(*known.undone, *own.undone))
        )
    return tuple(found.values())


def split_undoings(graph: TaskGraph) -> list[tuple[Undoing, bool]]:
    """Return what undoes what, apart for steps that have to be done again and for optional ones.

    Returns
    -------
    list
        Undoings, and whether what they undo has to be done again.
    """
    optional = set(graph.optional_steps)
    found = []
    for own in graph.undoings:
        for again in (True, False):
            places = [n for n, step in enumerate(own.undone) if (step not in optional) is again]
            evidence = own.evidence
            if evidence is not None and len(evidence.held) == len(own.undone):
                evidence = replace(evidence, held=[evidence.held[place] for place in places])
            if places:
                undone = [own.undone[place] for place in places]
                found.append((Undoing(own.step, undone, evidence), again))
    return found


def rules_in_words(graph: TaskGraph) -> list[str]:
    """Return the choices of a graph, what undoes what, and what goes with what, each in words.

    An optional step that is undone need not be done again, but may.
    """
    return [
        *map(str, graph.choices),
        *(
            str(own) if again else f"{own.step!r} allows {_and(own.undone)} again"
            for own, again in split_undoings(graph)
        ),
        *(
            f"{step!r} goes with {_and(own.goes_with)}"
            for step, own in graph.attributes.items()
            if own.goes_with
        ),
    ]


def without_rules(graph: TaskGraph) -> TaskGraph:
    """Return a graph without choices, undoing and what goes with what, which asks less.

    What has an alternative is optional, and what another step undoes may be repeated.

    Examples
    --------
    >>> from stepgraph.graph import TaskGraph
    >>> plain = without_rules(TaskGraph("ab", [], choices=[Choice([["a"], ["b"]])]))
    >>> plain.choices, plain.optional_steps
    ((), ('a', 'b'))
    """
    chosen = {step for choice in graph.choices for step in choice.steps}
    undone = {step for own in graph.undoings for step in own.undone}
    attributes = {
        step: replace(
            known,
            optional=known.optional or step in chosen,
            repeatable=known.repeatable or step in undone,
            goes_with=(),
        )
        for step in graph.steps
        for known in [graph.attributes.get(step, StepAttributes())]
    }
    return graph.replace(attributes=attributes, choices=(), undoings=())
