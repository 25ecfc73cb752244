"""The cheapest explanation of a recording by a graph, exactly and in polynomial time.

An event x of a recording is in conflict with an earlier event y when the graph wants x's step
before y's, or both are the same step, which a valid order has once. Being later and being
wanted earlier (or the same) are both transitive, so conflict is a strict partial order, also
where steps repeat, and events can stay together exactly if they form an antichain of it: what
is wanted between them can always be filled in. An event that stays saves its insertion and the
skipping of its step, so that the cheapest explanation keeps the heaviest antichain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from tgml.alignment.antichain import bits, heaviest_antichain
from tgml.alignment.costs import Costs
from tgml.alignment.moves import Alignment, Move
from tgml.graph import TaskGraph


class Aligner:
    """Aligns recordings to one graph.

    Parameters
    ----------
    graph
        The graph; its valid complete orders have every step once.
    costs
        What the moves cost; by default 1 for a step skipped or inserted.

    Raises
    ------
    UnknownNameError
        If a cost is for a step that the graph does not have.

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

    def __init__(self, graph: TaskGraph, costs: Costs | None = None) -> None:
        self.graph = graph
        self.costs = Costs() if costs is None else costs
        self.costs.check(graph.steps)
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
        self._done = [self.costs.of("done", name) for name in self._names]
        self._skip = [self.costs.of("skipped", name) for name in self._names]
        self._insert = [self.costs.of("inserted", name) for name in self._names]
        self._saved = _whole_numbers(
            Fraction(insert) + Fraction(skip) - Fraction(done)
            for insert, skip, done in zip(self._insert, self._skip, self._done, strict=True)
        )

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
        """
        names = list(steps)
        events = [self._number.get(name, -1) for name in names]
        inserted = [
            self._insert[event] if event >= 0 else self.costs.of("inserted", name)
            for event, name in zip(events, names, strict=True)
        ]
        kept = self._kept(events)
        moves: list[Move] = []
        open_ = (1 << len(self._names)) - 1
        for place, (name, event) in enumerate(zip(names, events, strict=True)):
            if kept >> place & 1:
                moves += self._skip_all(self._needs[event] & open_)
                moves.append(Move("done", name, place + 1, self._done[event]))
                open_ &= ~(self._needs[event] | 1 << event)
            else:
                moves.append(Move("inserted", name, place + 1, inserted[place]))
        moves += self._skip_all(open_)
        return Alignment(recording, tuple(moves), math.fsum([*inserted, *self._skip]))

    def enabled(self, done: Iterable[str]) -> tuple[str, ...]:
        """Return the steps that a valid order may have next, in a valid order.

        Parameters
        ----------
        done
            The steps of a valid order so far.
        """
        mask = sum(1 << self._number[name] for name in done)
        return tuple(
            name
            for number, name in enumerate(self._names)
            if not (mask >> number & 1 or self._needs[number] & ~mask)
        )

    def _skip_all(self, mask: int) -> list[Move]:
        return [
            Move("skipped", self._names[number], None, self._skip[number]) for number in bits(mask)
        ]

    def _kept(self, events: Sequence[int]) -> int:
        """Return the mask of the events that stay."""
        places = [0] * len(self._names)  # where each step was done so far
        seen = 0
        below = [0] * len(events)
        conflicting = 0
        candidates = 0
        for place, event in enumerate(events):
            if event < 0 or self._saved[event] < 0:
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
        weights = [self._saved[event] if event >= 0 else 0 for event in events]
        worth = [place for place in bits(conflicting) if weights[place]]
        kept = free | _heaviest(worth, below, weights)
        # What neither saves nor costs anything stays where nothing is against it.
        for place in bits(conflicting):
            above = any(below[other] >> place & 1 for other in bits(kept))
            if not weights[place] and not below[place] & kept and not above:
                kept |= 1 << place
        return kept


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
