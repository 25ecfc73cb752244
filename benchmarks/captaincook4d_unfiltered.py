"""Task graph generation on CaptainCook4D with every recording, mistakes and all, tags unseen."""

from __future__ import annotations

from pathlib import Path

from benchmarks.asked import Asked
from benchmarks.captaincook4d import choose_methods, is_quick, table_rows
from benchmarks.data import data_directory
from benchmarks.recipes import Recipes, published_answers
from benchmarks.result import BenchmarkResult
from benchmarks.scoring import EDGE_COLUMNS
from benchmarks.whole_recordings import read_everything


def run(asked: Asked) -> BenchmarkResult:
    """Learn every recipe from all its recordings, and score the edges."""
    chosen = choose_methods(asked.methods)
    slow = [label for label in chosen if not is_quick(label)] if asked.methods is None else []
    chosen = [label for label in chosen if label not in slow]
    recipes = read_unfiltered(data_directory(asked.data))
    rows, left_out = table_rows(chosen, recipes, asked)
    for row in rows:
        for foreign in ("paper", "released_seconds", "ratio"):
            row.pop(foreign, None)  # they are of the clean recordings
    recordings = sum(map(len, recipes.demonstrations))
    return BenchmarkResult(
        "captaincook4d-unfiltered",
        f"CaptainCook4D, {len(recipes.truths)} recipes, all {recordings} recordings, mistakes "
        "included and their tags unseen, steps in file order; macro averages over recipes",
        rows,
        EDGE_COLUMNS[:-1],
        [
            *recipes.notes,
            *left_out,
            *([f"left out as slow, --methods runs them: {', '.join(slow)}"] if slow else []),
            "the paper does not report this; it learns from recordings without order errors",
        ],
    )


def read_unfiltered(directory: Path) -> Recipes:
    """Read every recording of the recipes that have a known graph.

    Raises
    ------
    MissingDataError
        If the files are not there, or no recipe has both.
    """
    whole, notes = read_everything(directory)
    answers, unusable = published_answers(directory, {one.file: one.truth for one in whole})
    return Recipes(
        tuple(one.demonstrations for one in whole),
        tuple(one.truth for one in whole),
        {one.demonstrations.procedure: answers[one.file] for one in whole if one.file in answers},
        directory,
        (*notes, *unusable),
    )
