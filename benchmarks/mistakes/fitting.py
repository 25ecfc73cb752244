"""Ways to say whether a trace fits what was learned from others: questions to a graph, controls.

`JUDGES` lists them; `Learned` learns once what they ask. `rates` and `compared` score the answers,
and a judge that knows what may come next has a precision by `count_allowed`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import stepgraph
from benchmarks.datasets.contest import Trace, traces
from benchmarks.graphs.edge_rows import difference
from benchmarks.harness import Column, Row, learn_with_defaults, percent
from benchmarks.mistakes.counted_rules import CountedRules
from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.evaluation import bootstrap_interval, paired_test
from stepgraph.graph import TaskGraph
from stepgraph.graph.semantics import State
from stepgraph.sequences import Demonstrations


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
        graph = learn_with_defaults(self.training)
        self.seconds = time.process_time() - started
        return graph

    @cached_property
    def seen(self) -> Mapping[Trace, int]:
        """The traces, and how often each was done."""
        return Counter(traces(self.training))

    @cached_property
    def rules(self) -> CountedRules:
        """The rules, counted."""
        return CountedRules.of(self.seen)

    @cached_property
    def followed(self) -> Mapping[Trace, frozenset[str]]:
        """The steps that followed each beginning of a trace."""
        return steps_after(self.seen)


Allows = Callable[[Learned, Trace], Collection[str] | None]
"""What may follow the beginning of a trace; None if that is a mistake already."""


def _monitor(learned: Learned, trace: Trace) -> bool:
    monitor = stepgraph.Monitor(learned.graph)
    for step in trace:
        monitor.observe(step)
    return monitor.finish().is_clean


def _check(learned: Learned, trace: Trace) -> bool:
    return not stepgraph.find_violations(learned.graph, trace, complete=True)


def _valid(learned: Learned, trace: Trace) -> bool:
    try:
        return learned.graph.is_valid(trace, complete=True)
    except UnknownNameError:  # the others answer for a step that the graph does not have
        return False


def _align(learned: Learned, trace: Trace) -> bool:
    return stepgraph.align(learned.graph, trace).cost == 0


def _counting(kinds: str) -> Callable[[Learned, Trace], bool]:
    return lambda learned, trace: learned.rules.fits(trace, kinds)


def _memory(learned: Learned, trace: Trace) -> bool:
    return trace in learned.seen


def _allowed_by_graph(learned: Learned, prefix: Trace) -> Collection[str] | None:
    semantics, state = learned.graph.semantics, State()
    for step in prefix:
        node = semantics.nodes.get(step)
        if node is None or not semantics.may_do(node, state):
            return None
        state = semantics.do(node, state)
    return [step for step, node in semantics.nodes.items() if semantics.may_do(node, state)]


def _allowed_by_rules(kinds: str) -> Allows:
    """Return what rules allow next; those on what else is done say nothing before the end."""

    def allows(learned: Learned, prefix: Trace) -> Collection[str] | None:
        rules = learned.rules
        if not rules.fits(prefix, kinds):
            return None
        return [step for step in rules.together if rules.fits((*prefix, step), kinds)]

    return allows


def _allowed_by_memory(learned: Learned, prefix: Trace) -> Collection[str] | None:
    return learned.followed.get(prefix)


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
    allows
        Returns the steps that may follow the beginning of a trace, None if that is a mistake
        already; None where it cannot say so before the end.
    """

    about: str
    source: str
    fits: Callable[[Learned, Trace], bool]
    allows: Allows | None = None


JUDGES: Mapping[str, Judge] = {
    "monitor": Judge(
        "`Monitor` reports no mistake and its finish is clean",
        "stepgraph",
        _monitor,
        _allowed_by_graph,
    ),
    "check": Judge("`stepgraph check` finds no violation", "stepgraph", _check),
    "valid": Judge(
        "`graph.is_valid(trace, complete=True)`", "stepgraph", _valid, _allowed_by_graph
    ),
    "align": Judge("the alignment costs nothing", "stepgraph", _align, _allowed_by_graph),
    "always-fits": Judge(
        "every trace fits", "control", lambda *_: True, lambda learned, _: learned.rules.together
    ),
    "memory": Judge(
        "a training trace is the same, step by step", "control", _memory, _allowed_by_memory
    ),
    "counting-a": Judge(
        "(a) x before y, if so in every training trace with both",
        "control",
        _counting("a"),
        _allowed_by_rules("a"),
    ),
    "counting-a+b": Judge(
        "and (b) whoever does x also does y, if so in every training trace with x",
        "control",
        _counting("ab"),
        _allowed_by_rules("a"),
    ),
    "counting-a+b+c": Judge(
        "and (c) again only what somebody did again, with what always came between",
        "control",
        _counting("abc"),
        _allowed_by_rules("ac"),
    ),
}
OF_THE_GRAPH = tuple(name for name, judge in JUDGES.items() if judge.source == "stepgraph")


