"""How well an audit finds recordings and steps with errors of order, nobody having told it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.asked import Asked
from benchmarks.audit_labels import (
    NOISE,
    Labelled,
    broken_pairs,
    draw_labelled,
    read_labelled,
)
from benchmarks.audit_strangers import mixed_in
from benchmarks.data import data_directory
from benchmarks.result import BenchmarkResult, Column, percent
from benchmarks.rows import choose_rows
from stepgraph.evaluation import average_precision
from stepgraph.insight import Audit, audit

Scores = tuple[Sequence[float], Sequence[Sequence[float]] | None]
"""A score for each recording, and for each of its steps where the way gives such."""


def run(asked: Asked) -> BenchmarkResult:
    """Score audits on CaptainCook4D's tagged errors and on random procedures.

    Parameters
    ----------
    data
        The data directory.
    methods
        Which rows; by default all.
    seeds
        How many random procedures of each size, and how many draws of the random control.
    progress
        Told how far it is.
    """
    chosen = choose_rows(asked.methods, ROWS)
    directory = data_directory(asked.data)
    sources: dict[str, tuple[str, Callable[[], tuple[list[Labelled], list[str]]]]] = {
        "file order": (
            "CaptainCook4D, steps in file order",
            lambda: read_labelled(directory, "file"),
        ),
        "start order": (
            "CaptainCook4D, steps in the order of their start times",
            lambda: read_labelled(directory, "start"),
        ),
        "synthetic": ("random procedures", lambda: (draw_labelled(asked.seeds), [])),
    }
    parts = []
    for done, (source, (title, read)) in enumerate(sources.items()):
        asked.progress(done, len(sources), title)
        parts.append(_part(source, title, *read(), chosen, asked.seeds))
    parts.append(mixed_in(NOISE, asked.seeds))
    asked.progress(len(sources), len(sources), "done")
    return BenchmarkResult(
        "audit",
        "Recordings and steps with errors of order, found without having seen a tag",
        [row for part in parts for row in part.rows],
        COLUMNS,
        [note for part in parts for note in part.notes],
        parts=parts,
    )


def _part(
    source: str,
    title: str,
    procedures: Sequence[Labelled],
    notes: Sequence[str],
    chosen: Sequence[str],
    seeds: int,
) -> BenchmarkResult:
    audits = [audit(one.demonstrations) for one in procedures]
    order_errors = [any(row) for one in procedures for row in one.wrong]
    clean = [mark for one in procedures for mark in one.clean]
    steps = [mark for one in procedures for row in one.wrong for mark in row]
    rows = []
    for name in chosen:
        draws = range(seeds if name == "random" else 1)
        scored = [_score(ROWS[name], procedures, audits, draw) for draw in draws]
        rows.append(
            {
                "method": name,
                "about": ROWS[name].about,
                "source": source,
                "recordings_clean": _mean(
                    average_precision(
                        *_either(order_errors, clean, recordings),
                    )
                    for recordings, _ in scored
                ),
                "recordings_all": _mean(
                    average_precision(order_errors, recordings) for recordings, _ in scored
                ),
                "steps": _mean(average_precision(steps, of_steps) for _, of_steps in scored)
                if all(of_steps is not None for _, of_steps in scored)
                else None,
            }
        )
    return BenchmarkResult(
        f"audit: {source}",
        f"{title}: average precision in percent, {len(procedures)} procedures, {len(clean)} "
        f"recordings, {sum(order_errors)} of them with an error of order, {sum(clean)} clean; "
        f"{sum(steps)} of {len(steps)} steps",
        rows,
        COLUMNS,
        (*notes, *NOTES) if source == "file order" else (),
    )


def _score(
    row: Ranking, procedures: Sequence[Labelled], audits: Sequence[Audit], draw: int
) -> tuple[list[float], Any]:
    recordings: list[float] = []
    steps: list[float] | None = []
    rng = random.Random(draw)
    for one, audited in zip(procedures, audits, strict=True):
        of_recordings, of_steps = row.score(one, audited, rng)
        recordings += of_recordings
        if of_steps is None or steps is None:
            steps = None
        else:
            steps += [score for scores in of_steps for score in scores]
    return recordings, steps


def _either(
    order_errors: Sequence[bool], clean: Sequence[bool], scores: Sequence[float]
) -> tuple[list[bool], list[float]]:
    """Return only what has an error of order or is clean."""
    kept = [
        (wrong, score)
        for wrong, right, score in zip(order_errors, clean, scores, strict=True)
        if wrong or right
    ]
    return [wrong for wrong, _ in kept], [score for _, score in kept]


def _mean(values: Any) -> float:
    listed = list(values)
    return float(sum(listed) / len(listed))


def _audited(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    by_id = {entry.id: entry for entry in audited.recordings}
    entries = [by_id[recording.id] for recording in one.demonstrations]
    return [entry.out_of_order for entry in entries], [entry.misplaced for entry in entries]


def _all_slips(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    by_id = {entry.id: entry.slips for entry in audited.recordings}
    return [by_id[recording.id] for recording in one.demonstrations], None


def _distrust(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    by_id = {entry.id: 1 - entry.reliability for entry in audited.recordings}
    return [by_id[recording.id] for recording in one.demonstrations], None


def _missing(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    steps = len(one.demonstrations.seen)
    return [steps - len(set(recording.steps)) for recording in one.demonstrations], None


def _nothing(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    return [0.0] * len(one.demonstrations), [[0.0] * len(r) for r in one.demonstrations]


def _random(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    return (
        [rng.random() for _ in one.demonstrations],
        [[rng.random() for _ in recording.steps] for recording in one.demonstrations],
    )


def _knowing(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    recordings: list[float] = []
    steps = []
    for recording in one.demonstrations:
        names = one.demonstrations.names(recording)
        pairs = broken_pairs(one.truth, names)
        recordings.append(len(pairs))
        counts = [float(sum(step in pair for pair in pairs)) for step in names]
        steps.append([0.0 if step in names[:at] else counts[at] for at, step in enumerate(names)])
    return recordings, steps


@dataclass(frozen=True)
class Ranking:
    """A way to rank recordings, and perhaps steps.

    Parameters
    ----------
    about
        What it is.
    score
        Scores a procedure; it may look at the audit, and only a control at the known graph.
    """

    about: str
    score: Callable[[Labelled, Audit, random.Random], Scores]


ROWS: Mapping[str, Ranking] = {
    "audit": Ranking("how many steps would have to move; steps: to take part in that", _audited),
    "audit, all slips": Ranking("steps out of order, skipped and repeated", _all_slips),
    "distrust": Ranking("how little the robust learner trusts a recording", _distrust),
    "base rate": Ranking("control: nothing is known", _nothing),
    "missing": Ranking("control: how many steps are missing", _missing),
    "random": Ranking("control: scores drawn at random", _random),
    "known graph": Ranking("knows the known graph: how many pairs are broken", _knowing),
}

NOTES = (
    (
        "order: recordings with a tagged Order Error against clean ones, which have neither such "
        "an error nor a missing step"
    ),
    "all: the same against every other recording; steps: every step done, against its own tag",
    "recordings and steps of all procedures are ranked together",
)

COLUMNS = (
    Column("ranked by", lambda row: str(row["method"])),
    Column("order", lambda row: percent(row["recordings_clean"])),
    Column("all", lambda row: percent(row["recordings_all"])),
    Column("steps", lambda row: percent(row["steps"])),
    Column("what", lambda row: str(row["about"])),
)
