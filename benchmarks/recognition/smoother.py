"""Key-steps from frames: what a recogniser saw on EPIC-Tent-O, raw and smoothed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from statistics import fmean
from typing import Any

from benchmarks.datasets.directory import data_directory, data_file
from benchmarks.datasets.epic_tent import read_epic_tent_o
from benchmarks.datasets.recognition import read_recognition, recognition_file
from benchmarks.harness import BenchmarkResult, Column, Request, choose_rows, percent
from stepgraph.evaluation import mean_interval
from stepgraph.monitoring.confusion import edit_score
from stepgraph.recognise import FrameSmoother

Frames = Sequence[str]
Pairs = Sequence[tuple[Frames, Frames]]
METHODS = {
    "raw": "each run of equal frames is a key-step",
    "smoother": "the smoother's defaults",
    "smoother-fitted": "durations and accuracy from all other recordings",
}


def run(request: Request) -> BenchmarkResult:
    """Compare the key-steps that come of frames with the true ones."""
    chosen = choose_rows(request.methods, METHODS)
    directory = data_directory(request.data, needs=("recognition", "epic-tent"))
    path = data_file(
        directory, "recognition", recognition_file("epic-tent-o", "miniroad", frames=True)
    )
    data_file(directory, "epic-tent", "EPIC-Tent-O_action_dict.json")
    steps = read_epic_tent_o(directory / "epic-tent").vocabulary
    recognition = read_recognition(path, steps)
    pairs = [(recognition.names(r.true), recognition.names(r.recognised)) for r in recognition]
    rows = []
    for done, name in enumerate(chosen):
        request.progress(done, len(chosen), name)
        rows.append(_row(name, pairs, steps.steps))
    request.progress(len(chosen), len(chosen), "done")
    true = sum(len(_runs(frames)) for frames, _ in pairs)
    return BenchmarkResult(
        "smoother",
        f"EPIC-Tent-O, {len(pairs)} recordings, {sum(len(f) for f, _ in pairs):,} frames seen by "
        f"miniROAD: key-steps from frames, {true} true ones",
        rows,
        COLUMNS,
        [
            (
                "edit score: 1 less the fewest insertions, deletions and substitutions over the "
                "longer length, mean over recordings"
            ),
            "all methods are causal: a key-step is announced from frames up to then only",
            *(f"{name}: {about}" for name, about in METHODS.items()),
        ],
    )


def _runs(frames: Frames) -> list[str]:
    return [step for step, _ in groupby(frames)]


def _row(method: str, pairs: Pairs, steps: Sequence[str]) -> dict[str, Any]:
    turn: Callable[[int], list[str]]
    if method == "raw":
        turn = lambda place: _runs(pairs[place][1])  # noqa: E731
    else:

        def turn(place: int) -> list[str]:
            others = [pair for other, pair in enumerate(pairs) if other != place]
            smoother = (
                FrameSmoother(steps)
                if method == "smoother"
                else FrameSmoother.fitted(others, steps)
            )
            return [segment.step for segment in smoother.smooth(pairs[place][1])]

    found = [turn(place) for place in range(len(pairs))]
    scores = [edit_score(_runs(true), steps) for (true, _), steps in zip(pairs, found, strict=True)]
    interval = mean_interval(scores)
    return {
        "method": method,
        "edit_score": fmean(scores),
        "edit_score_interval90": interval.half_width,
        "key_steps": sum(map(len, found)),
    }


COLUMNS = (
    Column("method", lambda row: str(row["method"])),
    Column("edit score", lambda row: percent(row["edit_score"], row["edit_score_interval90"])),
    Column("key-steps", lambda row: f"{row['key_steps']:,}"),
)
