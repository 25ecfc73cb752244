"""The paper's qualitative figures: each recipe's learned graph, drawn against the known one."""

from __future__ import annotations

import re
from typing import Any

from benchmarks.datasets.captaincook4d import read_recipes
from benchmarks.datasets.directory import data_directory
from benchmarks.harness import BenchmarkResult, Column, Request, percent
from stepgraph.drawing import draw_comparison
from stepgraph.errors import SettingError
from stepgraph.evaluation import compare_edges
from stepgraph.pipeline import LearningOptions, learn_together

METHOD = "do"
NOTES = (
    (
        "START is at the bottom; a solid line is an edge that both graphs have, a dashed one is "
        "missing from the learned graph, a dotted one is in the learned graph only"
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
    recipes = read_recipes(data_directory(request.data, needs=("captaincook4d",)))
    learned = [
        *learn_together(recipes.demonstrations, LearningOptions(method), progress=request.progress)
    ]
    rows: list[dict[str, Any]] = []
    figures = {}
    for place, (result, truth) in enumerate(zip(learned, recipes.truths, strict=True), start=1):
        recipe = result.graph.procedure
        request.progress(place, len(learned), f"drawing {recipe}")
        scores = compare_edges(result.graph, truth)
        name = f"{place:02}-{re.sub(r'[^a-z0-9]+', '-', recipe.casefold()).strip('-')}"
        # Known graphs are called by their files; the recipe's own name is the title.
        figures[name] = draw_comparison(result.graph, truth.replace(procedure=recipe))
        rows.append(
            {
                "method": method,
                "recipe": recipe,
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
        f"CaptainCook4D, {len(rows)} recipes: graphs learned with {method!r} (seed 0) against the "
        "known ones",
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
