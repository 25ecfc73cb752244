"""How well a graph learned with the defaults tells traces that fit a process from others.

Four questions to the same graph are asked of the Process Discovery Contest's labelled traces and of
the cases of event logs that were held out; controls need no graph.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.datasets.contest import (
    CONTEST,
    LOGS,
    ContestProcess,
    Trace,
    read_cases,
    read_contest,
)
from benchmarks.datasets.directory import data_directory
from benchmarks.harness import (
    BenchmarkResult,
    Column,
    Request,
    Row,
    choose_rows,
    compute_rows,
    percent,
)
from benchmarks.mistakes.fitting import (
    JUDGES,
    OF_THE_GRAPH,
    Learned,
    compared,
    count_allowed,
    differing,
    disagreement,
    fit_columns,
    judge_row,
    judge_traces,
    rate,
    rates,
    steps_after,
)
from stepgraph.sequences import Demonstrations

FOLDS = 5
"""Number of parts of a log; each is judged by what is learned from the others."""
PUBLISHED: Mapping[str, float] = {
    "pm4py 2.7, inductive miner": 0.69,
    "pm4py 2.7, log skeleton": 0.94,
}
PUBLISHED_OF = ("3", "4", "7", "10")
"""The processes that the published figures are the mean of."""


def run(request: Request) -> BenchmarkResult:
    """Judge the contest's labelled traces and the held-out cases of event logs.

    Parameters
    ----------
    request
        As for every benchmark; nothing is drawn at random, so its seeds have no effect.
    """
    chosen = choose_rows(request.methods, JUDGES)
    directory = data_directory(request.data)
    # What is named are methods; a data set that is not there is left out all the same.
    found, left_out = compute_rows(
        (CONTEST, *LOGS),
        lambda name: _measured(name, directory, chosen),
        replace(request, methods=None),
    )
    rows = [row for own, _ in found for row in own]
    notes = [*(note for _, own in found for note in own), *left_out, *NOTES]
    published = _published(rows) if request.methods is None else []
    if published:
        rows += published
        notes.append(PUBLISHED_NOTE)
    parts = [
        replace(part, notes=notes if place == 0 else ())
        for place, part in enumerate(part for part in (_contest(rows), _logs(rows)) if part.rows)
    ]
    return BenchmarkResult("contest", TITLE, rows, CONTEST_COLUMNS, notes, parts=parts)


def _measured(
    name: str, directory: Path, chosen: Sequence[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows of a data set, and notes on it."""
    if name == CONTEST:
        return judge_contest(read_contest(directory), chosen)
    return judge_cases(name, read_cases(directory, name), chosen)


