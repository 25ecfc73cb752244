"""Task graph generation on CaptainCook4D with every recording, mistakes and all, tags unseen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tgml.benchmarks.captaincook4d import (
    Recipes,
    choose_methods,
    is_quick,
    published_answer,
    table_rows,
)
from tgml.benchmarks.data import data_directory, data_file
from tgml.benchmarks.result import BenchmarkResult
from tgml.benchmarks.scoring import EDGE_COLUMNS
from tgml.errors import MissingDataError
from tgml.learners import Progress
from tgml.readers import read_demonstrations, read_graph
from tgml.sequences import Demonstrations, Vocabulary


def run(
    data: str | Path | None, methods: Sequence[str] | None, seeds: int, progress: Progress
) -> BenchmarkResult:
    """Learn every recipe from all its recordings, and score the edges."""
    chosen = choose_methods(methods)
    slow = [label for label in chosen if not is_quick(label)] if methods is None else []
    chosen = [label for label in chosen if label not in slow]
    recipes = read_unfiltered(data_directory(data))
    rows, left_out = table_rows(chosen, recipes, seeds, progress, strict=methods is not None)
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
    folder = data_file(directory, "captaincook4d", "ground_truth_task_graphs").parent
    names = sorted(path.name for path in folder.glob("complete_step_annotations*.json"))
    if not names:
        data_file(directory, "captaincook4d", "complete_step_annotations.json")
    known = {
        letters(path.stem): path for path in (folder / "ground_truth_task_graphs").glob("*.json")
    }
    demonstrations, truths, answers, notes = [], [], {}, []
    for given in read_demonstrations(folder / names[0], format="captaincook4d").procedures.values():
        path = known.get(letters(given.procedure))
        if path is None:
            notes.append(f"{given.procedure} has no known graph and was left out")
            continue
        truth = read_graph(path)
        renamed = with_names(given, truth.steps)
        if renamed is None:
            notes.append(f"{given.procedure} has steps that its known graph lacks; left out")
            continue
        demonstrations.append(renamed)
        truths.append(truth)
        answer = published_answer(directory, path.stem)
        if answer is not None:
            answers[given.procedure] = answer
    if not truths:
        raise MissingDataError(f"{folder}: no known graph of any recipe in {names[0]}")
    return Recipes(tuple(demonstrations), tuple(truths), answers, directory, tuple(notes))


def letters(name: str) -> str:
    """Return a name without spaces, signs and capitals: the known graphs' files are named so."""
    return "".join(char for char in name.casefold() if char.isalnum())


def with_names(given: Demonstrations, names: Sequence[str]) -> Demonstrations | None:
    """Return demonstrations under the known graph's names, whose spelling may differ a little."""
    spelling = {letters(name): name for name in names}
    found = [spelling.get(letters(step)) for step in given.vocabulary.steps]
    if None in found or len(set(found)) < len(found):
        return None
    words = Vocabulary(tuple(name for name in found if name is not None))
    return Demonstrations(words, given.sequences, given.procedure)
