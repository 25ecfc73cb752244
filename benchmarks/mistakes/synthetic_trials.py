"""Rules of order on recordings whose every disturbance is known: where rules are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.generators import Demonstrator, Noise, draw_demonstrations
from benchmarks.generators.problems import SIZES, draw_procedure, measured_seeds
from benchmarks.harness import BenchmarkResult, Request
from benchmarks.mistakes.trials import (
    CONTROLS,
    DETECTION_COLUMNS,
    ORACLE,
    RULES,
    Trial,
    Trials,
    choose_methods,
    control_row,
    learn_graphs,
    rule_rows,
)
from stepgraph.graph import TaskGraph
from stepgraph.monitoring.order import out_of_order

LEARNING = 8
"""How many clean recordings a procedure is learned from, about as many as recipes have."""
WATCHED = 8
"""How many recordings with mistakes are judged."""
RATE = 0.06
"""The rate of each kind of error: skipped, swapped and exchanged steps."""
DEFAULT = ("intersection", "robust", "msg2", "count-based")


def run(request: Request) -> BenchmarkResult:
    """Learn random procedures from clean recordings, and judge disturbed ones."""
    chosen = choose_methods(request.methods, DEFAULT, (ORACLE,))
    procedures = draw_trials(measured_seeds(request.seeds))
    rows: list[dict[str, Any]] = []
    for done, name in enumerate(chosen):
        request.progress(done, len(chosen), name)
        if name in CONTROLS:
            rows.append(control_row(name, procedures))
        elif name == ORACLE:
            graphs = [given.truth for given in procedures if given.truth is not None]
            rows += rule_rows(name, graphs, procedures)
        else:
            rows += rule_rows(name, learn_graphs(name, procedures), procedures)
    request.progress(len(chosen), len(chosen), "done")
    trials = [trial for given in procedures for trial in given.trials]
    return BenchmarkResult(
        "synthetic-trials",
        f"{len(procedures)} random procedures: {sum(len(t.steps) for t in trials):,} steps of "
        f"{len(trials)} disturbed recordings, {sum(sum(t.wrong) for t in trials):,} out of order",
        rows,
        DETECTION_COLUMNS,
        [
            (
                f"{LEARNING} clean recordings to learn from, {WATCHED} to judge; skipped, swapped "
                f"and exchanged steps at a rate of {RATE:g} each"
            ),
            (
                "wrong is a step on the wrong side of another that was done, by the known graph: "
                f"so {ORACLE} with order-end is right by definition, and shows nothing else"
            ),
            *(f"{rule.name}: {rule.about}" for rule in RULES.values()),
        ],
    )


def draw_trials(seeds: Sequence[int]) -> list[Trials]:
    """Draw procedures, clean recordings of them, and disturbed ones with the truth about them."""
    noise = Noise(Demonstrator(skipped=RATE, swapped=RATE, exchanged=RATE))
    procedures = []
    for size in SIZES:
        for seed in seeds:
            truth = draw_procedure(size, seed)
            train = draw_demonstrations(truth, LEARNING, seed)
            watched = draw_demonstrations(truth, WATCHED, 10_000 + seed, noise=noise)
            trials = tuple(
                _trial(truth, recording.id, watched.names(recording), recording.skipped)
                for recording in watched
            )
            procedures.append(Trials(train, trials, truth))
    return procedures


def _trial(truth: TaskGraph, id_: str, steps: Sequence[str], skipped: Sequence[int]) -> Trial:
    return Trial(
        id_,
        tuple(steps),
        tuple(verdict.probability > 0 for verdict in out_of_order(truth, steps)),
        frozenset(truth.vocabulary.name(node) for node in skipped),
    )
