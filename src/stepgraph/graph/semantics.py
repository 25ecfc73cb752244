"""What a graph means: a small state machine, written once and used by every tool.

The state is what counts as done. Steps are *due* if they have to be done: every step that is not
optional, and what goes with a step that is done. Of a choice only the alternative that was begun is
due; before that all of them are, or none if the choice is optional. Then:

- a step may be done if what comes before it and is due is done, no other alternative of its choice
  has begun, and it does not count as done already, unless it is repeatable; an optional step, or
  one of a choice, has its place, too: no step that comes after it is done;
- doing it makes it count as done, and what it undoes count as not done;
- the procedure may end if all that is due is done.

A step waits for a choice that has not been begun only if every alternative comes before it, or can
no longer be begun: else a later one may still be taken. A step that goes with steps of one
alternative alone belongs to it, unless the choice can be undone.

What was undone may be done again whatever came after it. What comes before a step are its direct
preconditions, those of a precondition that is not due in its place, and whatever was undone among
all that it needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stepgraph.graph.edges import bits


class State(NamedTuple):
    """What counts as done, and what was undone since, as bit masks; bit n stands for node n."""

    done: int = 0
    undone: int = 0


class Alternatives(NamedTuple):
    """A choice as bit masks: one for each alternative, all of them, and whether it is optional.

    `core` has the steps of each alternative that are not optional; all of them if all are.
    """

    each: tuple[int, ...]
    every: int
    optional: bool
    core: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Semantics:
    """A graph as a state machine over bit masks; bit n stands for node n.

    Parameters
    ----------
    names
        The node names: START, the steps, END.
    nodes
        The node number of each step, without START and END.
    direct
        For each node its direct preconditions.
    before, after
        For each node all steps that come before and after it.
    optional, repeatable
        The steps that may be left out, and those that may be done again.
    goes_with
        For each node the steps that whoever does it also does.
    choices
        The choices.
    undoes
        For each node the steps that it undoes.
    """

    names: tuple[str, ...]
    nodes: Mapping[str, int] = field(repr=False, compare=False)
    direct: tuple[int, ...] = field(repr=False)
    before: tuple[int, ...] = field(repr=False, compare=False)
    after: tuple[int, ...] = field(repr=False, compare=False)
    optional: int
    repeatable: int
    goes_with: tuple[int, ...] = field(repr=False)
    choices: tuple[Alternatives, ...]
    undoes: tuple[int, ...] = field(repr=False)
    bringing: int = field(repr=False)
    """The steps that others go with."""
    required: int = field(repr=False)
    """The steps that are not optional."""
    waits_for: tuple[int, ...] = field(repr=False)
    """For each node the steps it waits for, if nothing but attributes says what is due."""
    avoidable: int = field(repr=False)
    """The steps that are optional or of a choice."""
    fixed: bool
    """Whether what is due is the same in every state."""

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        direct: Sequence[Iterable[int]],
        order: Iterable[int],
        *,
        optional: Iterable[str] = (),
        repeatable: Iterable[str] = (),
        goes_with: Mapping[str, Iterable[str]] | None = None,
        choices: Iterable[tuple[Iterable[Iterable[str]], bool]] = (),
        undoes: Mapping[str, Iterable[str]] | None = None,
    ) -> Semantics:
        """Prepare a graph.

        Parameters
        ----------
        names
            The node names: START, the steps, END.
        direct
            For each node the nodes that it needs.
        order
            All nodes, each after those that it needs.
        optional, repeatable, goes_with, undoes
            The rules, by name.
        choices
            The alternatives of each choice, and whether it is optional.
        """
        nodes = {name: node for node, name in enumerate(names) if 0 < node < len(names) - 1}

        def mask(steps: Iterable[str]) -> int:
            return sum(1 << nodes[step] for step in steps)

        may_miss = mask(optional)
        own = tuple(sum(1 << node for node in row if node) for row in direct)
        before = list(own)
        waits_for = [0] * len(own)
        after = [0] * len(own)
        for node in order:
            for needed in bits(own[node]):
                before[node] |= before[needed]
                waits_for[node] |= waits_for[needed] if may_miss >> needed & 1 else 1 << needed
            if 0 < node < len(own) - 1:
                for needed in bits(before[node]):
                    after[needed] |= 1 << node
        with_it, undone = [0] * len(own), [0] * len(own)
        for table, rules in ((with_it, goes_with), (undone, undoes)):
            for step, others in (rules or {}).items():
                table[nodes[step]] |= mask(others)
        groups = []
        for alternatives, may_be_none in choices:
            stated = tuple(mask(steps) for steps in alternatives)
            core = tuple(steps & ~may_miss or steps for steps in stated)
            final = not any(sum(stated) & others for others in undone)
            each = _with_followers(stated, with_it) if final else stated
            groups.append(Alternatives(each, sum(each), may_be_none, core))
        chosen = 0  # a step may be of several choices
        for group in groups:
            chosen |= group.every
        bringing = sum(1 << node for node, others in enumerate(with_it) if others)
        required = mask(nodes) & ~may_miss
        return cls(
            tuple(names),
            nodes,
            own,
            tuple(before),
            tuple(after),
            may_miss,
            mask(repeatable),
            tuple(with_it),
            tuple(groups),
            tuple(undone),
            bringing,
            required,
            tuple(waits_for),
            may_miss | chosen,
            not bringing and not groups,
        )

    def due(self, done: int) -> int:
        """Return the steps that have to be done, given what counts as done.

        Of a choice that has to be made and has not been begun, these are all alternatives.
        """
        if self.fixed:
            return self.required
        due, excluded = self.required, 0
        for each, every, optional, _ in self.choices:
            if not done & every:
                if optional:
                    due &= ~every
                continue
            for alternative in each:
                if not alternative & done:
                    excluded |= alternative
        for node in bits(done & self.bringing):
            due |= self.goes_with[node]
        return due & ~excluded

    def missing(self, node: int, state: State) -> int:
        """Return the steps that have to be done before a node and are not."""
        done = state.done
        if self.fixed:
            found = self.waits_for[node] & ~done
            if state.undone:
                found |= self.before[node] & state.undone & self.required
            return found
        begun = done | (1 << node)
        due, before = self.due(begun), self.before[node]
        for choice in self.choices:
            if not choice.every & begun and any(
                not core & before and not self.is_over(core, done) for core in choice.core
            ):
                due &= ~choice.every
        open_ = self.direct[node] & ~done
        found = open_ & due
        left_out = seen = open_ & ~due
        while left_out:  # what comes before them stands in their place
            lowest = left_out & -left_out
            left_out ^= lowest
            open_ = self.direct[lowest.bit_length() - 1] & ~done
            found |= open_ & due
            left_out |= open_ & ~due & ~seen
            seen |= open_ & ~due
        return found | before & state.undone & due

    def is_over(self, core: int, done: int) -> bool:
        """Return whether an alternative can no longer be begun: what comes after it is done."""
        return any(self.after[node] & done for node in bits(core))

    def passed(self, node: int, state: State) -> int:
        """Return the done steps that an optional step, or one of a choice, should come before.

        What was undone may come after them, and after a step that waits for it they are a mistake
        already.
        """
        if not (self.avoidable & ~state.done & ~state.undone) >> node & 1:
            return 0
        return self.after[node] & state.done

    def begun_instead(self, node: int, done: int) -> int:
        """Return the done steps of another alternative, if a step would begin a second one."""
        found, bit = 0, 1 << node
        for each, every, _, _ in self.choices:
            if every & bit and every & done:
                for alternative in each:
                    if alternative & bit and not alternative & done:
                        found |= every & done
        return found

    def is_needless(self, node: int, state: State) -> bool:
        """Return whether a step counts as done already and may not be repeated."""
        return bool((state.done & ~self.repeatable) >> node & 1)

    def may_do(self, node: int, state: State) -> bool:
        """Return whether a step may be done now."""
        return not (
            self.is_needless(node, state)
            or self.missing(node, state)
            or self.passed(node, state)
            or (self.choices and self.begun_instead(node, state.done))
        )

    def do(self, node: int, state: State) -> State:
        """Return the state after a step, whether or not it might be done."""
        bit, undoes = 1 << node, self.undoes[node]
        done = state.done | bit
        return State(done & ~undoes, (state.undone & ~bit) | (done & undoes))

    def open(self, state: State) -> int:
        """Return the steps that have to be done before the end; none if it may end."""
        return self.due(state.done) & ~state.done

    def executable(self, state: State) -> list[int]:
        """Return the steps not done that may be done now."""
        return [
            node
            for node in self.nodes.values()
            if not state.done >> node & 1 and self.may_do(node, state)
        ]

    def undecided(self, done: int) -> list[Alternatives]:
        """Return the choices that have to be made, are not excluded, and have not been begun.

        An optional choice has to be made if a done step goes with each of its alternatives.
        """
        if not self.choices:
            return []
        due = self.due(done)
        return [
            choice
            for choice in self.choices
            if not choice.every & done
            and choice.every & due
            and (not choice.optional or all(steps & due for steps in choice.each))
        ]

    def progress(self, done: int) -> float:
        """Return the fraction of the steps due that are done; an open choice counts its least."""
        due = self.due(done)
        expected = due.bit_count()
        for choice in self.undecided(done):
            least = min((alternative & due).bit_count() for alternative in choice.each)
            expected += least - (choice.every & due).bit_count()
        return (done & due).bit_count() / expected if expected else 1.0

    def names_in(self, mask: int) -> tuple[str, ...]:
        """Return the names of the steps in a mask, in the order of the vocabulary."""
        return tuple(self.names[node] for node in bits(mask))


def _with_followers(alternatives: Sequence[int], goes_with: Sequence[int]) -> tuple[int, ...]:
    """Return the alternatives of a choice with the steps that go with one of them alone."""
    each = list(alternatives)
    changed = True
    while changed:
        changed = False
        for node, others in enumerate(goes_with):
            if not others or sum(each) >> node & 1:
                continue
            led = [place for place, steps in enumerate(each) if steps & others]
            if len(led) == 1:
                each[led[0]] |= 1 << node
                changed = True
    return tuple(each)
