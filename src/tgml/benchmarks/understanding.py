"""Pairwise ordering and future prediction: which of two clips comes first, and which comes next.

Every other recording of each recipe is held for test, and a network is trained on the others
alone. From each test recording, repetitions aside, come all triplets of consecutive steps: which
of the first and the third comes first, and which of them follows the second?
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tgml.benchmarks.captaincook4d import read_recipes
from tgml.benchmarks.data import data_directory
from tgml.benchmarks.result import BenchmarkResult, Column, percent
from tgml.benchmarks.scoring import timed
from tgml.errors import UnavailableError, UnknownNameError
from tgml.evaluation import mean_interval
from tgml.learners import LEARNERS, Progress, get_learner
from tgml.learners.precedence import precedence
from tgml.repetitions import Repetitions
from tgml.sequences import Demonstrations, KeyStepSequence

PAPER = {"ordering": 0.773, "future": 0.743}
"""The paper's TGT-video, by its own rule and on its own features."""
SETTINGS: dict[str, Any] = {
    "beta": 1.0,
    "final_beta": 1.0,
    "evenness": 0.3,
    "final_evenness": 0.05,
    "subsets": 0.8,
    "stop": False,
    "epochs": 150,
}
"""How networks are trained here. At beta 1 the loss is the likelihood, so habits count and not only
what never happened; subsets teach a network what two or three steps alone look like."""
RANDOM = 20_000
"""How many random matrices chance is measured on."""
ROWS = {
    "majority-order": "control: the majority order of the training recordings, steps known by name",
    "random-matrices": "chance: softmax of random scores",
    "tgt-text": "the transformer on step names, one network a recipe",
}
NOTES = (
    (
        "fair: the likelier of both orders wins, ties count half; asked the other way round it "
        "answers the opposite, so chance is 50 %"
    ),
    (
        "published: right if any of its conditions holds, the truth always on the same side; "
        "random matrices show its chance"
    ),
    (
        "the paper's 77.3 and 74.3 are TGT-video's, by the published rule and on video features "
        "that are not at hand here"
    ),
)

Indices = NDArray[np.int64]
Answers = dict[str, NDArray[np.float64]]
"""For each task and rule the share of right answers of each triplet: 0, 0.5 or 1."""


@dataclass(frozen=True)
class Halves:
    """A recipe whose recordings are kept apart.

    Parameters
    ----------
    train
        What may be learned from.
    test
        The recordings to ask about.
    """

    train: Demonstrations
    test: tuple[KeyStepSequence, ...]

    @classmethod
    def of(cls, given: Demonstrations) -> Halves:
        """Hold the first recording, and every other one after it, for test."""
        return cls(replace(given, sequences=given.sequences[1::2]), given.sequences[0::2])

    @property
    def triplets(self) -> Indices:
        """(triplets, 3): consecutive steps of the test recordings, first occurrences only."""
        found = []
        for recording in self.test:
            steps = list(dict.fromkeys(recording.steps))
            found += list(zip(steps, steps[1:], steps[2:], strict=False))
        return np.array(found, dtype=np.int64).reshape(-1, 3)


def run(
    data: str | Path | None, methods: Sequence[str] | None, seeds: int, progress: Progress
) -> BenchmarkResult:
    """Train on half of the recordings, and ask about the others."""
    chosen = list(ROWS) if methods is None else list(dict.fromkeys(methods))
    for name in chosen:
        if name not in ROWS:
            raise UnknownNameError("method", name, ROWS)
    recipes = read_recipes(data_directory(data, needs=("captaincook4d",)))
    halves = [Halves.of(given) for given in recipes.demonstrations if len(given) > 1]
    count = sum(len(own.triplets) for own in halves)
    rows, notes = [], []
    for done, label in enumerate(chosen):
        progress(done, len(chosen), label)
        try:
            rows.append(_row(label, halves, seeds))
        except UnavailableError as error:
            if methods is not None:
                raise
            notes.append(f"{label} was left out: {error}")
    progress(len(chosen), len(chosen), "done")
    return BenchmarkResult(
        "understanding",
        f"CaptainCook4D, {len(halves)} recipes, {count} triplets of consecutive steps from the "
        "recordings held for test; right answers in percent",
        rows,
        COLUMNS,
        [
            *notes,
            *NOTES,
        ],
    )


