"""Task graph generation on CaptainCook4D: the paper's Table 1, with the controls it lacks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from tgml.benchmarks.data import data_directory, data_file
from tgml.benchmarks.result import BenchmarkResult, Column, percent
from tgml.errors import MissingDataError, UnknownNameError
from tgml.evaluation import EdgeScores, compare_edges, macro_average, mean_interval
from tgml.evaluation.controls import CONTROLS, uncontradicted
from tgml.graph import TaskGraph
from tgml.learners import LEARNERS, Progress, get_learner
from tgml.postprocess import to_graph
from tgml.readers import read_demonstrations, read_graph
from tgml.sequences import Demonstrations

PAPER = {
    "do": (0.864, 0.897, 0.878, 0.015),
}
"""The paper's Table 1: precision, recall, F1 and the half-width of F1's 90 % interval."""


@dataclass(frozen=True)
class Variant:
    """A row of the table: a learner with some of its settings.

    Parameters
    ----------
    label
        What the row is called.
    method
        The learner.
    settings
        Its settings, where they are not the defaults.
    about
        What sets the row apart.
    """

    label: str
    method: str
    settings: dict[str, Any] = field(default_factory=dict)
    about: str = ""


VARIANTS = (
    Variant(
        "do-paper-stopping",
        "do",
        {"stopping": "paper"},
        "Direct Optimization stopped as the paper does, on the sequence accuracy of whole graphs",
    ),
)

CONTROL_NOTES = {
    "no-order": "control: no step needs another",
    "first-recording": "control: the first recording as a chain",
    "uncontradicted": "knows the truth: the known edges that no recording contradicts",
}


def run(
    data: str | Path | None, methods: Sequence[str] | None, seeds: int, progress: Progress
) -> BenchmarkResult:
    """Learn every recipe that has recordings and a known graph, and score the edges."""
    directory = data_directory(data)
    annotations = data_file(directory, "captaincook4d", "task_graph_generation_annotations.json")
    truths_folder = data_file(directory, "captaincook4d", "ground_truth_task_graphs")
    chosen = _choose(methods)
    reading = read_demonstrations(annotations, format="annotations", order="file")
    procedures: list[Demonstrations] = []
    truths: list[TaskGraph] = []
    notes = []
    for name, demonstrations in reading.procedures.items():
        path = truths_folder / f"{name}.json"
        if not path.exists():
            notes.append(f"{name} has no known graph and was left out")
            continue
        procedures.append(demonstrations)
        truths.append(read_graph(path))
    if not procedures:
        raise MissingDataError(f"{truths_folder}: no known graph of any recipe in {annotations}")
    rows = []
    for done, label in enumerate(chosen):
        progress(done, len(chosen), label)
        rows.append(_row(label, procedures, truths, seeds))
    progress(len(chosen), len(chosen), "done")
    recordings = sum(map(len, procedures))
    return BenchmarkResult(
        "captaincook4d",
        f"CaptainCook4D, {len(procedures)} recipes, {recordings} recordings without order errors, "
        "steps in file order; macro averages over recipes, edges of START and END included",
        rows,
        COLUMNS,
        [
            *notes,
            "the interval is Student's t at 90 % over seeds; methods that draw nothing have 0",
            "uncontradicted knows the known graph: what recordings leave possible, not a method",
        ],
    )


def _choose(methods: Sequence[str] | None) -> list[str]:
    every = [*LEARNERS, *(variant.label for variant in VARIANTS), *CONTROL_NOTES]
    if methods is None:
        return every
    for name in methods:
        if name not in every:
            raise UnknownNameError("method", name, every)
    return list(dict.fromkeys(methods))


def _row(
    label: str, procedures: list[Demonstrations], truths: list[TaskGraph], seeds: int
) -> dict[str, Any]:
    started = time.perf_counter()
    if label in CONTROL_NOTES:
        about = CONTROL_NOTES[label]
        runs = [[_control(label, *pair) for pair in zip(procedures, truths, strict=True)]]
        seconds = time.perf_counter() - started
    else:
        variants = {variant.label: variant for variant in VARIANTS}
        variant = variants.get(label, Variant(label, label))
        about = variant.about or LEARNERS[variant.method].summary
        learner = get_learner(variant.method, **variant.settings)
        numbers = range(seeds) if learner.seeded else range(1)
        started = time.perf_counter()
        learned = learner.learn_many(procedures, seeds=numbers)
        runs = [[to_graph(row[run].adjacency).graph for row in learned] for run in numbers]
        seconds = time.perf_counter() - started
    scores = [
        [compare_edges(graph, truth) for graph, truth in zip(graphs, truths, strict=True)]
        for graphs in runs
    ]
    averages = [macro_average(run) for run in scores]
    interval = mean_interval([f1 for _, _, f1 in averages])
    row = {
        "method": label,
        "about": about,
        "precision": fmean(average[0] for average in averages),
        "recall": fmean(average[1] for average in averages),
        "f1": interval.mean,
        "f1_interval90": interval.half_width,
        "runs": len(runs),
        "seconds": seconds,
        "procedures": _per_procedure(procedures, scores),
    }
    if label in PAPER:
        precision, recall, f1, half_width = PAPER[label]
        row["paper"] = {
            "precision": precision,
            "recall": recall,
            "f1": f1,
            "f1_interval90": half_width,
        }
    return row


def _control(label: str, demonstrations: Demonstrations, truth: TaskGraph) -> TaskGraph:
    if label == "uncontradicted":
        return uncontradicted(demonstrations, truth)
    return CONTROLS[label](demonstrations)


def _per_procedure(
    procedures: list[Demonstrations], scores: list[list[EdgeScores]]
) -> list[dict[str, Any]]:
    return [
        {
            "procedure": demonstrations.procedure,
            "precision": fmean(run[number].precision for run in scores),
            "recall": fmean(run[number].recall for run in scores),
            "f1": fmean(run[number].f1 for run in scores),
        }
        for number, demonstrations in enumerate(procedures)
    ]


COLUMNS = (
    Column("method", lambda row: str(row["method"])),
    Column("precision", lambda row: percent(row["precision"])),
    Column("recall", lambda row: percent(row["recall"])),
    Column(
        "F1 (90 %)",
        lambda row: percent(row["f1"], row["f1_interval90"] if row["runs"] > 1 else None),
    ),
    Column("seconds", lambda row: f"{row['seconds']:.2f}"),
    Column(
        "paper's P / R / F1",
        lambda row: (
            f"{percent(row['paper']['precision'])} / {percent(row['paper']['recall'])} / "
            f"{percent(row['paper']['f1'], row['paper']['f1_interval90'])}"
            if "paper" in row
            else ""
        ),
    ),
)
