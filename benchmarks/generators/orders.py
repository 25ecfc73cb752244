"""Valid orders of a procedure, drawn uniformly or as people with habits show them.

Uniform orders count every order that the graph allows once. They are drawn exactly where the sets
of steps that can have been done at some moment are few enough to list, and by a random walk with
a proven bound on its error where they are not.
"""

from __future__ import annotations

import math
import random
from itertools import accumulate

from stepgraph.errors import SettingError
from stepgraph.graph import TaskGraph

DOWN_SETS = 2**20
"""How many sets of done steps are listed at the most; enough for any graph of 20 steps."""

WALK_ERROR = 0.001
"""How far, in total variation, the walk's distribution may be from the uniform one."""

_BLOCK = 10_000

Order = tuple[int, ...]
"""All steps of a graph as node numbers, in an order in which they can be done."""


def count_orders(graph: TaskGraph, *, limit: int = DOWN_SETS) -> int:
    """Count the valid orders of all steps (the linear extensions of the partial order).

    Parameters
    ----------
    graph
        The graph.
    limit
        How many sets of done steps may be listed to find out.

    Raises
    ------
    SettingError
        If there are more sets than that; counting orders is #P-complete (Brightwell and
        Winkler, 1991), so no method is quick for every graph.

    Examples
    --------
    >>> count_orders(TaskGraph.from_preconditions({"mix": ["egg", "milk"]}))
    2
    """
    completions = _completions(_preconditions(graph), limit)
    if completions is None:
        raise SettingError(
            f"more than {limit} sets of steps can have been done at some moment in this graph of "
            f"{len(graph.steps)} steps; counting its orders needs a limit above that"
        )
    return completions[0]


class UniformOrders:
    """Draws valid orders of all steps of a graph, each with the same probability.

    *Exactly*, by dynamic programming: list every set of steps that can have been done at some
    moment (a down-set of the order), count the ways to go on from each, and do each time one
    of the executable steps with a probability in proportion to the ways that it leaves. All
    counts are whole numbers of any size, so nothing is rounded.

    *By a walk*, where there are more sets than the limit: from a random valid order, exchange
    two neighbours that are free to change places, again and again. The walk is that of
    Karzanov and Khachiyan with the weights of Bubley and Dyer: of the n - 1 pairs of
    neighbours it picks the p-th with a probability in proportion to p (n - p), and exchanges
    it, where the graph allows, with probability 1/2. Two such walks can be coupled so that
    their distance (at most n (n - 1) / 2 exchanges) shrinks by the factor 1 - 6 / (n^3 - n) a
    move on average, so that after (n^3 - n) / 6 * ln(n^2 / (2 e)) moves a walk is within e of
    the uniform distribution, whatever the graph. It makes that many moves for every order,
    anew from a random start, with e = `WALK_ERROR`.

    Parameters
    ----------
    graph
        The graph. The steps that END does not need are part of an order as well.
    limit
        How many sets of done steps may be listed; 0 always walks.

    References
    ----------
    A. Karzanov and L. Khachiyan, "On the conductance of order Markov chains", Order 8 (1991),
    7-15. R. Bubley and M. Dyer, "Faster random generation of linear extensions", Discrete
    Mathematics 201 (1999), 81-88.

    Examples
    --------
    >>> orders = UniformOrders(TaskGraph.from_preconditions({"mix": ["egg", "milk"]}))
    >>> orders.exact, orders.count
    (True, 2)
    >>> orders.draw(random.Random(1))[-1]
    3
    """

    def __init__(self, graph: TaskGraph, *, limit: int = DOWN_SETS) -> None:
        self._needs = _preconditions(graph)
        self._before = _all_preconditions(graph)
        self._completions = _completions(self._needs, limit)

    @property
    def exact(self) -> bool:
        """Whether orders are drawn exactly, not by a walk."""
        return self._completions is not None

    @property
    def count(self) -> int | None:
        """How many orders there are; None where they were too many to count."""
        return None if self._completions is None else self._completions[0]

    @property
    def moves(self) -> int:
        """How many moves the walk makes for an order; 0 where orders are drawn exactly."""
        size = len(self._needs)
        if self.exact or size < 2:
            return 0
        return math.ceil((size**3 - size) / 6 * math.log(size**2 / (2 * WALK_ERROR)))

    @property
    def how(self) -> str:
        """How orders are drawn, in words."""
        if self.exact:
            return f"exactly uniform over {self.count:,} valid orders"
        return (
            f"within {WALK_ERROR:g} of uniform over the valid orders, "
            f"by {self.moves:,} exchanges of neighbours each"
        )

    def draw(self, rng: random.Random) -> Order:
        """Draw an order."""
        steps = self._draw_exactly(rng) if self.exact else self._walk(rng)
        return tuple(step + 1 for step in steps)

    def _draw_exactly(self, rng: random.Random) -> list[int]:
        assert self._completions is not None  # noqa: S101 - for the type checker
        done = 0
        steps: list[int] = []
        for _ in self._needs:
            ticket = rng.randrange(self._completions[done])
            for step in _executable(self._needs, done):
                ways = self._completions[done | 1 << step]
                if ticket < ways:
                    break
                ticket -= ways
            steps.append(step)
            done |= 1 << step
        return steps

    def _walk(self, rng: random.Random) -> list[int]:
        steps = self._start(rng)
        size = len(steps)
        free = [[not before >> step & 1 for before in self._before] for step in range(size)]
        pairs = range(1, size)
        weights = list(accumulate(place * (size - place) for place in pairs))
        # A coin a move says whether to make it: draw places only for those that are made.
        moves = rng.getrandbits(self.moves).bit_count() if self.moves else 0
        for first in range(0, moves, _BLOCK):
            count = min(_BLOCK, moves - first)
            for place in rng.choices(pairs, cum_weights=weights, k=count):
                step, later = steps[place - 1], steps[place]
                if free[step][later]:
                    steps[place - 1], steps[place] = later, step
        return steps

    def _start(self, rng: random.Random) -> list[int]:
        """Do any executable step, each equally likely: valid, but far from uniform."""
        done = 0
        steps = []
        for _ in self._needs:
            steps.append(rng.choice(_executable(self._needs, done)))
            done |= 1 << steps[-1]
        return steps


