"""Random procedures whose truth is known: graphs, and recordings of them with marked errors.

`random_procedure` draws a graph, `draw_demonstrations` draws recordings uniformly from its valid
orders, `with_choices` adds steps that may be left out or repeated, and `Noise` says what goes
wrong, every error marked on its recording. `rules` adds choices between steps and rework, and
draws runs of them. As the truth is known, this tells how many recordings a method needs and how
many errors it bears.
"""

from __future__ import annotations

import random

from benchmarks.generators.choices import make_choices, with_choices
from benchmarks.generators.noise import Demonstrator, Noise, disturb
from benchmarks.generators.orders import (
    UniformOrders,
    count_orders,
    draw_habitual_orders,
    draw_orders,
)
from benchmarks.generators.problems import Problem, draw_problems
from benchmarks.generators.procedures import random_procedure
from stepgraph.graph import TaskGraph
from stepgraph.sequences import Demonstrations, Vocabulary

__all__ = [
    "Demonstrator",
    "Noise",
    "Problem",
    "UniformOrders",
    "count_orders",
    "disturb",
    "draw_demonstrations",
    "draw_habitual_orders",
    "draw_orders",
    "draw_problems",
    "random_procedure",
    "with_choices",
]


def draw_demonstrations(
    graph: TaskGraph,
    count: int,
    seed: int,
    *,
    noise: Noise | None = None,
    habits: float | None = None,
) -> Demonstrations:
    """Draw recordings of a procedure.

    Parameters
    ----------
    graph
        The procedure; steps that its attributes call optional are left out, and repeatable ones
        repeated, as often as they say.
    count
        How many recordings; the first ones stay the same when more are drawn.
    seed
        The same seed gives the same recordings, and the same orders under any noise.
    noise
        Who shows the procedure, and with which errors; by default without any.
    habits
        How strong their common habits are, see `draw_habitual_orders`; by default all valid
        orders are equally likely.

    Returns
    -------
    Demonstrations
        Over the steps of the graph; where noise holds unknown steps, these come after them,
        called 'unknown 1', 'unknown 2' and so on.

    Raises
    ------
    FormatError
        If the number of recordings is not positive, or a step of the graph has the name of an
        unknown one.

    Examples
    --------
    >>> graph = random_procedure(8, width=3, density=0.3, seed=0)
    >>> clean = draw_demonstrations(graph, 4, seed=0)
    >>> all(graph.is_valid(clean.names(recording), complete=True) for recording in clean)
    True
    >>> noisy = draw_demonstrations(graph, 4, seed=0, noise=Noise(Demonstrator(skipped=0.3)))
    >>> noisy.sequences[0].skipped
    (7, 3, 6)
    """
    noise = noise or Noise()
    names = list(graph.steps)
    if noise.careful.unknown or noise.careless.unknown:
        names += [f"unknown {number}" for number in range(1, noise.unknown_steps + 1)]
    orders = (
        draw_orders(graph, count, seed)
        if habits is None
        else draw_habitual_orders(graph, count, seed, strength=habits)
    )
    if any(known.optional or known.repeatable for known in graph.attributes.values()):
        rng = random.Random(f"chosen {seed}")
        orders = tuple(
            make_choices(graph, order, random.Random(rng.getrandbits(64))) for order in orders
        )
    return Demonstrations(
        Vocabulary(tuple(names)),
        disturb(orders, noise, seed, steps=len(graph.steps)),
        graph.procedure,
    )
