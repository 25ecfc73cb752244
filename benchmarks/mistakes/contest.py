"""How well a graph learned with the defaults tells traces that fit a process from others.

Four questions to the same graph are asked of the Process Discovery Contest's labelled traces and of
the cases of event logs that were held out; controls need no graph.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import stepgraph
from benchmarks.datasets.contest import (
    CONTEST,
    LOGS,
    ContestProcess,
    Trace,
    read_cases,
    read_contest,
    traces,
)
from benchmarks.datasets.directory import data_directory
from benchmarks.graphs.edge_rows import difference
from benchmarks.harness import (
    BenchmarkResult,
    Column,
    Request,
    Row,
    choose_rows,
    compute_rows,
    percent,
)
from benchmarks.mistakes.counted_rules import CountedRules
from stepgraph.errors import UnknownNameError
from stepgraph.evaluation import bootstrap_interval, paired_test
from stepgraph.graph import TaskGraph
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
    chosen = choose_rows(request.methods, ROWS)
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
            _judged(method, own, (*one.fitting, *one.others))
            for own, one in zip(learned, processes, strict=True)
        ]
        for method in chosen
    }
    flat = {method: [mark for own in parts for mark in own] for method, parts in said.items()}
    rows = []
    for method in chosen:
        row = _row(method, CONTEST) | {"traces": len(every)} | _rates(flat[method], every)
        row["processes"] = [
            {
                "procedure": one.name,
                "traces": len(own),
                **_rates(verdicts, own, intervals=False),
                **({"learning_seconds": its.seconds} if method in OF_THE_GRAPH else {}),
            }
            for one, own, verdicts, its in zip(
                processes, labels, said[method], learned, strict=True
            )
        ]
        rows.append(row | _differing(method, flat))
    right = {
        method: [float(a == b) for a, b in zip(verdicts, every, strict=True)]
        for method, verdicts in flat.items()
    }
    return _compared(rows, right), [*_disagreement(CONTEST, flat), *_times(processes, learned)]


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
    said: dict[str, list[bool]] = {method: [] for method in chosen}
    for fold in range(min(FOLDS, len(cases))):
        others = [case for place, case in enumerate(shuffled) if place % FOLDS != fold]
        learned = Learned(_weighted(others))
        for method in chosen:
            said[method] += _judged(method, learned, shuffled[fold::FOLDS])
    rows = [
        _row(method, name)
        | {"traces": len(cases)}
        | _rate("fitting", said[method])
        | _differing(method, said)
        for method in chosen
    ]
    return rows, _disagreement(name, said)


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


class Learned:
    """What training traces teach, each when it is first asked for.

    Parameters
    ----------
    training
        The traces.
    """

    def __init__(self, training: Demonstrations) -> None:
        self.training = training
        self.seconds: float | None = None
        """Seconds of processor time that the graph took, once it is learned."""

    @cached_property
    def graph(self) -> TaskGraph:
        """The graph, learned with the defaults."""
        # Time on the clock would measure whatever else the machine does meanwhile.
        started = time.process_time()
        graph = stepgraph.learn(self.training)
        self.seconds = time.process_time() - started
        return graph

    @cached_property
    def rules(self) -> CountedRules:
        """The rules, counted."""
        return CountedRules.of(traces(self.training))


def _judged(method: str, learned: Learned, judged: Sequence[Trace]) -> list[bool]:
    fits = ROWS[method].fits
    verdicts = {trace: fits(learned, trace) for trace in dict.fromkeys(judged)}
    return [verdicts[trace] for trace in judged]


def _monitor(learned: Learned, trace: Trace) -> bool:
    monitor = stepgraph.Monitor(learned.graph)
    for step in trace:
        monitor.observe(step)
    return monitor.finish().is_clean


def _check(learned: Learned, trace: Trace) -> bool:
    return not stepgraph.find_violations(learned.graph, trace)


def _valid(learned: Learned, trace: Trace) -> bool:
    try:
        return learned.graph.is_valid(trace, complete=True)
    except UnknownNameError:  # the others answer for a step that the graph does not have
        return False


def _align(learned: Learned, trace: Trace) -> bool:
    return stepgraph.align(learned.graph, trace).cost == 0


def _counting(kinds: str) -> Callable[[Learned, Trace], bool]:
    return lambda learned, trace: learned.rules.fits(trace, kinds)


@dataclass(frozen=True)
class Judge:
    """A way to say whether a trace fits.

    Parameters
    ----------
    about
        When a trace fits.
    source
        Whether it is of the package or a control.
    fits
        Judges a trace by what was learned.
    """

    about: str
    source: str
    fits: Callable[[Learned, Trace], bool]


ROWS: Mapping[str, Judge] = {
    "monitor": Judge("`Monitor` reports no mistake and its finish is clean", "stepgraph", _monitor),
    "check": Judge("`stepgraph check` finds no violation", "stepgraph", _check),
    "valid": Judge("`graph.is_valid(trace, complete=True)`", "stepgraph", _valid),
    "align": Judge("the alignment costs nothing", "stepgraph", _align),
    "always-fits": Judge("every trace fits", "control", lambda *_: True),
    "counting-a": Judge(
        "(a) x before y, if so in every training trace with both", "control", _counting("a")
    ),
    "counting-a+b": Judge(
        "and (b) whoever does x also does y, if so in every training trace with x",
        "control",
        _counting("ab"),
    ),
    "counting-a+b+c": Judge(
        "and (c) again only what somebody did again, with what always came between",
        "control",
        _counting("abc"),
    ),
}
OF_THE_GRAPH = tuple(name for name, judge in ROWS.items() if judge.source == "stepgraph")


def _row(method: str, data: str) -> dict[str, Any]:
    judge = ROWS[method]
    return {"method": method, "about": judge.about, "source": judge.source, "data": data}


def _rates(
    said: Sequence[bool], labels: Sequence[bool], *, intervals: bool = True
) -> dict[str, float]:
    """Return accuracy and the shares of fitting and of other traces that are called so."""
    pairs = list(zip(said, labels, strict=True))
    values = {
        "accuracy": [verdict == label for verdict, label in pairs],
        "true_positive_rate": [verdict for verdict, label in pairs if label],
        "true_negative_rate": [not verdict for verdict, label in pairs if not label],
    }
    found: dict[str, float] = {}
    for key, marks in values.items():
        if marks:
            found |= _rate(key, marks, interval=intervals)
    return found


def _rate(key: str, marks: Sequence[bool], *, interval: bool = True) -> dict[str, float]:
    found = {key: sum(marks) / len(marks)}
    if interval:
        low, high = bootstrap_interval([float(mark) for mark in marks])
        found |= {f"{key}_low90": low, f"{key}_high90": high}
    return found


def _differing(method: str, said: Mapping[str, Sequence[bool]]) -> dict[str, Any]:
    """Return on how many traces a question to the graph and each other have two answers."""
    if method not in OF_THE_GRAPH:
        return {}
    others = [other for other in OF_THE_GRAPH if other in said and other != method]
    return {"differs_from": {other: _unlike(said[method], said[other]) for other in others}}


def _unlike(first: Sequence[bool], second: Sequence[bool]) -> int:
    return sum(a != b for a, b in zip(first, second, strict=True))


def _disagreement(data: str, said: Mapping[str, Sequence[bool]]) -> list[str]:
    asked = [name for name in OF_THE_GRAPH if name in said]
    if len(asked) < 2:
        return []
    every = list(zip(*(said[name] for name in asked), strict=True))
    apart = sum(len(set(answers)) > 1 for answers in every)
    if not apart:
        return [f"{data}: {', '.join(asked)} agree on all {len(every):,} traces"]
    unlike = {
        f"{first} and {second}": _unlike(said[first], said[second])
        for first, second in combinations(asked, 2)
    }
    pairs = [f"{pair} differ on {number:,}" for pair, number in unlike.items() if number]
    return [
        (
            f"{data}: {', '.join(asked)} do not all agree on {apart:,} of {len(every):,} traces; "
            f"{', '.join(pairs)}"
        )
    ]


def _times(processes: Sequence[ContestProcess], learned: Sequence[Learned]) -> list[str]:
    seconds = [
        f"{own.seconds:.1f} ({process.name})"
        for process, own in zip(processes, learned, strict=True)
        if own.seconds is not None
    ]
    if not seconds:
        return []
    return [f"{CONTEST}: seconds of processor time to learn each graph: {', '.join(seconds)}"]


def _compared(
    rows: Sequence[dict[str, Any]], right: Mapping[str, Sequence[float]]
) -> list[dict[str, Any]]:
    """Return each row with its comparison to the next by falling accuracy, on the same traces."""
    ordered = sorted(rows, key=lambda row: -row["accuracy"])
    below = {row["method"]: other["method"] for row, other in pairwise(ordered)}
    found = []
    for row in rows:
        other = below.get(row["method"])
        if other is not None:
            test = paired_test(right[row["method"]], right[other])
            row |= {
                "next_below": {
                    "method": other,
                    "difference": test.difference,
                    "p": test.p,
                    "exact": test.exact,
                }
            }
        found.append(row)
    return found


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
        lines.setdefault(row["method"], {"method": row["method"]})[row["data"]] = row["fitting"]
    sizes = {row["data"]: row["traces"] for row in own}
    columns = [
        Column("method", _text("method")),
        *(Column(f"{name} ({size:,})", _percent(name)) for name, size in sizes.items()),
    ]
    return BenchmarkResult(
        "contest: event logs",
        f"Share of an event log's cases called fitting, learned from the others in {FOLDS} folds",
        own,
        columns,
        table_rows=list(lines.values()),
    )


def _text(key: str) -> Callable[[Row], str]:
    return lambda row: str(row[key])


def _percent(key: str) -> Callable[[Row], str]:
    return lambda row: percent(row.get(key))


def accuracy_interval(row: Row) -> str:
    """Return the interval of the accuracy, empty where a row has none."""
    if "accuracy_low90" not in row:
        return ""
    return f"{percent(row['accuracy_low90'])} to {percent(row['accuracy_high90'])}"


def _next(row: Row) -> str:
    own = row.get("next_below")
    return "" if own is None else f"{own['method']}: {difference(own)}"


def by_process(row: Row) -> str:
    """Return the accuracy on each process, in the order of their numbers."""
    return " / ".join(percent(entry["accuracy"]) for entry in row.get("processes", ()))


TITLE = "Process Discovery Contest 2019: is it right whether a trace fits the process?"
CONTEST_COLUMNS = (
    Column("method", _text("method")),
    Column("accuracy", _percent("accuracy")),
    Column("90 %", accuracy_interval),
    Column("TPR", _percent("true_positive_rate")),
    Column("TNR", _percent("true_negative_rate")),
    Column("by process", by_process),
    Column("to the next below", _next),
    Column("what", _text("about")),
)
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
)
PUBLISHED_NOTE = (
    "published: accuracy of pm4py 2.7 as the mean over processes 3, 4, 7 and 10, in whole percent; "
    "taken over, not computed here, as pm4py is no dependency"
)
