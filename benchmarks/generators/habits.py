"""Orders as people with habits show them: some steps are liked more whenever they can be done."""

from __future__ import annotations

import math
import random

from stepgraph.errors import SettingError
from stepgraph.graph import TaskGraph


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