def judge_contest(
    processes: Sequence[ContestProcess], chosen: Sequence[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Judge the labelled traces of the contest; return a row a method, and notes."""
    learned = [Learned(process.training) for process in processes]
    labels = [(True,) * len(one.fitting) + (False,) * len(one.others) for one in processes]
    every = [mark for own in labels for mark in own]
    said = {
        method: [
            judge_traces(method, own, (*one.fitting, *one.others))
            for own, one in zip(learned, processes, strict=True)
        ]
        for method in chosen
    }
    flat = {method: [mark for own in parts for mark in own] for method, parts in said.items()}
    rows = []
    for method in chosen:
        row = judge_row(method, CONTEST) | {"traces": len(every)} | rates(flat[method], every)
        row["processes"] = [
            {
                "procedure": one.name,
                "traces": len(own),
                **rates(verdicts, own, intervals=False),
                **({"learning_seconds": its.seconds} if method in OF_THE_GRAPH else {}),
            }
            for one, own, verdicts, its in zip(
                processes, labels, said[method], learned, strict=True
            )
        ]
        rows.append(row | differing(method, flat))
    right = {
        method: [float(a == b) for a, b in zip(verdicts, every, strict=True)]
        for method, verdicts in flat.items()
    }
    return compared(rows, right), [*disagreement(CONTEST, flat), *_times(processes, learned)]


def judge_cases(
    name: str, cases: Sequence[Trace], chosen: Sequence[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Judge every case of a log by what is learned from the others; return rows and notes.

    Parameters
    ----------
    name
        The name of the log.
    cases
        Its cases.
    chosen
        The methods.
    """
    shuffled = random.Random(0).sample(cases, len(cases))
    recorded = steps_after(cases)
    said: dict[str, list[bool]] = {method: [] for method in chosen}
    allowed: dict[str, list[tuple[int, int]]] = {
        method: [] for method in chosen if JUDGES[method].allows is not None
    }
    for fold in range(min(FOLDS, len(cases))):
        others = [case for place, case in enumerate(shuffled) if place % FOLDS != fold]
        learned = Learned(_weighted(others))
        held_out = shuffled[fold::FOLDS]
        for method in chosen:
            said[method] += judge_traces(method, learned, held_out)
        for method, counts in allowed.items():
            counts.append(count_allowed(method, learned, held_out, recorded))
    rows = [
        judge_row(method, name)
        | {"traces": len(cases)}
        | rate("fitting", said[method])
        | _precision(allowed.get(method, ()))
        | differing(method, said)
        for method in chosen
    ]
    return rows, disagreement(name, said)


def _precision(counts: Sequence[tuple[int, int]]) -> dict[str, float]:
    """Return the share of allowed steps that were recorded, empty where none was allowed."""
    allowed = sum(own for own, _ in counts)
    return {"precision": sum(seen for _, seen in counts) / allowed} if allowed else {}


def _weighted(cases: Iterable[Trace]) -> Demonstrations:
    """Return cases as recordings, equal ones once, as the reader of logs does."""
    counted = Counter(cases)
    given = Demonstrations.from_steps(list(counted))
    weights = counted.values()
    return replace(
        given,
        sequences=tuple(
            replace(own, weight=float(weight)) for own, weight in zip(given, weights, strict=True)
        ),
    )


def _times(processes: Sequence[ContestProcess], learned: Sequence[Learned]) -> list[str]:
    seconds = [
        f"{own.seconds:.1f} ({process.name})"
        for process, own in zip(processes, learned, strict=True)
        if own.seconds is not None
    ]
    if not seconds:
        return []
    return [f"{CONTEST}: seconds of processor time to learn each graph: {', '.join(seconds)}"]


def _published(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the published rows, where the same processes were judged."""
    judged = {
        tuple(entry["procedure"] for entry in row["processes"])
        for row in rows
        if row["data"] == CONTEST
    }
    if judged != {PUBLISHED_OF}:
        return []
    return [
        {
            "method": method,
            "about": "taken over, not computed here: pm4py is no dependency",
            "source": "published",
            "data": CONTEST,
            "accuracy": accuracy,
        }
        for method, accuracy in PUBLISHED.items()
    ]


def _contest(rows: Sequence[Row]) -> BenchmarkResult:
    own = [row for row in rows if row["data"] == CONTEST]
    return BenchmarkResult("contest: labelled traces", TITLE, own, CONTEST_COLUMNS)


def _logs(rows: Sequence[Row]) -> BenchmarkResult:
    """Return the rows of the logs as a table with a line for each method."""
    own = [row for row in rows if row["data"] != CONTEST]
    lines: dict[str, dict[str, Any]] = {}
    for row in own:
        lines.setdefault(row["method"], {"method": row["method"]})[row["data"]] = row
    sizes = {row["data"]: row["traces"] for row in own}
    columns = [
        Column("method", lambda row: str(row["method"])),
        *(Column(f"{name} ({size:,})", _of_log(name)) for name, size in sizes.items()),
    ]
    return BenchmarkResult(
        "contest: event logs",
        f"Share of an event log's cases called fitting, learned from the others in {FOLDS} folds, "
        "and precision",
        own,
        columns,
        table_rows=list(lines.values()),
    )


def _of_log(name: str) -> Callable[[Row], str]:
    return lambda row: fitting_and_precision(row[name])


def fitting_and_precision(row: Row) -> str:
    """Return the share of cases called fitting and, where a row has it, the precision."""
    return " / ".join(percent(row[key]) for key in ("fitting", "precision") if key in row)


def by_process(row: Row) -> str:
    """Return the accuracy on each process, in the order of their numbers."""
    return " / ".join(percent(entry["accuracy"]) for entry in row.get("processes", ()))


TITLE = "Process Discovery Contest 2019: is it right whether a trace fits the process?"
CONTEST_COLUMNS = fit_columns(Column("by process", by_process))
NOTES = (
    (
        "asked of each trace: does it fit the process? monitor, check, valid and align ask one "
        "graph, learned with the defaults; a step that training lacks fits nowhere"
    ),
    (
        "TPR: the share of fitting traces called fitting; TNR: of the others called not; 90 %: "
        "percentile bootstrap over traces, 10,000 resamples"
    ),
    (
        "p: two-sided paired sign-flip test over traces, exact up to 32 that differ; not corrected "
        "for the number of rows"
    ),
    (
        f"event logs: cases are shuffled with one seed and held out in {FOLDS} folds; nobody "
        "labelled them, so that always-fits has 100 % and a high share alone says little"
    ),
    (
        "event logs, behind the slash: precision by escaping edges (Munoz-Gama and Carmona, 2010), "
        "the share of the steps allowed after each beginning of a held-out case that were ever "
        "recorded after it; beginnings that are called mistakes do not count, nor does the end"
    ),
)
PUBLISHED_NOTE = (
    "published: accuracy of pm4py 2.7 as the mean over processes 3, 4, 7 and 10, in whole percent; "
    "taken over, not computed here, as pm4py is no dependency"
)