def judge_traces(method: str, learned: Learned, given: Sequence[Trace]) -> list[bool]:
    """Return whether each trace fits, as a method of `JUDGES` says."""
    fits = JUDGES[method].fits
    verdicts = {trace: fits(learned, trace) for trace in dict.fromkeys(given)}
    return [verdicts[trace] for trace in given]


def steps_after(cases: Iterable[Trace]) -> dict[Trace, frozenset[str]]:
    """Return the steps that follow each beginning of some cases, the empty one included.

    Examples
    --------
    >>> steps_after([("a", "b"), ("a", "c")])[("a",)] == {"b", "c"}
    True
    """
    found: dict[Trace, set[str]] = {}
    for case in set(cases):
        for place, step in enumerate(case):
            found.setdefault(case[:place], set()).add(step)
    return {prefix: frozenset(steps) for prefix, steps in found.items()}


def count_allowed(
    method: str,
    learned: Learned,
    given: Iterable[Trace],
    recorded: Mapping[Trace, frozenset[str]],
) -> tuple[int, int]:
    """Count the steps that a method allows after each beginning of a trace, and the recorded ones.

    The second divided by the first is the precision by escaping edges; a beginning that the method
    calls a mistake counts nothing.

    Parameters
    ----------
    method
        A method of `JUDGES` that knows what may come next.
    learned
        What it learned.
    given
        The traces; their beginnings count as often as they come, whole traces do not.
    recorded
        The steps that were ever recorded after a beginning.

    References
    ----------
    J. Munoz-Gama and J. Carmona, "A fresh look at precision in process conformance", Business
    Process Management (2010), 211-226.
    """
    allows = JUDGES[method].allows
    if allows is None:
        raise SettingError(f"{method} does not say what may come next; expected one that does")
    weights = Counter(trace[:place] for trace in given for place in range(len(trace)))
    allowed = seen = 0
    for prefix, weight in weights.items():
        steps = set(allows(learned, prefix) or ())
        allowed += weight * len(steps)
        seen += weight * len(steps & recorded.get(prefix, frozenset()))
    return allowed, seen


def judge_row(method: str, data: str) -> dict[str, Any]:
    """Return the beginning of a row: the method, what it is, and on which data."""
    judge = JUDGES[method]
    return {"method": method, "about": judge.about, "source": judge.source, "data": data}


def rates(
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
            found |= rate(key, marks, interval=intervals)
    return found


def rate(key: str, values: Sequence[float], *, interval: bool = True) -> dict[str, float]:
    """Return a mean under a name, with the ends of its bootstrap interval."""
    found = {key: sum(values) / len(values)}
    if interval:
        low, high = bootstrap_interval([float(value) for value in values])
        found |= {f"{key}_low90": low, f"{key}_high90": high}
    return found


def differing(method: str, said: Mapping[str, Sequence[bool]]) -> dict[str, Any]:
    """Return on how many traces a question to the graph and each other have two answers."""
    if method not in OF_THE_GRAPH:
        return {}
    others = [other for other in OF_THE_GRAPH if other in said and other != method]
    return {"differs_from": {other: _unlike(said[method], said[other]) for other in others}}


def _unlike(first: Sequence[bool], second: Sequence[bool]) -> int:
    return sum(a != b for a, b in zip(first, second, strict=True))


def disagreement(data: str, said: Mapping[str, Sequence[bool]]) -> list[str]:
    """Return a note on the traces of some data on which questions to a graph have two answers."""
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


def compared(
    rows: Sequence[dict[str, Any]], right: Mapping[str, Sequence[float]]
) -> list[dict[str, Any]]:
    """Return each row with its comparison to the next by falling accuracy.

    Parameters
    ----------
    rows
        One for each method.
    right
        For each method its accuracy on each trace or process, in the same order.
    """
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


def accuracy_interval(row: Row) -> str:
    """Return the interval of the accuracy, empty where a row has none."""
    if "accuracy_low90" not in row:
        return ""
    return f"{percent(row['accuracy_low90'])} to {percent(row['accuracy_high90'])}"


def _next_below(row: Row) -> str:
    own = row.get("next_below")
    return "" if own is None else f"{own['method']}: {difference(own)}"


def fit_columns(*more: Column) -> tuple[Column, ...]:
    """Return the columns of a table of judges, with more before the comparison."""
    return (
        Column("method", lambda row: str(row["method"])),
        Column("accuracy", lambda row: percent(row.get("accuracy"))),
        Column("90 %", accuracy_interval),
        Column("TPR", lambda row: percent(row.get("true_positive_rate"))),
        Column("TNR", lambda row: percent(row.get("true_negative_rate"))),
        *more,
        Column("to the next below", _next_below),
        Column("what", lambda row: str(row["about"])),
    )
