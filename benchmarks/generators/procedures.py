"""Random procedures: partial orders of a given size, width and density."""

from __future__ import annotations

import random
from collections.abc import Iterator

from stepgraph.errors import SettingError
from stepgraph.graph import Provenance, TaskGraph, connect_ends


def random_procedure(steps: int, *, width: int, density: float, seed: int) -> TaskGraph:
    """Draw a random partial order of steps, as a task graph.

    It is drawn as chains with a waist and relations between them:

    1. The steps are dealt to `width` chains, one to each and the rest uniformly at random; a
       chain is done in its order. So at most `width` steps are mutually unordered (Dilworth,
       1950).
    2. In each chain one step, uniformly at random, is put into the waist. No relation is ever
       drawn between two steps of the waist, nor one that implies such a relation: they are
       `width` mutually unordered steps, and the width is exactly `width`.
    3. All steps below the waist are shuffled into one line that keeps the order of each
       chain, then come the waist, then all steps above it in another such line. Relations are
       drawn between steps of different chains, uniformly at random, always from earlier to
       later in this line, with all that they imply, until the share `density` of such pairs is
       ordered, to the nearest pair. One that would overshoot is passed over.

    The names are then dealt at random, so that neither they nor the node numbers tell anything
    about the order.

    Parameters
    ----------
    steps
        How many steps.
    width
        The size of the largest set of mutually unordered steps.
    density
        Of the pairs of steps in different chains (pairs within the waist aside), the share
        that is ordered: 0 for chains that have nothing to do with each other, 1 for one line
        of steps in which only the waist is free.
    seed
        The same seed gives the same procedure.

    Returns
    -------
    TaskGraph
        Transitively reduced, with START and END connected; its steps are called 'step 01',
        'step 02' and so on.

    Raises
    ------
    SettingError
        If there is no step, the width is not between 1 and the number of steps, or the density
        is not between 0 and 1.

    References
    ----------
    R. P. Dilworth, "A decomposition theorem for partially ordered sets", Annals of
    Mathematics 51 (1950), 161-166.

    Examples
    --------
    >>> graph = random_procedure(6, width=2, density=0.5, seed=1)
    >>> graph.steps
    ('step 01', 'step 02', 'step 03', 'step 04', 'step 05', 'step 06')
    >>> len(random_procedure(5, width=5, density=0.0, seed=1).executable())
    5
    """
    if steps < 1:
        raise SettingError(f"the number of steps is {steps}; expected 1 or more")
    if not 1 <= width <= steps:
        raise SettingError(f"the width is {width}; expected 1 to the number of steps, {steps}")
    if not 0 <= density <= 1:
        raise SettingError(f"the density is {density}; expected a number from 0 to 1")
    rng = random.Random(f"procedure {seed}")
    chain_of, waist = _line_of_chains(steps, width, rng)
    order = _Order(chain_of)
    pairs = [
        (earlier, later)
        for later in range(steps)
        for earlier in range(later)
        if chain_of[earlier] != chain_of[later] and not {earlier, later} <= waist
    ]
    _relate(order, pairs, round(density * len(pairs)), rng)
    digits = max(2, len(str(steps)))
    names = [f"step {number:0{digits}}" for number in range(1, steps + 1)]
    dealt = rng.sample(names, steps)
    edges = [
        (dealt[place], dealt[needed])
        for place in range(steps)
        for needed in order.direct_preconditions(place)
    ]
    return TaskGraph(
        names,
        connect_ends(names, edges),
        procedure=f"random procedure of {steps} steps, "
        f"width {width}, density {density:g}, seed {seed}",
        provenance=Provenance(
            other={"steps": steps, "width": width, "density": density, "seed": seed}
        ),
    )


def _line_of_chains(steps: int, width: int, rng: random.Random) -> tuple[list[int], set[int]]:
    """Return the chain of the step at each place of the line, and the places of the waist."""
    sizes = [1] * width
    for _ in range(steps - width):
        sizes[rng.randrange(width)] += 1
    below: list[int] = []
    above: list[int] = []
    for chain, size in enumerate(sizes):
        before = rng.randrange(size)
        below += [chain] * before
        above += [chain] * (size - 1 - before)
    # A uniform shuffle of the chains' labels is a uniform merge of the chains.
    rng.shuffle(below)
    rng.shuffle(above)
    waist = set(range(len(below), len(below) + width))
    return [*below, *range(width), *above], waist


class _Order:
    """A partial order of places 0 to n - 1, one bit for each place, kept transitively closed."""

    def __init__(self, chain_of: list[int]) -> None:
        self.before = [0] * len(chain_of)
        self.after = [0] * len(chain_of)
        last: dict[int, int] = {}
        for place, chain in enumerate(chain_of):
            if chain in last:
                self.add(last[chain], place)
            last[chain] = place

    def has(self, earlier: int, later: int) -> bool:
        return bool(self.before[later] >> earlier & 1)

    def gain(self, earlier: int, later: int) -> int:
        """Return how many pairs a relation would order that are not ordered yet."""
        above = self.after[later] | 1 << later
        return sum(
            (above & ~self.after[place]).bit_count()
            for place in (*_places(self.before[earlier]), earlier)
        )

    def add(self, earlier: int, later: int) -> None:
        below = self.before[earlier] | 1 << earlier
        above = self.after[later] | 1 << later
        for place in _places(below):
            self.after[place] |= above
        for place in _places(above):
            self.before[place] |= below

    def direct_preconditions(self, place: int) -> Iterator[int]:
        """Yield the places before one with none in between."""
        return (
            needed
            for needed in _places(self.before[place])
            if not self.before[place] & self.after[needed]
        )


def _relate(order: _Order, pairs: list[tuple[int, int]], wanted: int, rng: random.Random) -> None:
    """Draw relations until the wanted number of pairs is ordered."""
    missing = wanted
    while missing:
        # A pair with nothing between it adds just itself, and there is always one: no pass is
        # in vain. What a relation implies never lies within a chain, which is ordered already.
        for earlier, later in rng.sample(pairs, len(pairs)):
            if not order.has(earlier, later) and (gain := order.gain(earlier, later)) <= missing:
                order.add(earlier, later)
                missing -= gain
                if not missing:
                    return


def _places(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
