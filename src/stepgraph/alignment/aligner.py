"""The cheapest explanation of a recording by a graph, exactly and in polynomial time.

Graphs with choices, undoing or steps that go with others are left to
`stepgraph.alignment.search`. For all others:

An event x of a recording is in conflict with an earlier event y when the graph wants x's step
before y's, or both are the same step, which a valid order has once. Being later and being
wanted earlier (or the same) are both transitive, so conflict is a strict partial order, also
where steps repeat, and events can stay together exactly if they form an antichain of it: what
is wanted between them can always be filled in. An event that stays saves its insertion and the
skipping of its step, so that the cheapest explanation keeps the heaviest antichain.

By Dilworth's theorem with weights, the heaviest antichain weighs as much as the fewest chains
that cover each element as often as it weighs, and those are found by a flow between two copies
of the elements: from each element to those below it, as much as both weigh. The antichain is
read off the smallest cut (König). Everything is whole numbers and bit masks: exact, and quick
for the few elements that a recording leaves in conflict.

Where a graph says that a step may be repeated, all its later events stay with the first one that
does: each event then saves their insertions, too, and the antichain is as exact as before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from stepgraph.alignment.moves import Alignment, Costs, Move, is_plain
from stepgraph.alignment.search import BUDGET, Searcher
from stepgraph.errors import SettingError
from stepgraph.graph import TaskGraph
from stepgraph.graph.edges import bits
from stepgraph.graph.task_graph import expect_graph


def heaviest_antichain(below: Sequence[int], weights: Sequence[int]) -> int:
    """Return the heaviest set of elements of which none is below another.

    Parameters
    ----------
    below
        For each element the mask of all elements below it, directly or through others; bit n
        stands for element n.
    weights
        What each element weighs, a positive whole number of any size.

    Returns
    -------
    int
        The mask of the set. Of several that weigh the same it is the lowest, whatever the
        order in which they were found.

    Examples
    --------
    >>> bin(heaviest_antichain([0, 0b1, 0b1], [1, 1, 1]))  # 1 and 2 are above 0
    '0b110'
    >>> bin(heaviest_antichain([0, 0b1, 0b1], [3, 1, 1]))
    '0b1'
    """
    flow = _Flow(below, list(weights), list(weights))
    flow.start()
    while True:
        reached, unreached = flow.improve()
        if unreached is not None:
            return reached & unreached


@dataclass(slots=True)
class _Flow:
    """A flow from upper copies of the elements to lower copies.

    Parameters
    ----------
    below
        Where the flow can go from each upper copy.
    supply, room
        What each upper copy still has to send and each lower copy can still take.
    amounts
        What flows, by (upper, lower).
    senders
        For each lower copy the mask of the upper ones that send to it.
    """

    below: Sequence[int]
    supply: list[int]
    room: list[int]
    amounts: dict[tuple[int, int], int] = field(default_factory=dict)
    senders: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.senders = [0] * len(self.below)

    def start(self) -> None:
        """Send what finds room without moving anything, to the nearest elements first."""
        for upper, mask in enumerate(self.below):
            while mask and self.supply[upper]:
                lower = mask.bit_length() - 1
                mask ^= 1 << lower
                amount = min(self.supply[upper], self.room[lower])
                if amount:
                    self._send(upper, lower, amount)
                    self.supply[upper] -= amount
                    self.room[lower] -= amount

    def improve(self) -> tuple[int, int | None]:
        """Send more along a shortest way.

        Returns
        -------
        tuple
            The mask of the upper copies that were reached from one with supply, and, when
            none of them leads to a lower copy with room, the mask of the lower copies that
            were not; None while there was a way.
        """
        below, senders = self.below, self.senders
        unreached = (1 << len(below)) - 1
        with_room = sum(1 << lower for lower, room in enumerate(self.room) if room)
        queue = [upper for upper, supply in enumerate(self.supply) if supply]
        reached = sum(1 << upper for upper in queue)
        came_from: dict[int, int] = {}  # lower -> the upper one before it
        pushed_by: dict[int, int] = {}  # upper -> the lower one before it
        for upper in queue:  # it grows along the way
            found = below[upper] & unreached
            if found & with_room:
                lower = next(bits(found & with_room))
                came_from[lower] = upper
                self._augment(lower, came_from, pushed_by)
                return reached, None
            unreached &= ~found
            for lower in bits(found):
                came_from[lower] = upper
                more = senders[lower] & ~reached
                reached |= more
                for other in bits(more):
                    pushed_by[other] = lower
                    queue.append(other)
        return reached, unreached

    def _augment(self, last: int, came_from: dict[int, int], pushed_by: dict[int, int]) -> None:
        way: list[tuple[int, int]] = []  # (upper, lower) that get more
        back: list[tuple[int, int]] = []  # (upper, lower) that get less
        amount = self.room[last]
        lower = last
        while True:
            upper = came_from[lower]
            way.append((upper, lower))
            if upper not in pushed_by:
                break
            lower = pushed_by[upper]
            back.append((upper, lower))
            amount = min(amount, self.amounts[upper, lower])
        amount = min(amount, self.supply[upper])
        for pair in way:
            self._send(*pair, amount)
        for pair in back:
            self._send(*pair, -amount)
        self.supply[upper] -= amount
        self.room[last] -= amount

    def _send(self, upper: int, lower: int, amount: int) -> None:
        total = self.amounts.get((upper, lower), 0) + amount
        if total:
            self.amounts[upper, lower] = total
            self.senders[lower] |= 1 << upper
        else:
            del self.amounts[upper, lower]
            self.senders[lower] &= ~(1 << upper)


class Aligner:
    """Aligns recordings to one graph.

    Parameters
    ----------
    graph
        The graph. Its valid complete orders are those of ``graph.is_valid(order, complete=True)``:
        every step that is due once, an optional one at most once, one alternative of each choice,
        what was undone again, and a repeatable one at any time after the first. By default a
        recording costs 0 exactly if it is one of them.
    costs
        What the moves cost; by default 1 for a step skipped or inserted.
    budget
        Number of states that the search looks at, where the graph has choices, undoing or steps
        that go with others. Beyond it an alignment need not be the cheapest, and says so in
        `Alignment.at_least`. All other graphs need no search.

    Raises
    ------
    UnknownNameError
        If a cost is for a step that the graph does not have.
    SettingError
        If the budget is negative.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"stir": ["pour"], "drink": ["stir"]})
    >>> alignment = Aligner(graph).align(["stir", "pour", "sing", "drink"])
    >>> [(move.kind, move.step) for move in alignment.moves]  # doctest: +NORMALIZE_WHITESPACE
    [('skipped', 'pour'), ('done', 'stir'), ('inserted', 'pour'), ('inserted', 'sing'),
     ('done', 'drink')]
    >>> alignment.cost, alignment.moved
    (3.0, ('pour',))
    """

    def __init__(
        self, graph: TaskGraph, costs: Costs | None = None, *, budget: int = BUDGET
    ) -> None:
        self.graph = expect_graph(graph, "an alignment")
        self.costs = Costs() if costs is None else costs
        self.costs.check(graph.steps)
        if budget < 0:
            raise SettingError(f"the budget of a search is {budget}; expected a number from 0 on")
        self._search = None if is_plain(graph) else Searcher(graph, self.costs, budget)
        self._names = graph.in_order()
        self._number = {name: number for number, name in enumerate(self._names)}
        size = len(self._names)
        self._needs = [0] * size
        self._needed_by = [0] * size
        for number, name in enumerate(self._names):  # what it needs has lower numbers
            for needed in graph.preconditions_of(name):
                other = self._number[needed]
                self._needs[number] |= 1 << other | self._needs[other]
            for other in bits(self._needs[number]):
                self._needed_by[other] |= 1 << number
        optional = set(graph.optional_steps)
        self._done = [self.costs.of("done", name) for name in self._names]
        self._insert = [self.costs.of("inserted", name) for name in self._names]
        self._skip = [
            0.0 if name in optional else self.costs.of("skipped", name) for name in self._names
        ]
        self._repeatable = {
            self._number[name] for name, about in graph.attributes.items() if about.repeatable
        }
        prices = list(zip(self._insert, self._skip, self._done, strict=True))
        saved = [
            Fraction(insert) + Fraction(skip) - Fraction(done) for insert, skip, done in prices
        ]
        # A repetition may stay or not, whichever is cheaper.
        again = [max(Fraction(insert) - Fraction(done), Fraction(0)) for insert, _, done in prices]
        whole = _whole_numbers(saved + again)
        self._saved, self._again = whole[:size], whole[size:]

    def align(self, steps: Iterable[str], recording: str = "") -> Alignment:
        """Return the cheapest explanation of a recording.

        Parameters
        ----------
        steps
            Step names in the order done; they may repeat, and the graph need not have them.
        recording
            What the recording is called.

        Returns
        -------
        Alignment
            Of several equally cheap ones always the same, in which earlier events stay
            rather than later ones.

        Raises
        ------
        GraphError
            If the rules of the graph are against each other: no order finishes it.
        """
        names = list(steps)
        if self._search is not None:
            return self._search.align(names, recording)
        events = [self._number.get(name, -1) for name in names]
        inserted = [
            self._insert[event] if event >= 0 else self.costs.of("inserted", name)
            for event, name in zip(events, names, strict=True)
        ]
        kept = self._kept(events)
        moves: list[Move] = []
        past = done = 0  # steps done or skipped, and those that were done
        for place, (name, event) in enumerate(zip(names, events, strict=True)):
            if kept >> place & 1:
                moves += self._skip_all(self._needs[event] & ~past)
                done |= 1 << event
                past |= self._needs[event] | 1 << event
            elif not self._is_repetition(event, done):
                moves.append(Move("inserted", name, place + 1, inserted[place]))
                continue
            moves.append(Move("done", name, place + 1, self._done[event]))
        moves += self._skip_all(((1 << len(self._names)) - 1) & ~past)
        return Alignment(recording, tuple(moves), math.fsum([*inserted, *self._skip]))

    def _is_repetition(self, event: int, done: int) -> bool:
        return event in self._repeatable and bool(done >> event & 1) and self._again[event] > 0

    def _skip_all(self, mask: int) -> list[Move]:
        return [
            Move("skipped", self._names[number], None, self._skip[number]) for number in bits(mask)
        ]

    def _kept(self, events: Sequence[int]) -> int:
        """Return the mask of the events that stay, repetitions left aside."""
        weights = self._weights(events)
        places = [0] * len(self._names)  # where each step was done so far
        seen = 0
        below = [0] * len(events)
        candidates = conflicting = 0
        for place, event in enumerate(events):
            if weights[place] < 0:
                continue
            bit = 1 << place
            candidates |= bit
            clash = (self._needed_by[event] | 1 << event) & seen
            if clash:
                mask = 0
                for other in bits(clash):
                    mask |= places[other]
                below[place] = mask
                conflicting |= mask | bit
            places[event] |= bit
            seen |= 1 << event
        free = candidates & ~conflicting
        if not conflicting:
            return free
        worth = [place for place in bits(conflicting) if weights[place]]
        kept = free | _heaviest(worth, below, weights)
        # What neither saves nor costs anything stays where nothing is against it.
        for place in bits(conflicting):
            above = any(below[other] >> place & 1 for other in bits(kept))
            if not weights[place] and not below[place] & kept and not above:
                kept |= 1 << place
        return kept

    def _weights(self, events: Sequence[int]) -> list[int]:
        """Return what each event saves by staying; negative where it must not."""
        weights = [self._saved[event] if event >= 0 else -1 for event in events]
        if self._repeatable:
            later: dict[int, int] = {}
            for place in range(len(events) - 1, -1, -1):
                event = events[place]
                if event in self._repeatable:
                    weights[place] += later.get(event, 0)
                    later[event] = later.get(event, 0) + self._again[event]
        return weights


def _heaviest(places: Sequence[int], below: Sequence[int], weights: Sequence[int]) -> int:
    """Return the heaviest antichain among some places."""
    number = {place: index for index, place in enumerate(places)}
    among = sum(1 << place for place in places)
    close = [sum(1 << number[other] for other in bits(below[place] & among)) for place in places]
    chosen = heaviest_antichain(close, [weights[place] for place in places])
    return sum(1 << places[index] for index in bits(chosen))


def _whole_numbers(values: Iterable[Fraction]) -> list[int]:
    """Return whole numbers in the same proportion, as small as they can be."""
    fractions = list(values)
    scale = math.lcm(*(value.denominator for value in fractions))
    whole = [int(value * scale) for value in fractions]
    divisor = math.gcd(*whole) or 1
    return [value // divisor for value in whole]
