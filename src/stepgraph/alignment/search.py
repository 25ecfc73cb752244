"""The cheapest explanation by search, for graphs whose choices or undoing no antichain can tell.

The search is best first (A*) over the place in the recording and the state of the graph. A move
does the recorded step if the graph allows it now, leaves it aside, or does a step that is not
recorded. To leave a recorded step aside and to do an unrecorded one may be swapped, so that the
former come first. As in `stepgraph.alignment.aligner`, a recorded step is the repetition of a
recorded one only.

What is left costs at least what it would cost if each step stood for itself: of a step that is done
at most once one event can stay; a step that is due in the end and neither done nor recorded is done
unrecorded; one alternative of a choice is taken. That is the exact cost of an easier task, hence
never too much, and no move lowers it by more than it costs, so that the first end found is the
cheapest. All costs are whole numbers, in proportion to those asked for.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from stepgraph.alignment.moves import Alignment, Costs, Kind, Move
from stepgraph.errors import GraphError
from stepgraph.graph import TaskGraph
from stepgraph.graph.edges import bits
from stepgraph.graph.semantics import Alternatives, Semantics, State

BUDGET = 20_000
"""Number of states that a search looks at before it gives up being exact."""

Step = tuple[Kind, int]
"""A move: its kind, and the node; -1 where the graph does not have the recorded step."""


class _Point(NamedTuple):
    """A place in the search: steps of the recording read, the state, and two things more.

    `unrecorded` has the repeatable steps that are done without being recorded, and `filling` says
    whether the last move did an unrecorded step.
    """

    place: int
    state: State
    unrecorded: int
    filling: bool


@dataclass(slots=True)
class Prices:
    """Whole costs of the moves of each node, in proportion to the costs asked for."""

    done: list[int]
    skipped: list[int]
    inserted: list[int]
    unit: Fraction

    @classmethod
    def of(cls, names: Sequence[str], costs: Costs) -> Prices:
        """Prepare the costs of the nodes."""
        kinds: tuple[Kind, ...] = ("done", "skipped", "inserted")
        exact = {kind: [Fraction(costs.of(kind, name)) for name in names] for kind in kinds}
        every = [value for values in exact.values() for value in values]
        every += [Fraction(getattr(costs, kind)) for kind in kinds]
        every += [Fraction(value) for value in costs.steps.values()]
        scale = math.lcm(*(value.denominator for value in every))
        done, skipped, inserted = ([int(value * scale) for value in exact[k]] for k in kinds)
        return cls(done, skipped, inserted, Fraction(1, scale))

    def whole(self, cost: float) -> int:
        """Return one of the costs asked for as a whole number."""
        return int(Fraction(cost) / self.unit)


@dataclass(slots=True)
class Bound:
    """A lower bound of what the rest of a recording costs.

    Parameters
    ----------
    semantics
        The graph.
    prices
        The costs.
    events
        The recording as nodes, -1 for unknown steps.
    unknown
        For each place what the unknown steps from there on cost.
    """

    semantics: Semantics
    prices: Prices
    events: Sequence[int]
    unknown: Sequence[int]
    lasting: int = field(init=False)
    """The steps that nothing undoes."""
    core: int = field(init=False)
    """The steps that are due whatever else is done."""
    stable: list[Alternatives] = field(init=False)
    """The choices that are never reopened."""
    single: list[Alternatives] = field(init=False)
    """Those of them that share no step with another choice."""
    free: int = field(init=False)
    """The steps that are in none of these."""
    tables: list[dict[int, tuple[int, int, int, int]]] = field(init=False)
    """For each place and node: the costs if it cannot be done, is done, need not be, must be."""
    known: dict[tuple[int, State], int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        meaning = self.semantics
        every = sum(1 << node for node in meaning.nodes.values())
        undoable = 0
        for undone in meaning.undoes:
            undoable |= undone
        self.lasting = every & ~undoable
        chosen = shared = 0
        for choice in meaning.choices:
            shared |= chosen & choice.every
            chosen |= choice.every
        self.core = meaning.required & ~chosen
        self.stable = [choice for choice in meaning.choices if not choice.every & undoable]
        self.single = [choice for choice in self.stable if not choice.every & shared]
        self.free = every
        for choice in self.single:
            self.free &= ~choice.every
        counts = dict.fromkeys(meaning.nodes.values(), 0)
        tables = [self._table(counts)]
        for event in reversed(self.events):
            if event >= 0:
                counts[event] += 1
                tables.append(tables[-1] | {event: self._row(event, counts[event])})
            else:
                tables.append(tables[-1])
        self.tables = tables[::-1]

    def _table(self, counts: Mapping[int, int]) -> dict[int, tuple[int, int, int, int]]:
        return {node: self._row(node, count) for node, count in counts.items()}

    def _row(self, node: int, count: int) -> tuple[int, int, int, int]:
        done, inserted = self.prices.done[node], self.prices.inserted[node]
        skipped, least = self.prices.skipped[node], min(done, inserted)
        once = bool((self.lasting & ~self.semantics.repeatable) >> node & 1)
        another = inserted if once else least  # what each event but one costs
        if not count:
            return 0, 0, 0, skipped
        others = (count - 1) * another
        must = min(others + done, skipped + count * another)
        return count * inserted, count * another, others + least, must

    def __call__(self, place: int, state: State) -> int | None:
        """Return what the rest costs at least; None if there is no end from here."""
        key = place, state
        if key not in self.known:
            self.known[key] = self._rest(place, state)
        return self.known[key]

    def _rest(self, place: int, state: State) -> int | None:
        meaning, done = self.semantics, state.done
        dead = 0
        for node in bits(meaning.avoidable & ~done & ~state.undone):
            if meaning.after[node] & done & self.lasting:
                dead |= 1 << node
        for choice in self.stable:
            if choice.every & done:
                for alternative in choice.each:
                    if not alternative & done:
                        dead |= alternative
        must = self.core
        for node in bits(done & self.lasting & meaning.bringing):
            for brought in bits(meaning.goes_with[node]):
                if not any(choice.every >> brought & 1 for choice in meaning.choices):
                    must |= 1 << brought
        table = self.tables[place]
        total = self._sum(table, self.free, done, dead, must)
        if total is None:
            return None
        total += self.unknown[place]
        for choice in self.single:
            ways = []
            for alternative in choice.each:
                if choice.every & done and not alternative & done:
                    continue
                due = alternative & meaning.required
                other = dead | (choice.every & ~alternative)
                ways.append(self._sum(table, choice.every, done, other, due))
            if not choice.every & done and (choice.optional or not choice.every & meaning.required):
                ways.append(self._sum(table, choice.every, done, choice.every, 0))
            found = [way for way in ways if way is not None]
            if not found:
                return None
            total += min(found)
        return total

    @staticmethod
    def _sum(
        table: Mapping[int, tuple[int, int, int, int]], among: int, done: int, dead: int, must: int
    ) -> int | None:
        if dead & must & among & ~done:
            return None
        total = 0
        for node in bits(among):
            row = table[node]
            if done >> node & 1:
                total += row[1]
            elif dead >> node & 1:
                total += row[0]
            else:
                total += row[3 if must >> node & 1 else 2]
        return total


class Searcher:
    """Aligns recordings to one graph by search.

    Parameters
    ----------
    graph
        The graph, with any rules.
    costs
        What the moves cost.
    budget
        Number of states that a search looks at before it gives up being exact.
    """

    def __init__(self, graph: TaskGraph, costs: Costs, budget: int = BUDGET) -> None:
        self.graph = graph
        self.costs = costs
        self.budget = budget
        self._meaning = graph.semantics
        self._prices = Prices.of(self._meaning.names, costs)
        self._filled: tuple[list[Step], int, int | None] | None = None

    def align(self, names: Sequence[str], recording: str = "") -> Alignment:
        """Return the cheapest explanation of a recording; see `Aligner.align`.

        Raises
        ------
        GraphError
            If the rules of the graph leave no order in which it can be finished.
        """
        if self._filled is None:
            self._filled = self._explain([], [])
        filling, worst, _ = self._filled
        events = [self._meaning.nodes.get(name, -1) for name in names]
        inserted = [self._prices.whole(self.costs.of("inserted", name)) for name in names]
        worst += sum(inserted)
        steps, cost, least = self._explain(events, inserted)
        if least is not None and worst < cost:
            steps, cost = [*(("inserted", event) for event in events), *filling], worst
        if least is not None and least >= cost:
            least = None
        return Alignment(
            recording,
            tuple(self._moves(steps, names)),
            float(worst * self._prices.unit),
            None if least is None else float(least * self._prices.unit),
        )

    def _moves(self, steps: Sequence[Step], names: Sequence[str]) -> Iterator[Move]:
        place = 0
        for kind, node in steps:
            if kind == "skipped":
                name = self._meaning.names[node]
                yield Move(kind, name, None, self.costs.of(kind, name))
            else:
                name = names[place]
                place += 1
                yield Move(kind, name, place, self.costs.of(kind, name))

    def _explain(
        self, events: Sequence[int], inserted: Sequence[int]
    ) -> tuple[list[Step], int, int | None]:
        """Return the moves, their cost, and a lower bound of it unless they are the cheapest."""
        unknown = [0]
        for event, price in zip(reversed(events), reversed(inserted), strict=True):
            unknown.append(unknown[-1] + (price if event < 0 else 0))
        bound = Bound(self._meaning, self._prices, events, unknown[::-1])
        start = _Point(0, State(), 0, False)
        least = bound(0, start.state)
        if least is None:
            raise self._endless()
        best: dict[_Point, int] = {start: 0}
        came: dict[_Point, tuple[_Point, Step]] = {}
        queue = [(least, 0, 0, start)]
        closed: set[_Point] = set()
        number = 0
        while queue:
            least, _, _, point = heapq.heappop(queue)
            if point in closed:
                continue
            if point.place == len(events) and not self._meaning.open(point.state):
                return _way(came, point), best[point], None
            if len(closed) >= self.budget:
                steps = self._greedily(events, bound)
                return steps, self._cost(steps, inserted), least
            closed.add(point)
            for step, price, reached in self._next(point, events, inserted):
                cost = best[point] + price
                if cost >= best.get(reached, math.inf):
                    continue
                rest = bound(reached.place, reached.state)
                if rest is not None:
                    best[reached] = cost
                    came[reached] = point, step
                    number -= 1  # of equals the last one found, which is nearest to an end
                    heapq.heappush(queue, (cost + rest, -reached.place, number, reached))
        raise self._endless()

    def _next(
        self, point: _Point, events: Sequence[int], inserted: Sequence[int]
    ) -> Iterator[tuple[Step, int, _Point]]:
        """Return the moves from a point, the best to try last."""
        meaning, prices = self._meaning, self._prices
        place, state, unrecorded, filling = point
        more = place < len(events)
        if more and not filling:
            step: Step = "inserted", events[place]
            yield step, inserted[place], _Point(place + 1, state, unrecorded, False)
        for node in reversed(tuple(meaning.nodes.values())):
            if meaning.may_do(node, state):
                after = meaning.do(node, state)
                if after != state:
                    new = ~state.done & meaning.repeatable & 1 << node
                    own = (unrecorded | new) & after.done
                    reached = _Point(place, after, own, True)
                    yield ("skipped", node), prices.skipped[node], reached
        node = events[place] if more else -1
        if node >= 0 and not unrecorded >> node & 1 and meaning.may_do(node, state):
            after = meaning.do(node, state)
            reached = _Point(place + 1, after, unrecorded & after.done, False)
            yield ("done", node), prices.done[node], reached

    def _cost(self, steps: Sequence[Step], inserted: Sequence[int]) -> int:
        total = place = 0
        for kind, node in steps:
            if kind == "inserted":
                total += inserted[place]
            else:
                total += (self._prices.done if kind == "done" else self._prices.skipped)[node]
            place += kind != "skipped"
        return total

    def _greedily(self, events: Sequence[int], bound: Bound) -> list[Step]:
        """Return some complete explanation: each step stays if the end can be reached after it."""
        meaning = self._meaning
        state, unrecorded = State(), 0
        steps: list[Step] = []
        ending = self._fill(state, lambda now: not meaning.open(now))
        if ending is None:
            raise GraphError(
                f"no order that finishes this graph was found within {self.budget:,} states; "
                "raise the budget, or make a step that is undone optional"
            )
        for place, event in enumerate(events):
            filled = None
            if event >= 0 and not unrecorded >> event & 1:
                filled = self._before(event, state, set(events[place + 1 :]))
            if filled is not None:
                own, after = unrecorded, state
                for node in filled:
                    own |= ~after.done & meaning.repeatable & 1 << node
                    after = meaning.do(node, after)
                    own &= after.done
                after = meaning.do(event, after)
                rest = self._fill(after, lambda now: not meaning.open(now))
                if rest is not None and bound(place + 1, after) is not None:
                    steps += [("skipped", node) for node in filled]
                    steps.append(("done", event))
                    state, unrecorded, ending = after, own & after.done, rest
                    continue
            steps.append(("inserted", event))
        return steps + [("skipped", node) for node in ending]

    def _before(self, event: int, state: State, later: set[int]) -> list[int] | None:
        """Return unrecorded steps after which a step may be done; None without any."""
        meaning, found = self._meaning, list[int]()
        while not meaning.may_do(event, state):
            missing, seen = meaning.missing(event, state), 0
            while missing & ~seen:
                node = next(bits(missing & ~seen))
                seen |= 1 << node
                if node not in later and meaning.may_do(node, state):
                    break
                missing |= meaning.missing(node, state)
            else:
                return None
            if len(found) >= len(meaning.nodes):
                return None
            found.append(node)
            state = meaning.do(node, state)
        return found

    def _fill(self, start: State, reached: Callable[[State], bool]) -> list[int] | None:
        """Return unrecorded steps that lead to a state, looking first where least is open."""
        meaning = self._meaning
        came: dict[State, tuple[State, int] | None] = {start: None}
        queue = [(meaning.open(start).bit_count(), 0, start)]
        looked = 0
        while queue and looked <= self.budget:
            _, _, state = heapq.heappop(queue)
            looked += 1
            if reached(state):
                way: list[int] = []
                while (last := came[state]) is not None:
                    state, node = last
                    way.append(node)
                return way[::-1]
            for node in reversed(tuple(meaning.nodes.values())):
                if meaning.may_do(node, state):
                    after = meaning.do(node, state)
                    if after not in came:
                        came[after] = state, node
                        open_ = meaning.open(after).bit_count()
                        heapq.heappush(queue, (open_, -len(came), after))
        return None

    def _endless(self) -> GraphError:
        return GraphError(
            "no order of the steps finishes this graph: its choices and what its steps undo are "
            "against each other; make a step of them optional or leave one out"
        )


def _way(came: Mapping[_Point, tuple[_Point, Step]], point: _Point) -> list[Step]:
    steps: list[Step] = []
    while point in came:
        point, step = came[point]
        steps.append(step)
    return steps[::-1]
