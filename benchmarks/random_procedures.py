"""The random procedures that benchmarks measure on: their sizes, their shape and their seeds."""

from __future__ import annotations

from benchmarks.generators import random_procedure
from stepgraph.graph import TaskGraph

SIZES = (8, 12, 16, 24)
"""How many steps the procedures have."""
WIDTH = 0.3
"""Their width, as a share of their steps."""
DENSITY = 0.7
"""How ordered they are; with it three quarters of all pairs of steps are, as in recipes."""
FIRST_SEED = 100
"""Settings were chosen on procedures of smaller seeds; these nobody has seen."""


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
