"""A net of a graph with any rules: places that remember, for each step, whether it counts as done.

Each step has a place for 'done' and one for 'not done', one of which has a token; a step that
another one undoes also has 'undone' and 'not undone'. A condition on them (`Condition`) is a list
of alternatives that say of some places that they have a token. `stepgraph.graph.semantics` is
written out as conditions, so that the net does exactly what the graph allows: a step has one
transition for each alternative of its condition. A token 'running' stops all steps at the end, and
silent transitions then take the remaining tokens away, one place after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce

from stepgraph.errors import GraphError
from stepgraph.formats.nets import Transition
from stepgraph.graph import TaskGraph
from stepgraph.graph.edges import bits
from stepgraph.graph.rules import rules_in_words

VARIANTS = 64
"""Maximum number of transitions for one step, or for the end."""


class TooManyVariantsError(Exception):
    """A condition has too many alternatives."""


@dataclass(frozen=True)
class Condition:
    """Alternatives, each with the facts that hold and those that do not, as bit masks.

    Facts are 'node n is done' (bit 2n) and 'node n is undone' (bit 2n + 1).
    """

    alternatives: frozenset[tuple[int, int]]

    def __and__(self, other: Condition) -> Condition:
        pairs = (
            (yes | more, no | less)
            for yes, no in self.alternatives
            for more, less in other.alternatives
        )
        return _condition(pair for pair in pairs if not pair[0] & pair[1])

    def __or__(self, other: Condition) -> Condition:
        return _condition(self.alternatives | other.alternatives)

    def __invert__(self) -> Condition:
        return every(
            _condition(
                [*((0, 1 << fact) for fact in bits(yes)), *((1 << fact, 0) for fact in bits(no))]
            )
            for yes, no in self.alternatives
        )

    def split(self, fact: int) -> Condition:
        """Return the same condition, of which each alternative says whether a fact holds."""
        bit = 1 << fact
        found: set[tuple[int, int]] = set()
        for yes, no in self.alternatives:
            found |= {(yes, no)} if (yes | no) & bit else {(yes | bit, no), (yes, no | bit)}
        return _checked(found)


def _condition(alternatives: Iterable[tuple[int, int]]) -> Condition:
    """Return a condition without alternatives that others include."""
    found = set(alternatives)
    if len(found) > 16 * VARIANTS:
        raise TooManyVariantsError
    return _checked(
        (yes, no)
        for yes, no in found
        if not any(
            (more, less) != (yes, no) and more & yes == more and less & no == less
            for more, less in found
        )
    )


def _checked(alternatives: Iterable[tuple[int, int]]) -> Condition:
    found = frozenset(alternatives)
    if len(found) > VARIANTS:
        raise TooManyVariantsError
    return Condition(found)


ALWAYS = Condition(frozenset({(0, 0)}))
NEVER = Condition(frozenset())


def every(conditions: Iterable[Condition]) -> Condition:
    """Return that all conditions hold."""
    return reduce(Condition.__and__, conditions, ALWAYS)


def some(conditions: Iterable[Condition]) -> Condition:
    """Return that one of the conditions holds."""
    return reduce(Condition.__or__, conditions, NEVER)


def is_done(node: int) -> Condition:
    """Return that a node counts as done."""
    return Condition(frozenset({(1 << 2 * node, 0)}))


def is_undone(node: int) -> Condition:
    """Return that a node was undone since it was done."""
    return Condition(frozenset({(1 << 2 * node + 1, 0)}))


@dataclass(frozen=True)
class Meaning:
    """What a graph means, as conditions: `Semantics` with facts in the place of a state."""

    graph: TaskGraph
    undoable: int = field(init=False)

    def __post_init__(self) -> None:
        undoable = reduce(int.__or__, self.graph.semantics.undoes, 0)
        object.__setattr__(self, "undoable", undoable)

    def due(self, node: int, doing: int | None = None) -> Condition:
        """Return that a node is due; if another one is given, that it is due before that one."""
        own = self.graph.semantics

        def done(mask: int) -> Condition:
            if doing is not None and mask >> doing & 1:
                return ALWAYS
            return some(map(is_done, bits(mask)))

        due = ALWAYS if own.required >> node & 1 else NEVER
        excluded = NEVER
        for each, all_, optional, cores in own.choices:
            if not all_ >> node & 1:
                continue
            if optional:
                due &= done(all_)
            if doing is not None:  # a later alternative may still be taken
                later = [core for core in cores if not core & own.before[doing]]
                excluded |= ~done(all_) & some(map(self._may_begin, later))
            (alternative,) = (mask for mask in each if mask >> node & 1)
            excluded |= done(all_) & ~done(alternative)
        bringing = sum(
            1 << other for other in bits(own.bringing) if own.goes_with[other] >> node & 1
        )
        return (due | done(bringing)) & ~excluded

    def _may_begin(self, core: int) -> Condition:
        """Return that an alternative can still be begun: nothing that comes after it is done."""
        after = reduce(int.__or__, (self.graph.semantics.after[node] for node in bits(core)), 0)
        return every(~is_done(other) for other in bits(after))

    def nothing_missing(self, node: int) -> Condition:
        """Return that all that has to be done before a node is done."""
        own = self.graph.semantics
        avoided: dict[int, Condition] = {}  # that what may stand before the node is not due
        waiting = list(bits(own.direct[node]))
        while waiting:
            needed = waiting.pop()
            if needed not in avoided:
                avoided[needed] = ~self.due(needed, node)
                if avoided[needed].alternatives:
                    waiting += bits(own.direct[needed])
        settled: dict[int, Condition] = {}
        for needed in sorted(avoided, key=lambda at: own.before[at].bit_count()):
            settled[needed] = is_done(needed)
            if avoided[needed].alternatives:
                before = every(settled[at] for at in bits(own.direct[needed]))
                settled[needed] |= avoided[needed] & before
        direct = every(settled[needed] for needed in bits(own.direct[node]))
        again = every(
            ~(is_undone(needed) & self.due(needed, node))
            for needed in bits(own.before[node] & self.undoable)
        )
        return direct & again

    def may_do(self, node: int) -> Condition:
        """Return that a node may be done."""
        own = self.graph.semantics
        found = self.nothing_missing(node)
        if not own.repeatable >> node & 1:
            found &= ~is_done(node)
        if own.avoidable >> node & 1:
            in_place = every(~is_done(other) for other in bits(own.after[node]))
            undone = is_undone(node) if self.undoable >> node & 1 else NEVER
            found &= is_done(node) | undone | in_place
        for each, all_, _, _ in own.choices:
            if all_ >> node & 1:
                (alternative,) = (mask for mask in each if mask >> node & 1)
                others = every(~is_done(other) for other in bits(all_ & ~alternative))
                found &= some(map(is_done, bits(alternative))) | others
        return found

    def may_end(self) -> list[Condition]:
        """Return what has to hold at the end: that all that is due is done."""
        nodes = self.graph.semantics.nodes.values()
        found = [is_done(node) | ~self.due(node) for node in nodes]
        plain = [one for one in found if len(one.alternatives) == 1]
        return [every(plain), *(one for one in found if len(one.alternatives) > 1)]


def state_net(graph: TaskGraph) -> list[Transition]:
    """Return the transitions of a net with exactly the sequences of a graph.

    The net begins with a token in the place ``source`` and ends with one in ``sink``.

    Raises
    ------
    GraphError
        If a step, or the end, would need too many transitions.

    Examples
    --------
    >>> bench = TaskGraph.from_preconditions({"pack": []})
    >>> [transition.id for transition in state_net(bench)]
    ['t0', 't1-1', 'end0-1', 'take1-done', 'take1-not-done', 'last']
    """
    meaning = Meaning(graph)
    nodes = graph.semantics.nodes
    facts = [2 * node for node in nodes.values()]
    facts += [2 * node + 1 for node in bits(meaning.undoable)]
    begun = ("running", *(_place(fact, holds=False) for fact in facts))
    net = [Transition("t0", None, ("source",), begun)]
    for name, node in nodes.items():
        net += _doing(meaning, name, node)
    net += _ending(meaning)
    for number, fact in enumerate(facts, start=1):
        for holds in (True, False):
            place, id_ = _place(fact, holds=holds), f"take{number}-{_word(fact, holds=holds)}"
            after = f"taking{number + 1}"
            net.append(Transition(id_, None, (f"taking{number}", place), (after,)))
    net.append(Transition("last", None, (f"taking{len(facts) + 1}",), ("sink",)))
    return net


def _doing(meaning: Meaning, name: str, node: int) -> Iterator[Transition]:
    """Yield the transitions of a step: one for each way in which it may be done."""
    undone = list(bits(meaning.graph.semantics.undoes[node]))
    try:
        found = meaning.may_do(node).split(2 * node)
        if meaning.undoable >> node & 1:
            found = found.split(2 * node + 1)
        for other in undone:
            found = found.split(2 * other)
    except TooManyVariantsError:
        raise _too_many(meaning.graph, repr(name)) from None
    for number, (yes, no) in enumerate(sorted(_possible(found)), start=1):
        changed = [(2 * node, True), (2 * node + 1, False)]
        for other in undone:
            if yes >> 2 * other & 1:
                changed += [(2 * other, False), (2 * other + 1, True)]
                no |= 1 << 2 * other + 1  # what is done is not undone
        takes = _places(yes, no)
        gives = dict.fromkeys(takes)
        for fact, holds in changed:
            before, after = _place(fact, holds=not holds), _place(fact, holds=holds)
            if before in gives:
                del gives[before]
                gives[after] = None
        id_ = f"t{node}-{number}"
        yield Transition(id_, name, ("running", *takes), ("running", *gives))


def _ending(meaning: Meaning) -> Iterator[Transition]:
    """Yield the transitions that check one condition of the end after the other, and go back."""
    try:
        conditions = meaning.may_end()
    except TooManyVariantsError:
        raise _too_many(meaning.graph, "the end") from None
    places = ["running", *(f"ending{place}" for place in range(1, len(conditions))), "taking1"]
    for place, condition in enumerate(conditions):
        if place:
            yield Transition(f"back{place}", None, (places[place],), ("running",))
        for number, (yes, no) in enumerate(sorted(condition.alternatives), start=1):
            id_, read = f"end{place}-{number}", _places(yes, no)
            yield Transition(id_, None, (places[place], *read), (*read, places[place + 1]))


def _possible(condition: Condition) -> Iterator[tuple[int, int]]:
    """Yield the alternatives in which no step is both done and undone."""
    for yes, no in condition.alternatives:
        if not any(yes >> fact + 1 & 1 for fact in bits(yes) if not fact % 2):
            yield yes, no


def _places(yes: int, no: int) -> tuple[str, ...]:
    return (
        *(_place(fact, holds=True) for fact in bits(yes)),
        *(_place(fact, holds=False) for fact in bits(no)),
    )


def _place(fact: int, *, holds: bool) -> str:
    return f"{_word(fact, holds=holds)}{fact // 2}"


def _word(fact: int, *, holds: bool) -> str:
    return f"{'' if holds else 'not-'}{'undone' if fact % 2 else 'done'}"


def _too_many(graph: TaskGraph, what: str) -> GraphError:
    rules = "; ".join(rules_in_words(graph))
    return GraphError(
        f"{what} would need more than {VARIANTS} transitions in a net, because the graph says "
        f"{rules if len(rules) <= 200 else rules[:197] + '...'}; write it as .json"
    )
