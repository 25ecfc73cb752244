"""The paper's qualitative figures: each recipe's known graph, and the learned one beside it."""

from __future__ import annotations

import re
from typing import Any

from benchmarks.datasets.captaincook4d import letters, read_recipes
from benchmarks.datasets.directory import data_directory
from benchmarks.graphs.data_split import PAPER
from benchmarks.harness import BenchmarkResult, Column, Request, percent
from stepgraph.drawing.panels import draw_panels, truth_and_prediction
from stepgraph.errors import SettingError
from stepgraph.evaluation import compare_edges
from stepgraph.pipeline import LearningOptions, learn_together

METHOD = "do-paper"
PRESET = "-paper"
"""How the name of a method ends that is to learn with the paper's settings."""
SEED = 42
"""The seed of the paper's configuration."""
TITLES = {letters(recipe): recipe for recipe in PAPER}
"""What the paper calls the recipes, whose names in the files are run together."""
NOTES = (
    (
        "read from the bottom, where START is, to the top; an arrow points from a step to its "
        "precondition"
    ),
    (
        "a solid line is an edge that both graphs have; in (a) a dashed one is missing from the "
        "learned graph, in (b) a dotted one is in the learned graph only"
    ),
)


def run(request: Request) -> BenchmarkResult:
    """Learn every recipe and draw it, as the paper's figures 'qualitative 1' to '24' do."""
    if request.methods is not None and len(request.methods) != 1:
        raise SettingError(
            f"the figures show one method and {len(request.methods)} are asked for "
            f"({', '.join(request.methods)}); expected one, by default {METHOD!r}"
        )
    method = request.methods[0] if request.methods else METHOD
    preset = "paper" if method.endswith(PRESET) else None
    options = LearningOptions(method.removesuffix(PRESET), seed=SEED, preset=preset)
    recipes = read_recipes(data_directory(request.data, needs=("captaincook4d",)))
    learned = [*learn_together(recipes.demonstrations, options, progress=request.progress)]
    rows: list[dict[str, Any]] = []
    figures = {}
    for place, (result, truth) in enumerate(zip(learned, recipes.truths, strict=True), start=1):
        recipe = result.graph.procedure
        request.progress(place, len(learned), f"drawing {recipe}")
        scores = compare_edges(result.graph, truth)
        name = f"{place:02}-{re.sub(r'[^a-z0-9]+', '-', recipe.casefold()).strip('-')}"
        title = TITLES.get(letters(recipe), recipe)
        figures[name] = draw_panels(truth_and_prediction(result.graph, truth), title=title)
        rows.append(
            {
                "method": method,
                "recipe": title,
                "figure": name,
                "precision": scores.precision,
                "recall": scores.recall,
                "f1": scores.f1,
                "common": len(scores.common),
                "missing": len(scores.missing),
                "spurious": len(scores.spurious),
            }
        )
    return BenchmarkResult(
        "figures",
        f"CaptainCook4D, {len(rows)} recipes: (a) known graphs and (b) graphs learned with "
        f"{method!r} (seed {SEED})",
        rows,
        COLUMNS,
        [*recipes.notes, *NOTES],
        charts=figures,
    )


COLUMNS = (
    Column("recipe", lambda row: str(row["recipe"])),
    Column("common", lambda row: str(row["common"])),
    Column("missing", lambda row: str(row["missing"])),
    Column("spurious", lambda row: str(row["spurious"])),
    Column("precision", lambda row: percent(row["precision"])),
    Column("recall", lambda row: percent(row["recall"])),
    Column("F1", lambda row: percent(row["f1"])),
)
