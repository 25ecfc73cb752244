"""Online mistake detection on Assembly101-O and EPIC-Tent-O: the paper's Table 3, with controls."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from benchmarks.asked import Asked
from benchmarks.mistake_methods import EXPECTED_NOISE, METHODS, Workshop
from benchmarks.mistake_split import MistakeSplit, read_split
from benchmarks.published_mistakes import NOT_OURS, PUBLISHED
from benchmarks.result import BenchmarkResult, Column, Row, percent
from benchmarks.rows import choose_rows
from benchmarks.scoring import timed
from stepgraph.errors import StepgraphError
from stepgraph.evaluation.online_mistakes import MistakeScores, f1_average_interval, score_flags

NOTES: tuple[tuple[str, str], ...] = (
    (
        "",
        (
            "a recording is cut at its first mistake: its last segment is the mistake, all others "
            "are correct; of recognised segments, too, the last one counts as the mistake"
        ),
    ),
    ("", "P and R are precision and recall of the class"),
    (
        "paper",
        (
            "the paper's evaluation passes predictions as truth, so its columns of precision and "
            "recall are exchanged (F1 is not affected; PREGO's rows are not); they are printed "
            "here the right way round"
        ),
    ),
    ("", "average: the mean of both F1; in brackets the 90 % bootstrap interval over recordings"),
    (
        "next-step|weighed-.*",
        (
            "next-step and weighed-*: weights and threshold are set on mistakes simulated in "
            "training recordings, each left out in turn; for recognised segments with "
            f"{EXPECTED_NOISE:.0%} noise, the paper's moderate level; means over seeds"
        ),
    ),
    (
        "position",
        "position chooses its segment on the test recordings themselves: an oracle, to be beaten",
    ),
    (
        "position-training",
        "position-training chooses its segment from the lengths of the training recordings",
    ),
    ("at-random", "at-random is the chance level"),
    (
        "do",
        (
            "do has the paper's augmentation: first, last and random occurrences of repeated "
            "steps; steps unseen in training are no part of a graph, and meeting one is a mistake"
        ),
    ),
    (
        "weighed-.*",
        (
            "weighed-* are fitted to training recordings alone, but some 280 settings were scored "
            "on these test recordings on the way: no figures of unseen data (docs/decisions/0008)"
        ),
    ),
)
"""What there is to say, and for which rows: a pattern of their names, or any; 'paper' if the
paper has figures for one."""


SPLIT_SIZES = {"assembly101-o": (135, 182), "epic-tent-o": (13, 15)}
"""How many recordings for training and for test published figures are of."""


def run(name: str, asked: Asked) -> BenchmarkResult:
    """Learn on the training half with every method, and flag the mistakes of the test half.

    Parameters
    ----------
    name
        The data set, which is the benchmark's name.
    data, methods, seeds, progress
        As for every benchmark.
    """
    chosen = choose_methods(asked.methods)
    split = read_split(name, asked.data)
    notes = list(split.notes)
    workshop = Workshop(split)
    by_segments: dict[str, list[dict[str, Any]]] = {segments: [] for segments in split.watched}
    for done, method in enumerate(chosen):
        asked.progress(done, len(chosen), method)
        try:
            for segments, rows in by_segments.items():
                rows.append(_row(method, workshop, segments, asked.seeds))
        except StepgraphError as error:
            if asked.methods is not None:
                raise
            notes.append(f"{method} was left out: {error}")
    asked.progress(len(chosen), len(chosen), "done")
    if asked.methods is None:
        for segments, rows in by_segments.items():
            rows += _published(name, segments)
    rows = [row for rows in by_segments.values() for row in rows]
    own = len(split.train), len(split.watched["true"])
    if own != SPLIT_SIZES[name]:
        notes.append(
            "published figures are of {} recordings for training and {} for test".format(
                *SPLIT_SIZES[name]
            )
        )
    return BenchmarkResult(name, _title(split), rows, COLUMNS, [*notes, *_notes_on(rows)])


def _notes_on(rows: Sequence[Row]) -> list[str]:
    """Return the notes that concern the rows of a table."""
    shown = {row["method"] for row in rows}
    if any("paper" in row for row in rows):
        shown.add("paper")
    return [
        note
        for pattern, note in NOTES
        if not pattern or any(re.fullmatch(pattern, name) for name in shown)
    ]


def choose_methods(methods: Sequence[str] | None) -> list[str]:
    """Return the methods to run: all, or those asked for.

    Raises
    ------
    UnknownNameError
        If there is no such method.
    """
    return choose_rows(methods, METHODS)


def _title(split: MistakeSplit) -> str:
    segments = ", ".join(
        f"{sum(map(len, recordings))} {'true' if name == 'true' else f'by {name}'}"
        for name, recordings in split.watched.items()
    )
    return (
        f"{split.title}: mistakes flagged online, learned from {len(split.train)} recordings "
        f"without any, judged on {len(split.watched['true'])} that end in one; segments: {segments}"
    )


def _row(method: str, workshop: Workshop, segments: str, seeds: int) -> dict[str, Any]:
    entry = METHODS[method]
    recordings = workshop.split.watched[segments]
    scores: list[MistakeScores] = []
    ends = []
    seconds = 0.0
    for seed in range(seeds * entry.draws if entry.seeded else 1):
        spent, detector = timed(lambda seed=seed: entry.make(workshop, segments, seed))  # type: ignore[misc]
        flags = [detector.flags(steps) for steps in recordings]
        scores.append(score_flags(flags))
        ends.append(f1_average_interval(flags))
        seconds += spent
    row: dict[str, Any] = {
        "method": method,
        "segments": segments,
        "source": "control" if entry.control else "ours",
        "about": entry.about,
        "f1_average": fmean(score.f1_average for score in scores),
        "f1_average_low": fmean(low for low, _ in ends),
        "f1_average_high": fmean(high for _, high in ends),
    }
    for kind in ("correct", "mistake"):
        for measure in ("f1", "precision", "recall"):
            values = [getattr(getattr(score, kind), measure) for score in scores]
            row[f"{measure}_{kind}"] = fmean(values)
    row |= {"runs": len(scores), "seconds": seconds}
    paper = PUBLISHED.get((workshop.split.name, segments), {}).get(method)
    if paper is not None:
        row["paper"] = paper.figures()
    return row


def _published(name: str, segments: str) -> list[dict[str, Any]]:
    rows = PUBLISHED.get((name, segments), {})
    return [
        {
            "method": f"{method} (paper)",
            "segments": segments,
            "source": "published",
            "about": "as the paper printed it",
            **rows[method].figures(),
        }
        for method in NOT_OURS
        if method in rows
    ]


def _average(row: Row) -> str:
    text = percent(row["f1_average"])
    if "f1_average_low" not in row:
        return text
    return f"{text} ({100 * row['f1_average_low']:.0f}-{100 * row['f1_average_high']:.0f})"


def _class(kind: str) -> Column:
    return Column(
        f"{kind} F1 (P/R)",
        lambda row: (
            f"{percent(row[f'f1_{kind}'])} "
            f"({100 * row[f'precision_{kind}']:.0f}/{100 * row[f'recall_{kind}']:.0f})"
        ),
    )


def _paper(row: Row) -> str:
    if "paper" not in row:
        return ""
    return " ".join(
        percent(row["paper"][name]) for name in ("f1_average", "f1_correct", "f1_mistake")
    )


COLUMNS = (
    Column("method", lambda row: str(row["method"])),
    Column("segments", lambda row: str(row["segments"])),
    Column("average F1", _average),
    _class("correct"),
    _class("mistake"),
    Column("paper's F1s", _paper),
)
"""How a terminal shows the rows."""
