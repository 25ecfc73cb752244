"""The random procedures that benchmarks measure on, and crowds of all habits that show them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from benchmarks.generators.noise import Demonstrator, Noise, disturb
from benchmarks.generators.orders import draw_habitual_orders
from benchmarks.generators.procedures import random_procedure
from stepgraph.graph import TaskGraph
from stepgraph.sequences import Demonstrations

SIZES = (8, 12, 16, 24)
"""How many steps the procedures have."""
WIDTH = 0.3
"""Their width, as a share of their steps."""
DENSITY = 0.7
"""How ordered they are; with it three quarters of all pairs of steps are, as in recipes."""
FIRST_SEED = 100
"""Settings were chosen on procedures of smaller seeds; these were never looked at."""


def draw_procedure(size: int, seed: int) -> TaskGraph:
    """Return the procedure of a size and a seed."""
    return random_procedure(size, width=round(WIDTH * size), density=DENSITY, seed=seed)


def measured_seeds(seeds: int) -> range:
    """Return the seeds to measure on, as many as the user asks for."""
    return range(FIRST_SEED, FIRST_SEED + seeds)


def draw_procedures(seeds: int) -> list[TaskGraph]:
    """Return the procedures of all sizes, as many of each as the user asks for."""
    return [draw_procedure(size, seed) for size in SIZES for seed in measured_seeds(seeds)]


def note_on_procedures(seeds: int) -> str:
    """Return what a reader must know of the procedures."""
    sizes = ", ".join(map(str, SIZES))
    return (
        f"{seeds} procedures each of {sizes} steps, their width {WIDTH:g} of the steps, their "
        f"density {DENSITY:g}"
    )


PROBLEM_SIZES = (6, 8, 10, 12, 14, 16, 20, 24)
WIDTHS = (0.2, 0.3, 0.4)
DENSITIES = (0.5, 0.7, 0.9)
COUNTS = (4, 6, 8, 12, 16, 24)
HABITS = (0.0, 0.75, 1.5)
RATES = (0.03, 0.06, 0.1, 0.15, 0.2, 0.3)
FLAWLESS, ALL_ALIKE = 0.3, 0.55
"""Below the first no recording errs; below the second all err alike, at half the rate; above it
every other one errs and the rest do not."""


class Problem(NamedTuple):
    """Recordings of a procedure whose graph is known."""

    demonstrations: Demonstrations
    truth: TaskGraph


def draw_problems(seeds: Iterable[int]) -> Iterator[Problem]:
    """Draw one problem for each seed.

    Sizes, widths, densities, habits, numbers of recordings and errors are drawn from what recipes
    and assemblies are like; the same seed gives the same problem.
    """
    for seed in seeds:
        rng = random.Random(f"problem {seed}")
        steps = rng.choice(PROBLEM_SIZES)
        truth = random_procedure(
            steps,
            width=max(1, round(rng.choice(WIDTHS) * steps)),
            density=rng.choice(DENSITIES),
            seed=seed,
        )
        kind, rate = rng.random(), rng.choice(RATES)
        if kind < FLAWLESS:
            noise = Noise()
        elif kind < ALL_ALIKE:
            noise = Noise(Demonstrator.even(rate / 2))
        else:
            noise = Noise(Demonstrator(), Demonstrator.even(rate), careless_share=0.5)
        orders = draw_habitual_orders(truth, rng.choice(COUNTS), seed, strength=rng.choice(HABITS))
        recordings = disturb(orders, noise, seed, steps=steps)
        yield Problem(Demonstrations(truth.vocabulary, recordings, truth.procedure), truth)
