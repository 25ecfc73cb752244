"""Pairwise ordering and future prediction: which of two clips comes first, and which comes next.

Every other recording of each recipe is held for test, and a network is trained on the others
alone. From each test recording, repetitions aside, come all triplets of consecutive steps: which
of the first and the third comes first, and which of them follows the second?
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets.captaincook4d import read_recipes
from benchmarks.datasets.directory import data_directory
from benchmarks.harness import (
    BenchmarkResult,
    Column,
    Request,
    choose_rows,
    compute_rows,
    percent,
    timed,
)
from stepgraph.evaluation import mean_interval
from stepgraph.learners import LEARNERS
from stepgraph.learners.precedence import precedence
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import Demonstrations, KeyStepSequence

PAPER = {"ordering": 0.773, "future": 0.743}
"""The paper's TGT-video, by its own rule and on its own features."""
SETTINGS: dict[str, Any] = {
    "beta": 0.5,
    "final_beta": 0.5,
    "evenness": 0.3,
    "final_evenness": 0.05,
    "subsets": 0.8,
    "stop": False,
    "epochs": 150,
}
"""How networks are trained here. With a large beta habits count, and not only what never
happened; subsets teach a network what two or three steps alone look like."""
TEST_VIEWS = 500_000
"""Sets apart the seeds of simulated test recordings from those of training ones."""
RANDOM = 10_000
"""How many random matrices chance is measured on."""
ROWS = {
    "majority-order": "control: the majority order of the training recordings, steps known by name",
    "random-matrices": "control: chance, softmax of random scores",
    "tgt-text": "the transformer on step names, one network for each recipe",
    "tgt-video-simulated": "the same on simulated video: noisy, shifted views of the step names",
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
    test: Demonstrations

    @classmethod
    def of(cls, given: Demonstrations) -> Halves:
        """Hold the first recording, and every other one after it, for test."""
        return cls(*(replace(given, sequences=given.sequences[first::2]) for first in (1, 0)))

    @property
    def triplets(self) -> Indices:
        """(triplets, 3): consecutive steps of the test recordings, first occurrences only."""
        found = [triplet for recording in self.test for triplet in _consecutive(recording)]
        return np.array(found, dtype=np.int64).reshape(-1, 3)


def run(request: Request) -> BenchmarkResult:
    """Train on half of the recordings, and ask about the others."""
    chosen = choose_rows(request.methods, ROWS)
    recipes = read_recipes(data_directory(request.data, needs=("captaincook4d",)))
    halves = [Halves.of(given) for given in recipes.demonstrations if len(given) > 1]
    count = sum(len(own.triplets) for own in halves)
    rows, notes = compute_rows(chosen, lambda label: _row(label, halves, request.seeds), request)
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


def _consecutive(recording: KeyStepSequence) -> list[tuple[int, int, int]]:
    steps = list(dict.fromkeys(recording.steps))
    return list(zip(steps, steps[1:], steps[2:], strict=False))


def _row(label: str, halves: Sequence[Halves], seeds: int) -> dict[str, Any]:
    runs = range(seeds if label in METHODS else 1)
    if label in METHODS:
        LEARNERS[METHODS[label]].load()  # importing torch is no part of learning
    seconds, answers = timed(lambda: [ANSWER[label](halves, seed) for seed in runs])
    row: dict[str, Any] = {"method": label, "about": ROWS[label], "runs": len(runs)}
    for name in answers[0]:
        interval = mean_interval([float(own[name].mean()) for own in answers])
        row[name] = interval.mean
        row[f"{name}_interval90"] = interval.half_width
    if label in METHODS:
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
    from stepgraph.learners.transformer.trained import random_matrices

    return _judged(random_matrices(RANDOM, 4, seed), random_matrices(RANDOM, 5, seed + 1))


def _text(halves: Sequence[Halves], seed: int) -> Answers:
    from stepgraph.learners.transformer.learner import TextTransformer

    learner = TextTransformer(**SETTINGS)

    def vectors(own: Halves) -> NDArray[np.float32]:
        return learner.embed(own.train.vocabulary.steps)[own.triplets - 1]

    return _asked(learner.networks([own.train for own in halves], seed=seed), halves, vectors)


def _simulated_video(halves: Sequence[Halves], seed: int) -> Answers:
    from benchmarks.generators.video_segments import simulate_segments
    from stepgraph.learners.transformer.embedding_files import read_segments
    from stepgraph.learners.transformer.learner import VideoTransformer
    from stepgraph.learners.transformer.sentence_embeddings import embed_names

    with tempfile.TemporaryDirectory(prefix="stepgraph-") as folder:
        for own in halves:
            steps = own.train.vocabulary.steps
            texts = dict(zip(steps, embed_names(steps), strict=True))
            simulate_segments(folder, own.train, texts, seed)
            simulate_segments(folder, own.test, texts, seed + TEST_VIEWS)
        learner = VideoTransformer(features=folder, **SETTINGS)
        networks = learner.networks([own.train for own in halves], seed=seed)

        def vectors(own: Halves) -> NDArray[np.float32]:
            parts = []
            for recording in own.test:
                alone = replace(own.test, sequences=(recording,))
                views = read_segments(folder, alone)
                parts += [
                    np.stack([views[node - 1][0] for node in triplet])
                    for triplet in _consecutive(recording)
                ]
            return np.stack(parts)

        return _asked(networks, halves, vectors)


def _asked(
    networks: Sequence[Any],
    halves: Sequence[Halves],
    vectors: Callable[[Halves], NDArray[np.float32]],
) -> Answers:
    """Return the answers of each recipe's network to the questions on it, all in one."""
    from stepgraph.learners.transformer.trained import TrainedTransformer

    parts = []
    for own, network in zip(halves, networks, strict=True):
        trained, clips = TrainedTransformer(network), vectors(own)
        parts.append(_judged(trained.matrices(clips[:, [0, 2]]), trained.matrices(clips)))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _judged(pairs: Any, triplets: Any) -> Answers:
    """Return the right answers by both rules, from matrices of two and of three steps."""
    from stepgraph.learners.transformer import trained

    shares = {
        "ordering": trained.first_share(pairs),
        "future": trained.future_share(triplets),
    }
    fair = {name: 0.5 + 0.5 * np.sign(share - 0.5) for name, share in shares.items()}
    return {
        **fair,
        "published_ordering": trained.published_first(pairs).astype(np.float64),
        "published_future": trained.published_future(triplets).astype(np.float64),
    }


ANSWER: dict[str, Callable[[Sequence[Halves], int], Answers]] = {
    "majority-order": _majority,
    "random-matrices": _chance,
    "tgt-text": _text,
    "tgt-video-simulated": _simulated_video,
}
METHODS = {"tgt-text": "tgt-text", "tgt-video-simulated": "tgt-video"}
"""The learners of those rows that train one."""


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
