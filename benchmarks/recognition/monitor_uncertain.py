"""The monitor behind a recogniser that errs: false alarms and mistakes found, by its errors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.detection import bootstrap_f1, detection_figures, score_detection
from benchmarks.generators import Demonstrator, Noise, draw_demonstrations
from benchmarks.generators.problems import draw_procedures
from benchmarks.harness import BenchmarkResult, Column, Request, choose_rows, percent
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Confusion, Monitor, mistake_probabilities
from stepgraph.monitoring.calibration import lowest_threshold
from stepgraph.monitoring.uncertain import MISTAKE_RATE

RATES = (0.0, 0.05, 0.1, 0.2, 0.3)
"""Error rates of the recogniser."""
CLEAN = 8
"""How many recordings without mistakes a procedure has: half to calibrate on, half to watch."""
WITH_MISTAKES = 4
BUDGET = 0.5
COPIES = 3
"""How many times a simulated recogniser is shown each recording to calibrate on."""
MISTAKES = Noise(Demonstrator(skipped=0.04, swapped=0.04, exchanged=0.04))
METHODS = ("monitor", "uncertain", "uncertain-calibrated", "uncertain-revised")
LATER = 5
"""How many observations later a verdict is revised."""
NOTES = (
    (
        "the monitors are given the known graph, so that all that goes wrong is people's mistakes "
        "and the recogniser; a third of its errors each are missed, confused and made-up steps"
    ),
    (
        "found: mistakes (steps that the plain monitor calls one when it sees the true steps) "
        "whose observation is flagged; mistakes that the recogniser missed altogether are not found"
    ),
    "false alarms: all other flags; a recording of half of them has no mistakes at all",
    (
        f"uncertain flags from 50 % on; uncertain-calibrated from the threshold that gave at most "
        f"{BUDGET:g} false alarms a recording on other recordings without mistakes"
    ),
    (
        f"uncertain-revised is calibrated alike, and judges each step {LATER} observations later; "
        "all others judge at once"
    ),
)


@dataclass(frozen=True)
class _Stream:
    """What a recogniser makes of one recording."""

    graph: TaskGraph
    observed: tuple[str, ...]
    wrong: tuple[bool, ...]
    unseen: int


def run(request: Request) -> BenchmarkResult:
    """Watch random procedures through worse and worse recognisers."""
    chosen = choose_rows(request.methods, METHODS)
    truths = draw_procedures(request.seeds)
    rows = []
    for done, rate in enumerate(RATES):
        request.progress(done, len(RATES), f"error rate {rate:.0%}")
        streams = [
            stream for seed, truth in enumerate(truths) for stream in _streams(truth, rate, seed)
        ]
        rows += [_row(name, rate, streams, truths) for name in chosen]
    request.progress(len(RATES), len(RATES), "done")
    return BenchmarkResult(
        "monitor-uncertain",
        f"The monitor behind a recogniser: {len(truths)} random procedures, "
        f"{len(truths) * (CLEAN // 2 + WITH_MISTAKES)} recordings",
        rows,
        COLUMNS,
        NOTES,
    )


def _streams(truth: TaskGraph, rate: float, seed: int) -> list[_Stream]:
    confusion = Confusion.even(truth.steps, rate)
    rng = random.Random(f"recogniser {seed}")
    clean = draw_demonstrations(truth, CLEAN, seed)
    noisy = draw_demonstrations(truth, WITH_MISTAKES, 10_000 + seed, noise=MISTAKES)
    true = [clean.names(recording) for recording in clean.sequences[CLEAN // 2 :]]
    true += [noisy.names(recording) for recording in noisy]
    streams = []
    for steps in true:
        monitor = Monitor(truth)
        wrong = [monitor.observe(step).is_mistake for step in steps]
        seen = confusion.trace(steps, rng)
        sources = {source for _, source in seen}
        streams.append(
            _Stream(
                truth,
                tuple(name for name, _ in seen),
                tuple(source is not None and wrong[source] for _, source in seen),
                sum(bad and place not in sources for place, bad in enumerate(wrong)),
            )
        )
    return streams


def _row(
    method: str, rate: float, streams: Sequence[_Stream], truths: Sequence[TaskGraph]
) -> dict[str, Any]:
    thresholds = _thresholds(method, rate, truths)
    # Scores are put on one scale, on which each stream's own threshold is one half.
    scores = [
        [_scaled(p, thresholds[stream.graph]) for p in _judge(method, stream, rate)]
        # A mistake that the recogniser missed altogether is an observation that never came.
        + [0.0] * stream.unseen
        for stream in streams
    ]
    wrong = [(*stream.wrong, *[True] * stream.unseen) for stream in streams]
    found = score_detection(wrong, scores, 0.5)
    return {
        "method": method,
        "error_rate": rate,
        **detection_figures(found, bootstrap_f1(wrong, scores, 0.5)),
        "false_alarms_per_recording": found.false_alarms / len(streams),
        "mistakes": found.true_alarms + found.missed,
        "recordings": len(streams),
    }


def _judge(method: str, stream: _Stream, rate: float) -> Sequence[float]:
    if method == "monitor":
        monitor = Monitor(stream.graph)
        return [float(monitor.observe(step).is_mistake) for step in stream.observed]
    return mistake_probabilities(
        stream.graph, stream.observed, error_rate=rate, hindsight=_hindsight(method)
    )


def _hindsight(method: str) -> int:
    return LATER if method == "uncertain-revised" else 0


def _thresholds(method: str, rate: float, truths: Sequence[TaskGraph]) -> dict[TaskGraph, float]:
    if method not in ("uncertain-calibrated", "uncertain-revised"):
        return dict.fromkeys(truths, 0.5)
    found = {}
    for seed, truth in enumerate(truths):
        confusion = Confusion.even(truth.steps, rate)
        rng = random.Random(f"calibrate {seed}")
        clean = draw_demonstrations(truth, CLEAN, seed)
        judged = [
            mistake_probabilities(
                truth,
                confusion.recognise(clean.names(recording), rng),
                confusion=confusion,
                hindsight=_hindsight(method),
            )
            for recording in clean.sequences[: CLEAN // 2]
            for _ in range(COPIES)
        ]
        found[truth] = lowest_threshold(judged, BUDGET, MISTAKE_RATE) or 0.5
    return found


def _scaled(probability: float, threshold: float) -> float:
    if probability >= threshold:
        return 0.5 + 0.5 * (probability - threshold) / (1 - threshold)
    return 0.5 * probability / threshold


COLUMNS = (
    Column("method", lambda row: str(row["method"])),
    Column("error rate", lambda row: f"{row['error_rate']:.0%}"),
    Column("false alarms", lambda row: f"{row['false_alarms_per_recording']:.2f}"),
    Column("precision", lambda row: percent(row["precision"])),
    Column("recall", lambda row: percent(row["recall"])),
    Column("F1", lambda row: percent(row["f1"])),
    Column("90 %", lambda row: f"{percent(row['f1_low90'])}-{percent(row['f1_high90'])}"),
    Column("AP", lambda row: percent(row["average_precision"])),
)
"""How a terminal shows the rows; false alarms are counted per recording."""