def draw_orders(graph: TaskGraph, count: int, seed: int) -> tuple[Order, ...]:
    """Draw valid orders of all steps, independently and uniformly; see `UniformOrders`.

    Parameters
    ----------
    graph
        The graph.
    count
        How many; the first ones stay the same when more are drawn.
    seed
        The same seed gives the same orders.

    Examples
    --------
    >>> draw_orders(TaskGraph.from_preconditions({"mix": ["egg"]}), 2, seed=0)
    ((1, 2), (1, 2))
    """
    orders = UniformOrders(graph)
    rng = random.Random(f"orders {seed}")
    return tuple(orders.draw(rng) for _ in range(count))


def _preconditions(graph: TaskGraph) -> list[int]:
    """Return the direct preconditions of each step, one bit for each step; bit 0 is node 1."""
    return [_mask(graph, graph.preconditions_of(step)) for step in graph.steps]


def _all_preconditions(graph: TaskGraph) -> list[int]:
    return [_mask(graph, graph.all_preconditions_of(step)) for step in graph.steps]


def _mask(graph: TaskGraph, names: tuple[str, ...]) -> int:
    return sum(1 << graph.vocabulary.node(name) - 1 for name in names)


def _executable(needs: list[int], done: int) -> list[int]:
    return [
        step for step, needed in enumerate(needs) if not done >> step & 1 and not needed & ~done
    ]


def _completions(needs: list[int], limit: int) -> dict[int, int] | None:
    """Return in how many ways each set of done steps can be completed; None beyond the limit."""
    if limit < 1:
        return None
    steps = range(len(needs))
    # What may become executable by a step: each of them, with what it needs, one bit for each step.
    opened = [
        [(1 << step, needs[step]) for step in steps if needs[step] >> needed & 1]
        for needed in steps
    ]
    levels = [{0: sum(1 << step for step in steps if not needs[step])}]
    listed = 1
    for _ in needs:
        level: dict[int, int] = {}
        for done, executable in levels[-1].items():
            rest = executable
            while rest:
                bit = rest & -rest
                rest ^= bit
                after = done | bit
                if after not in level:
                    level[after] = executable ^ bit
                    for dependent, needed in opened[bit.bit_length() - 1]:
                        if not needed & ~after:
                            level[after] |= dependent
            if listed + len(level) > limit:
                return None
        levels.append(level)
        listed += len(level)
    completions = {(1 << len(needs)) - 1: 1}
    levels.pop()
    while levels:  # each level is dropped once it is counted: the largest graphs fill memory
        for done, rest in levels.pop().items():
            ways = 0
            while rest:
                bit = rest & -rest
                rest ^= bit
                ways += completions[done | bit]
            completions[done] = ways
    return completions


def draw_habitual_orders(
    graph: TaskGraph, count: int, seed: int, *, strength: float
) -> tuple[tuple[int, ...], ...]:
    """Draw valid orders as a crowd with common habits would show them.

    Each step has a liking, the exponential of a normal number; each next step is drawn from the
    executable ones by their likings.

    Parameters
    ----------
    graph
        The procedure.
    count
        How many orders; the first ones stay the same when more are drawn.
    seed
        The same seed gives the same likings and orders.
    strength
        The standard deviation of the normal numbers: at 0 all executable steps are equally
        likely, at 1.5 most people begin with the same few.

    Returns
    -------
    tuple
        Node numbers, one tuple an order.

    Raises
    ------
    SettingError
        If the strength is no finite number from 0 on.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg", "milk"]})
    >>> draw_habitual_orders(graph, 2, seed=1, strength=1.5)
    ((1, 2, 3), (1, 2, 3))
    """
    if not (math.isfinite(strength) and strength >= 0):
        raise SettingError(f"the strength is {strength!r}; expected a number from 0 on")
    rng = random.Random(f"habits {seed}")
    liking = {step: math.exp(rng.gauss(0, strength)) for step in graph.steps}
    orders = []
    for _ in range(count):
        done: list[str] = []
        while possible := graph.executable(done):
            done += rng.choices(possible, [liking[step] for step in possible])
        orders.append(tuple(graph.vocabulary.node(step) for step in done))
    return tuple(orders)