def _row(label: str, halves: Sequence[Halves], seeds: int) -> dict[str, Any]:
    runs = range(seeds if label not in ("majority-order", "random-matrices") else 1)
    if label not in ("majority-order", "random-matrices"):
        LEARNERS[METHODS[label]].load()  # importing torch is no part of learning
    seconds, answers = timed(lambda: [ANSWER[label](halves, seed) for seed in runs])
    row: dict[str, Any] = {"method": label, "about": ROWS[label], "runs": len(runs)}
    for name in answers[0]:
        interval = mean_interval([float(own[name].mean()) for own in answers])
        row[name] = interval.mean
        row[f"{name}_interval90"] = interval.half_width
    if label.startswith("tgt"):
        row["paper"] = PAPER
    return {**row, "seconds": seconds}


def _majority(halves: Sequence[Halves], seed: int) -> Answers:  # noqa: ARG001 - nothing is drawn
    """Answer by counting which order most training recordings show."""
    answers: dict[str, list[NDArray[np.float64]]] = {"ordering": [], "future": []}
    for own in halves:
        counts = precedence(own.train, Repetitions.FIRST)
        first, anchor, third = own.triplets.T
        earlier = counts.before[third, first] - counts.before[first, third]
        answers["ordering"].append(0.5 + 0.5 * np.sign(earlier))
        later = counts.before[third, anchor] - counts.before[first, anchor]
        answers["future"].append(0.5 + 0.5 * np.sign(later))
    return {name: np.concatenate(parts) for name, parts in answers.items()}


def _chance(halves: Sequence[Halves], seed: int) -> Answers:  # noqa: ARG001 - whatever they are
    from tgml.learners.tgt.likely_order import random_matrices

    return _judged(random_matrices(RANDOM, 4, seed), random_matrices(RANDOM, 5, seed + 1))


def _transformer(halves: Sequence[Halves], seed: int) -> Answers:
    from tgml.learners.tgt.text import TextTransformer
    from tgml.learners.tgt.trained import TrainedTransformer

    learner = get_learner("tgt-text", **SETTINGS)
    assert isinstance(learner, TextTransformer)  # noqa: S101 - the registry says so
    networks = learner.networks([own.train for own in halves], seed=seed)
    parts = []
    for own, network in zip(halves, networks, strict=True):
        trained = TrainedTransformer(network)
        vectors = learner.embed(own.train.vocabulary.steps)[own.triplets - 1]
        parts.append(_judged(trained.matrices(vectors[:, [0, 2]]), trained.matrices(vectors)))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _judged(pairs: Any, triplets: Any) -> Answers:
    """Return the right answers by both rules, from matrices of two and of three steps."""
    from tgml.learners.tgt import likely_order

    shares = {
        "ordering": likely_order.first_share(pairs),
        "future": likely_order.future_share(triplets),
    }
    fair = {name: 0.5 + 0.5 * np.sign(share - 0.5) for name, share in shares.items()}
    return {
        **fair,
        "published_ordering": likely_order.published_first(pairs).astype(np.float64),
        "published_future": likely_order.published_future(triplets).astype(np.float64),
    }


METHODS = {"tgt-text": "tgt-text"}
ANSWER: dict[str, Callable[[Sequence[Halves], int], Answers]] = {
    "majority-order": _majority,
    "random-matrices": _chance,
    "tgt-text": _transformer,
}


def _cell(name: str, row: Any) -> str:
    if name not in row:
        return ""
    return percent(row[name], row[f"{name}_interval90"] if row["runs"] > 1 else None)


COLUMNS = (
    Column("method", lambda row: str(row["method"])),
    Column("ordering, fair", partial(_cell, "ordering")),
    Column("future, fair", partial(_cell, "future")),
    Column("ordering, published", partial(_cell, "published_ordering")),
    Column("future, published", partial(_cell, "published_future")),
    Column("seconds", lambda row: f"{row['seconds']:.1f}"),
)
