"""The heaviest antichain of a partial order: the largest set in which nothing conflicts.

By Dilworth's theorem with weights, the heaviest antichain weighs as much as the fewest chains
that cover each element as often as it weighs, and those are found by a flow between two copies
of the elements: from each element to those below it, as much as both weigh. The antichain is
read off the smallest cut (König). Everything is whole numbers and bit masks: exact, and quick
for the few elements that a recording leaves in conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from stepgraph.graph.edges import bits


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
