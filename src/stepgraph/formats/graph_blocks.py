"""The blocks that a graph with rules consists of, if it does.

`block_from_graph` guesses a tree of blocks from the rules: a choice, a loop (steps that undo each
other) or steps that go with each other make a block each, and so do their parts. Then it checks
that the graph of these blocks says the same, so that the blocks are exact or not found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from functools import reduce

from stepgraph.errors import FormatError, GraphError
from stepgraph.formats.blocks import Block, Loop, OneOf, Order, Step, graph_from_block
from stepgraph.graph import Choice, TaskGraph
from stepgraph.graph.edges import bits
from stepgraph.graph.rules import rules_in_words


class NoBlocksError(Exception):
    """A graph does not consist of blocks; the message is a rule that does not fit."""


def block_from_graph(graph: TaskGraph) -> Block:
    """Return the blocks that a graph consists of.

    Raises
    ------
    NoBlocksError
        If it does not.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"pack": ["check"], "scrap": ["check"]})
    >>> block = block_from_graph(graph.replace(choices=[Choice([["pack"], ["scrap"]])]))
    >>> [type(part).__name__ for part in block.parts]
    ['Step', 'OneOf']
    """
    try:
        block = _Parts.of(graph).block(frozenset(graph.steps))
        again = graph_from_block(block, "")
    except (FormatError, GraphError, RecursionError):  # choices within hundreds of choices
        raise NoBlocksError(_first_rule(graph)) from None
    difference = _difference(graph, again)
    if difference:
        raise NoBlocksError(difference)
    return block


@dataclass(frozen=True)
class _Ring:
    """Steps that undo each other: what is done, and the way back to it."""

    do: frozenset[str]
    redo: frozenset[str]


@dataclass(frozen=True)
class _Parts:
    """The rules of a graph, of which those of a block are taken away before its parts are found."""

    graph: TaskGraph
    before: Mapping[str, Set[str]]
    choices: tuple[Choice, ...]
    rings: tuple[_Ring, ...]
    optional: frozenset[str]
    goes_with: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, graph: TaskGraph) -> _Parts:
        before = {step: set(graph.all_preconditions_of(step)) for step in graph.steps}
        rings = _rings(graph, before)
        ways_back = {ring.redo for ring in rings}
        choices = [
            choice
            for choice in graph.choices
            if not any(frozenset(steps) in ways_back for steps in choice.alternatives)
        ]
        chosen = {step for choice in choices for step in choice.steps}
        single = {step for ring in rings if len(ring.redo) == 1 for step in ring.redo}
        return cls(
            graph,
            before,
            tuple(choices),
            rings,
            frozenset(graph.optional_steps) | (single - chosen),
            {step: frozenset(about.goes_with) for step, about in graph.attributes.items()},
        )

    def block(self, steps: frozenset[str]) -> Block:
        """Return the block of some steps."""
        units = self._units(steps)
        parts = tuple(map(self._unit, units))
        if len(parts) == 1:
            return parts[0]
        unit_of = {step: at for at, unit in enumerate(units) for step in unit}
        before = [
            sum(
                {1 << unit_of[one] for step in unit for one in self.before[step] & steps}
                - {1 << at}
            )
            for at, unit in enumerate(units)
        ]
        direct = set()
        for at, earlier in enumerate(before):
            through = reduce(int.__or__, (before[one] for one in bits(earlier)), 0)
            direct |= {(one, at) for one in bits(earlier & ~through)}
        return Order(parts, frozenset(direct))

    def _units(self, steps: frozenset[str]) -> list[frozenset[str]]:
        """Return the steps that rules hold together, in the order of the graph."""
        sets = [frozenset(choice.steps) for choice in self.choices]
        sets += [ring.do | ring.redo for ring in self.rings]
        sets += [others | {step} for step, others in self.goes_with.items()]
        of = {step: {step} for step in self.graph.steps if step in steps}
        for held in sets:
            if held <= steps:
                joined = set().union(*(of[step] for step in held))
                of |= dict.fromkeys(joined, joined)
        return list(dict.fromkeys(frozenset(unit) for unit in of.values()))

    def _unit(self, steps: frozenset[str]) -> Block:
        """Return the block of steps that rules hold together."""
        if len(steps) == 1:
            (name,) = steps
            about = self.graph.attributes.get(name)
            step: Block = Loop(Step(name)) if about and about.repeatable else Step(name)
            return OneOf((step,), optional=True) if name in self.optional else step
        for choice in self.choices:
            if set(choice.steps) == steps:
                left = tuple(other for other in self.choices if other is not choice)
                inside = replace(self, choices=left)
                parts = tuple(inside.block(frozenset(own)) for own in choice.alternatives)
                return OneOf(parts, choice.optional)
        avoidable = self.optional | _steps(choice for choice in self.choices if choice.optional)
        if steps <= avoidable:
            return OneOf((self._without_group(steps).block(steps),), optional=True)
        for ring in self.rings:
            if ring.do | ring.redo == steps:
                left_rings = tuple(other for other in self.rings if other is not ring)
                inside = replace(self, rings=left_rings)
                redo = inside.block(ring.redo)
                if isinstance(redo, OneOf):  # nobody has to go back, but whoever does goes it all
                    redo = redo.parts[0] if len(redo.parts) == 1 else OneOf(redo.parts)
                return Loop(inside.block(ring.do), redo)
        raise NoBlocksError(_first_rule(self.graph, steps))

    def _without_group(self, steps: frozenset[str]) -> _Parts:
        """Return the rules without those that hold an optional group together."""

        def holds(one: str, other: str) -> bool:
            return one == other or other in self.goes_with.get(one, ()) or self._rivals(one, other)

        needed = {other for other in steps if all(holds(one, other) for one in steps)}
        if not needed:
            raise NoBlocksError(_first_rule(self.graph, steps))
        return replace(
            self,
            choices=tuple(
                replace(choice, optional=choice.optional and not needed & set(choice.steps))
                for choice in self.choices
            ),
            optional=self.optional - needed,
            goes_with={step: own - needed for step, own in self.goes_with.items()},
        )

    def _rivals(self, one: str, other: str) -> bool:
        return any(one in choice.steps and other in choice.steps for choice in self.choices)


def _rings(graph: TaskGraph, before: Mapping[str, Set[str]]) -> tuple[_Ring, ...]:
    """Return the loops of a graph.

    Raises
    ------
    NoBlocksError
        If a step undoes others that do not undo it.
    """
    undoes = {undoing.step: frozenset(undoing.undone) for undoing in graph.undoings}
    found: dict[_Ring, None] = {}
    for undoing in graph.undoings:
        for other in undoing.undone:
            ring = _Ring(undoes[undoing.step], undoes.get(other, frozenset()))
            if undoing.step in ring.redo and all(ring.do <= before[step] for step in ring.redo):
                found[ring] = None
    for undoing in graph.undoings:
        if not any(undoing.step in ring.do | ring.redo for ring in found):
            raise NoBlocksError(str(undoing))
    return tuple(found)


def _steps(choices: Iterable[Choice]) -> set[str]:
    return {step for choice in choices for step in choice.steps}


def _first_rule(graph: TaskGraph, steps: Set[str] = frozenset()) -> str:
    """Return a rule of a graph in words, one about some of the steps if there is one."""
    rules = rules_in_words(graph)
    about = [rule for rule in rules if any(repr(step) in rule for step in steps)]
    return (about or rules or ["an order of steps"])[0]


def _difference(graph: TaskGraph, other: TaskGraph) -> str:
    """Return a rule by which two graphs differ, in words; empty if they mean the same."""
    for step in graph.steps:
        if set(graph.all_preconditions_of(step)) != set(other.all_preconditions_of(step)):
            return f"what {step!r} needs"
    known = {_sets(choice) for choice in other.choices}
    for choice in graph.choices:
        if _sets(choice) not in known:
            return str(choice)
    undoes = {one.step: set(one.undone) for one in other.undoings}
    for undoing in graph.undoings:
        if undoes.get(undoing.step) != set(undoing.undone):
            return str(undoing)
    if len(known) != len({_sets(choice) for choice in graph.choices}):
        return _first_rule(graph)
    if len(undoes) != len(graph.undoings):
        return str(graph.undoings[0]) if graph.undoings else _first_rule(graph)
    for step in graph.steps:
        one, two = (of.attributes.get(step) for of in (graph, other))
        if set(one.goes_with if one else ()) != set(two.goes_with if two else ()):
            return f"what goes with {step!r}"
        if (one is not None and one.repeatable) != (two is not None and two.repeatable):
            return f"that {step!r} may be repeated"
        if (step in graph.optional_steps) != (step in other.optional_steps) and not _in_either_way(
            graph, step
        ):
            return f"that {step!r} may be left out"
    return ""


def _sets(choice: Choice) -> tuple[frozenset[frozenset[str]], bool]:
    return frozenset(map(frozenset, choice.alternatives)), choice.optional


def _in_either_way(graph: TaskGraph, step: str) -> bool:
    """Return whether a step is an alternative to one that has to be done unless the step is.

    It means the same then whether or not it is called optional.
    """
    chosen = [choice for choice in graph.choices if step in choice.steps]
    if len(chosen) != 1 or (step,) not in chosen[0].alternatives or chosen[0].optional:
        return False
    others = set(chosen[0].steps) - {step} - set(graph.optional_steps)
    return any(sum(other in choice.steps for choice in graph.choices) == 1 for other in others)
