"""How well choices, rework and steps that go together are found, where it is known which there are.

Random procedures have rules of all kinds; in recordings of them none, few or some steps are
dropped, swapped or inserted. A control counts what no recording contradicts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from benchmarks.datasets.captaincook4d import unmarked
from benchmarks.datasets.contest import Trace
from benchmarks.generators.noise import Demonstrator, Noise, disturb
from benchmarks.generators.problems import SIZES, draw_procedure, measured_seeds, note_on_procedures
from benchmarks.generators.rules import draw_runs, with_rules
from benchmarks.harness import (
    BenchmarkResult,
    Column,
    Request,
    Row,
    choose_rows,
    learn_with_defaults,
)
from benchmarks.mistakes.counted_rules import CountedRules
from benchmarks.mistakes.fitting import rate
from stepgraph.graph import TaskGraph
from stepgraph.sequences import Demonstrations

RATES = (0.0, 0.02, 0.05)
"""The shares of steps at which something goes wrong; a third each is dropped, swapped, inserted."""
COUNTS = (20, 100, 500)
"""Numbers of recordings."""
CLEAN = 500
"""Number of clean recordings that say which steps always go together."""
KINDS = ("choices", "undoings", "goes_with")

Pair = tuple[str, str]


@dataclass(frozen=True)
class RulePairs:
    """Rules as pairs of steps.

    Parameters
    ----------
    choices
        Steps of two alternatives of a choice, in the order of their names.
    undoings
        A step, and one that it undoes.
    goes_with
        A step, and one that goes with it.
    """

    choices: frozenset[Pair]
    undoings: frozenset[Pair]
    goes_with: frozenset[Pair]

    @classmethod
    def of_graph(cls, graph: TaskGraph) -> RulePairs:
        """Return the rules of a graph.

        Examples
        --------
        >>> from stepgraph.graph import Choice
        >>> graph = TaskGraph("abc", [], choices=[Choice([["c", "a"], ["b"]])])
        >>> sorted(RulePairs.of_graph(graph).choices)
        [('a', 'b'), ('b', 'c')]
        """
        exclusive = [
            (min(one, other), max(one, other))
            for choice in graph.choices
            for first, second in combinations(choice.alternatives, 2)
            for one in first
            for other in second
        ]
        undone = [(own.step, other) for own in graph.undoings for other in own.undone]
        together = [
            (step, other) for step, own in graph.attributes.items() for other in own.goes_with
        ]
        return cls(frozenset(exclusive), frozenset(undone), frozenset(together))


def counted(traces: Sequence[Trace]) -> RulePairs:
    """Return the control: rules that no recording contradicts.

    Two steps exclude each other if no recording has both. A step undoes another if it came between
    any two times of that. A step that some leave out goes with another if all with that have it.

    Examples
    --------
    >>> rules = counted([("a", "r", "a", "x"), ("a", "y")])
    >>> sorted(rules.choices), sorted(rules.undoings)
    ([('r', 'y'), ('x', 'y')], [('r', 'a')])
    """
    rules = CountedRules.of(traces)
    done = [frozenset(trace) for trace in traces]
    met = {pair for steps in done for pair in combinations(sorted(steps), 2)}
    always = frozenset.intersection(*done)
    return RulePairs(
        frozenset(set(combinations(sorted(rules.together), 2)) - met),
        frozenset((other, step) for step, passed in rules.between.items() for other in passed),
        frozenset(
            (step, other)
            for step, with_it in rules.together.items()
            for other in with_it - always - {step}
        ),
    )


METHODS: Mapping[str, Callable[[Demonstrations], RulePairs]] = {
    "learned": lambda given: RulePairs.of_graph(learn_with_defaults(given)),
    "control: counted": lambda given: counted([given.names(own) for own in given]),
}


@dataclass(frozen=True)
class RuleProblem:
    """A procedure whose rules are known.

    Parameters
    ----------
    graph
        The procedure.
    seed
        The seed of its runs.
    true
        Its rules.
    apart
        Pairs of steps of which a clean run has the first without the second.
    """

    graph: TaskGraph
    seed: int
    true: RulePairs
    apart: frozenset[Pair]

    def record(self, count: int, errors: float) -> Demonstrations:
        """Return recordings in which a share of the steps goes wrong, unmarked."""
        each = errors / 3
        noise = Noise(Demonstrator(skipped=each, swapped=each, inserted=each))
        runs = draw_runs(self.graph, count, self.seed)
        shown = disturb(runs, noise, self.seed, steps=len(self.graph.steps))
        return unmarked(Demonstrations(self.graph.vocabulary, shown, self.graph.procedure))


def draw_problem(size: int, seed: int) -> RuleProblem:
    """Return the procedure of a size and a seed, with a rule of each kind for every eight steps."""
    number = max(1, size // 8)
    graph = with_rules(
        draw_procedure(size, seed),
        choices=number,
        undoings=number,
        together=number,
        seed=seed,
    )
    # Another seed than that of recordings, which would else judge themselves.
    runs = [
        {graph.vocabulary.name(node) for node in own} for own in draw_runs(graph, CLEAN, -1 - seed)
    ]
    apart = {
        (step, other) for steps in runs for step in steps for other in set(graph.steps) - steps
    }
    return RuleProblem(graph, seed, RulePairs.of_graph(graph), frozenset(apart))


def run(request: Request) -> BenchmarkResult:
    """Learn procedures with rules from recordings, and score the rules that are found.

    The methods are 'learned' and the control; the seeds say how many procedures there are of each
    size.
    """
    chosen = choose_rows(request.methods, METHODS)
    problems = [
        draw_problem(size, seed) for size in SIZES for seed in measured_seeds(request.seeds)
    ]
    conditions = [(errors, count) for errors in RATES for count in COUNTS]
    rows = []
    for done, (errors, count) in enumerate(conditions):
        request.progress(done, len(conditions), f"{count} recordings, {errors:.0%} errors")
        given = [problem.record(count, errors) for problem in problems]
        for method in chosen:
            found = [METHODS[method](own) for own in given]
            row = {
                "method": method,
                "errors": errors,
                "recordings": count,
                "procedure_count": len(problems),
            }
            rows.append(row | _scores(found, problems))
    request.progress(len(conditions), len(conditions), "done")
    return BenchmarkResult(
        "rules",
        f"Choices, undoing and steps that go together of {len(problems)} random procedures: "
        "precision / recall in percent",
        rows,
        COLUMNS,
        (note_on_procedures(request.seeds), *NOTES),
    )


def _scores(found: Sequence[RulePairs], problems: Sequence[RuleProblem]) -> dict[str, Any]:
    """Return precision and recall of each kind of rule, as means over procedures."""
    scores: dict[str, Any] = {}
    for kind in KINDS:
        precisions, recalls = [], []
        number = 0
        for own, problem in zip(found, problems, strict=True):
            pairs: frozenset[Pair] = getattr(own, kind)
            true: frozenset[Pair] = getattr(problem.true, kind)
            number += len(pairs)
            recalls.append(len(pairs & true) / len(true))
            if kind == "undoings":  # the other way round is neither right nor wrong
                pairs -= {(other, step) for step, other in true}
            wrong = pairs & problem.apart if kind == "goes_with" else pairs - true
            if pairs:
                precisions.append(1 - len(wrong) / len(pairs))
        scores[f"{kind}_found"] = number
        scores[f"{kind}_true"] = sum(len(getattr(problem.true, kind)) for problem in problems)
        scores |= rate(f"{kind}_recall", recalls)
        scores |= rate(f"{kind}_precision", precisions) if precisions else {}
    return scores


def precision_and_recall(kind: str) -> Callable[[Row], str]:
    """Return a cell with precision and recall of a kind of rule, each with its interval."""

    def cell(row: Row) -> str:
        return " / ".join(_with_interval(row, f"{kind}_{what}") for what in ("precision", "recall"))

    return cell


def _with_interval(row: Row, key: str) -> str:
    if key not in row:
        return "-"
    mean, low, high = (f"{100 * row[name]:.0f}" for name in (key, f"{key}_low90", f"{key}_high90"))
    return f"{mean} ({low} to {high})"


NOTES = (
    (
        "every eight steps a choice with an added alternative of one or two steps, an added step "
        "that undoes one or two others, and two optional steps of which one goes with the other"
    ),
    (
        "recordings walk at random through what the true graph permits; a step that undoes is done "
        "in 40 % of them, an optional step in half; errors: the share of steps that are dropped, "
        "swapped with the next one, or have one inserted before them, a third each"
    ),
    (
        "choices: pairs of steps that exclude each other; undoings: pairs of a step and one it "
        "undoes, the other way round neither right nor wrong, as the first may then be done again; "
        f"goes with: a pair is wrong if one of {CLEAN} clean runs has the one alone"
    ),
    (
        "means over procedures, precision over those in which something was found; in brackets: "
        "90 % percentile bootstrap over procedures"
    ),
    "control: what no recording contradicts",
)
COLUMNS = (
    Column("by", lambda row: str(row["method"])),
    Column("errors", lambda row: f"{row['errors']:.0%}"),
    Column("recordings", lambda row: str(row["recordings"])),
    Column("choices", precision_and_recall("choices")),
    Column("undoings", precision_and_recall("undoings")),
    Column("goes with", precision_and_recall("goes_with")),
)
