"""How well optional and repeatable steps are told from slips, where it is known which are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import permutations
from statistics import fmean
from typing import Any

from benchmarks.datasets.captaincook4d import unmarked
from benchmarks.generators import Noise, draw_demonstrations, with_choices
from benchmarks.generators.problems import SIZES, draw_procedure, measured_seeds
from benchmarks.harness import (
    BenchmarkResult,
    Column,
    Request,
    choose_rows,
    learn_with_defaults,
)
from stepgraph.evaluation import mean_interval
from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes
from stepgraph.procedures import load_procedure, procedure_names
from stepgraph.sequences import Demonstrations

OPTIONAL, REPEATABLE = 0.2, 0.15
"""The shares of the steps that may be left out, and that are repeated."""
COUNTS = (4, 8, 16, 32)
RATES = (0.0, 0.05, 0.1, 0.2)
KINDS = ("optional", "repeatable", "goes_with", "choice", "repeated_after")

Learn = Callable[[Demonstrations], TaskGraph]


def ever(demonstrations: Demonstrations) -> TaskGraph:
    """Return the control: optional is what anybody left out, repeatable what anybody repeated."""
    graph = learn_with_defaults(demonstrations)
    attributes = {
        step: StepAttributes(optional=known.done < 1, repeatable=known.repeated > 0)
        for step, known in graph.attributes.items()
    }
    return graph.replace(attributes=attributes, choices=(), undoings=())


METHODS: Mapping[str, Learn] = {
    "learned": learn_with_defaults,
    "control: ever": ever,
}


def run(request: Request) -> BenchmarkResult:
    """Learn attributes from recordings with and without errors, and score them.

    The methods are 'learned' and the control; the seeds say how many procedures there are of each
    size.
    """
    chosen = choose_rows(request.methods, METHODS)
    truths = [
        with_choices(
            draw_procedure(size, seed),
            optional=OPTIONAL,
            repeatable=REPEATABLE,
            seed=seed,
        )
        for size in SIZES
        for seed in measured_seeds(request.seeds)
    ]
    rows = []
    for done, rate in enumerate(RATES):
        request.progress(done, len(RATES), f"{rate:.0%} errors")
        for count in COUNTS:
            given = [
                unmarked(draw_demonstrations(truth, count, seed, noise=Noise.mixed(rate)))
                for seed, truth in enumerate(truths)
            ]
            rows += [
                _row(name, f"{rate:.0%} errors", count, METHODS[name], given, truths)
                for name in chosen
            ]
    shipped = [load_procedure(name) for name in procedure_names()]
    known = [procedure.graph for procedure in shipped]
    recordings = [unmarked(procedure.demonstrations) for procedure in shipped]
    count = round(fmean(map(len, recordings)))
    rows += [
        _row(name, "procedures that ship", count, METHODS[name], recordings, known)
        for name in chosen
    ]
    request.progress(len(RATES), len(RATES), "done")
    return BenchmarkResult(
        "attributes",
        f"Optional and repeatable steps of {len(truths)} random procedures: precision / recall in "
        "percent",
        rows,
        COLUMNS,
        NOTES,
    )


def _row(
    name: str,
    condition: str,
    count: int,
    learn: Learn,
    given: Sequence[Demonstrations],
    truths: Sequence[TaskGraph],
) -> dict[str, Any]:
    graphs = [learn(one) for one in given]
    row: dict[str, Any] = {"method": name, "condition": condition, "recordings": count}
    for kind in KINDS:
        found = [_entries(known, kind) for known in graphs]
        true = [_entries(truth, kind) for truth in truths]
        row[kind] = _scores(found, true)
    return row


def _entries(graph: TaskGraph, kind: str) -> frozenset[tuple[str, str]]:
    """Return the steps that have an attribute, with the step it names where it names one.

    What has an alternative may be left out, and what is undone may be done again.
    """
    known = graph.attributes
    if kind == "optional":
        chosen = {step for choice in graph.choices for step in choice.steps}
        return frozenset((step, "") for step in {*graph.optional_steps, *chosen})
    if kind == "repeatable":
        undone = {step for own in graph.undoings for step in own.undone}
        again = {step for step, one in known.items() if one.repeatable}
        return frozenset((step, "") for step in again | undone)
    if kind == "choice":
        return frozenset(
            (first, second)
            for choice in graph.choices
            for one, other in permutations(choice.alternatives, 2)
            for first in one
            for second in other
        )
    if kind == "repeated_after":
        return frozenset(
            (step, one.repeated_after[0]) for step, one in known.items() if one.repeated_after
        )
    return frozenset((step, other) for step, one in known.items() for other in one.goes_with)


def _scores(
    found: Iterable[frozenset[tuple[str, str]]], true: Iterable[frozenset[tuple[str, str]]]
) -> dict[str, float | None]:
    """Return precision and recall over the entries of all procedures, F1 with its interval.

    Where nothing is known to be true, nothing is known to be wrong either: there is no precision.
    """
    right = named = wanted = 0
    single = []
    for one, other in zip(found, true, strict=True):
        right += len(one & other)
        named += len(one)
        wanted += len(other)
        if one or other:
            single.append(2 * len(one & other) / (len(one) + len(other)))
    interval = mean_interval(single) if single else None
    return {
        "precision": right / named if named and wanted else None,
        "recall": right / wanted if wanted else None,
        "f1": None if interval is None else interval.mean,
        "f1_interval90": None if interval is None else interval.half_width,
    }


def _cell(kind: str) -> Callable[[Mapping[str, Any]], str]:
    def cell(row: Mapping[str, Any]) -> str:
        scores = row[kind]
        figures = (scores["precision"], scores["recall"])
        return " / ".join("-" if value is None else f"{100 * value:.0f}" for value in figures)

    return cell


NOTES = (
    (
        f"a fifth of the steps may be left out, done in 30 to 80 % of the recordings, and "
        f"{REPEATABLE:.0%} are repeated as often; width 0.3 of the steps, density 0.7"
    ),
    "errors as in the benchmark 'synthetic', their marks unseen",
    "goes with, choice: pairs of steps; after: the step most often repeated after",
    "what has an alternative counts as optional, and what another step undoes as repeatable",
    "control: what anybody left out is optional, what anybody repeated is repeatable",
)

COLUMNS = (
    Column("by", lambda row: str(row["method"])),
    Column("recordings of", lambda row: str(row["condition"])),
    Column("each", lambda row: str(row["recordings"])),
    Column("optional", _cell("optional")),
    Column("repeatable", _cell("repeatable")),
    Column("goes with", _cell("goes_with")),
    Column("choice", _cell("choice")),
    Column("after", _cell("repeated_after")),
)
