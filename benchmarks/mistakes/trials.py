"""Whole recordings judged by rules: a graph and steps in, a score for each step out.

Online rules judge each step by what came before it, rules of the end by the whole recording. The
rows of the benchmarks of trials are made here, rules beside controls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from benchmarks.detection import (
    bootstrap_f1,
    detection_figures,
    false_alarms_at_recall,
    score_detection,
)
from benchmarks.harness import Column, choose_rows, percent
from stepgraph.alignment import align
from stepgraph.graph import Edge, TaskGraph
from stepgraph.learners import LEARNERS, get_learner
from stepgraph.monitoring.order import ALARM, OrderWatch, out_of_order, pair_trust
from stepgraph.monitoring.plan import Plan
from stepgraph.postprocess import to_graph
from stepgraph.sequences import Demonstrations

Trust = Mapping[Edge, float]
Judge = Callable[[TaskGraph, Sequence[str], Trust], list[float]]


@dataclass(frozen=True)
class Rule:
    """A way to call steps mistakes.

    Parameters
    ----------
    name
        What it is called.
    about
        When it flags a step.
    judge
        Gives each step of a recording a score from 0 to 1.
    threshold
        The score from which a step is flagged.
    knows
        'online' if a score depends on earlier steps only, 'end' if on the whole recording.
    """

    name: str
    about: str
    judge: Judge
    threshold: float = 0.5
    knows: str = "online"


def _plain(*, direct: bool = False, early: bool = True, late: bool = False) -> Judge:
    """Return a rule of masks: what is missing before a step, what was done that needs it."""

    def judge(graph: TaskGraph, steps: Sequence[str], trust: Trust) -> list[float]:  # noqa: ARG001
        plan = Plan.of(graph)
        needs = plan.needs if direct else plan.needs_all
        performed = 0
        scores = []
        for step in steps:
            node = plan.nodes.get(step)
            if node is None:
                scores.append(1.0)
                continue
            first = not performed >> node & 1
            wrong = (early and needs[node] & ~performed) or (
                late and first and plan.needed_by[node] & performed
            )
            scores.append(float(bool(wrong)))
            performed |= 1 << node
        return scores

    return judge


def _online(graph: TaskGraph, steps: Sequence[str], trust: Trust) -> list[float]:
    watch = OrderWatch(graph, trust=trust)
    return [watch.observe(step).probability if step in graph.vocabulary else 1.0 for step in steps]


def _end(graph: TaskGraph, steps: Sequence[str], trust: Trust) -> list[float]:
    return [
        verdict.probability if verdict.step in graph.vocabulary else 1.0
        for verdict in out_of_order(graph, steps, trust=trust)
    ]


def _moved(graph: TaskGraph, steps: Sequence[str], trust: Trust) -> list[float]:  # noqa: ARG001
    inserted = {move.position for move in align(graph, steps).inserted}
    return [float(position in inserted) for position in range(1, len(steps) + 1)]


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            Rule("direct", "a direct precondition is missing (the paper's)", _plain(direct=True)),
            Rule("too-early", "anything it needs is missing", _plain()),
            Rule("too-late", "a step that needs it is done", _plain(early=False, late=True)),
            Rule("early-or-late", "too early or too late", _plain(late=True)),
            Rule(
                "order-online",
                "too late, or what is missing probably comes",
                _online,
                threshold=ALARM,
            ),
            Rule("order-end", "on the wrong side of a step that was done", _end, knows="end"),
            Rule(
                "moved-end",
                "inserted, by the cheapest explanation (stepgraph align)",
                _moved,
                knows="end",
            ),
        )
    }
)
"""All rules. A step that the graph does not know is a mistake by each of them."""


RECALLS = (0.5, 0.8)
"""The shares of mistakes found at which false alarms are counted."""

QUICK = ("do", "intersection", "robust", "fusion", "msgi", "msg2", "count-based")
"""The methods that run unless others are named: those that learn all this within minutes."""

ORACLE = "annotated-graph"
"""The row that is given the known graph instead of learning one."""


@dataclass(frozen=True)
class Trial:
    """One recording to judge.

    Parameters
    ----------
    id
        What it is called.
    steps
        Its steps by name, in the order done.
    wrong
        Whether each step is a mistake.
    skipped
        The steps that were left out, as its annotator says.
    seconds
        How long it took, where known.
    labels
        What its annotator called each step, where that is more than right or wrong.
    """

    id: str
    steps: tuple[str, ...]
    wrong: tuple[bool, ...]
    skipped: frozenset[str] = frozenset()
    seconds: float | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trials:
    """The recordings of one procedure: some to learn from, others to judge.

    Parameters
    ----------
    train
        What to learn from.
    trials
        What to judge.
    truth
        The known graph, where there is one.
    """

    train: Demonstrations
    trials: tuple[Trial, ...]
    truth: TaskGraph | None = None


Scores = list[list[float]]
Control = Callable[[Trials, Trial], list[float]]


def _unseen(given: Trials, trial: Trial) -> list[float]:
    seen = {given.train.vocabulary.name(node) for node in given.train.seen}
    return [float(step not in seen) for step in trial.steps]


def _always_before(given: Trials, trial: Trial) -> list[float]:
    """Flag a step without all that came before its first time in every training recording."""
    needed: dict[str, frozenset[str]] = {}
    for recording in given.train:
        done: list[str] = []
        for step in dict.fromkeys(given.train.names(recording)):
            needed[step] = needed.get(step, frozenset(done)) & frozenset(done)
            done.append(step)
    performed: set[str] = set()
    scores = []
    for step in trial.steps:
        scores.append(float(step not in needed or not needed[step] <= performed))
        performed.add(step)
    return scores


CONTROLS: Mapping[str, tuple[str, Control]] = MappingProxyType(
    {
        "always-before": (
            "something that came before it in all training is missing, or it was never seen",
            _always_before,
        ),
        "unseen-step": ("only steps that training does not show", _unseen),
        "position": (
            "from the k-th step on, k the best for these very recordings",
            lambda given, trial: [float(place + 1) for place in range(len(trial.steps))],  # noqa: ARG005
        ),
        "always-mistake": ("every step", lambda given, trial: [1.0] * len(trial.steps)),  # noqa: ARG005
        "always-correct": ("no step", lambda given, trial: [0.0] * len(trial.steps)),  # noqa: ARG005
    }
)
"""What needs no graph: the rows that a result must stand beside."""


def choose_methods(
    methods: Sequence[str] | None, default: Sequence[str], extra: Sequence[str] = ()
) -> list[str]:
    """Return the methods and controls to run: the default ones, or the named ones.

    Raises
    ------
    UnknownNameError
        If there is no such method.
    """
    every = dict.fromkeys([*default, *LEARNERS, *extra, *CONTROLS])
    return choose_rows(methods, every, default=[*default, *extra, *CONTROLS])


def learn_graphs(method: str, procedures: Sequence[Trials]) -> list[TaskGraph]:
    """Learn a graph of each procedure from its training recordings, with seed 0."""
    learned = get_learner(method).learn_many([given.train for given in procedures])
    return [to_graph(row[0].adjacency).graph for row in learned]


def rule_rows(
    method: str, graphs: Sequence[TaskGraph], procedures: Sequence[Trials]
) -> list[dict[str, Any]]:
    """Return a row for each rule, with one graph for each procedure."""
    trusts: list[dict[Edge, float]] = [pair_trust(given.train) for given in procedures]
    rows = []
    for rule in RULES.values():
        scores = [
            rule.judge(graph, trial.steps, {} if method == ORACLE else trust)
            for given, graph, trust in zip(procedures, graphs, trusts, strict=True)
            for trial in given.trials
        ]
        rows.append(
            detection_row(method, rule.name, procedures, scores, rule.threshold)
            | {"about": rule.about, "knows": rule.knows}
        )
    return rows


def control_row(name: str, procedures: Sequence[Trials]) -> dict[str, Any]:
    """Return the row of a control."""
    about, judge = CONTROLS[name]
    scores = [judge(given, trial) for given in procedures for trial in given.trials]
    thresholds = [0.5]
    if name == "position":
        thresholds = [float(place) for place in range(1, max(map(len, scores)) + 1)]
    rows = [
        detection_row(name, "control", procedures, scores, threshold) for threshold in thresholds
    ]
    best = max(rows, key=lambda row: row["f1"])
    return best | {"about": about, "knows": "online"}


def detection_row(
    method: str, rule: str, procedures: Sequence[Trials], scores: Scores, threshold: float
) -> dict[str, Any]:
    """Return the figures of a detector over all recordings.

    Parameters
    ----------
    method, rule
        What the row is called.
    procedures, scores
        The recordings, and a score for each step of each, in their order.
    threshold
        The score from which a step is flagged.
    """
    trials = [trial for given in procedures for trial in given.trials]
    truths = [trial.wrong for trial in trials]
    found = score_detection(truths, scores, threshold)
    row: dict[str, Any] = {
        "method": method,
        "rule": rule,
        **detection_figures(found, bootstrap_f1(truths, scores, threshold)),
        "threshold": threshold,
        "steps": sum(map(len, truths)),
        "mistakes": found.true_alarms + found.missed,
        "flagged": found.true_alarms + found.false_alarms,
    }
    seconds = [trial.seconds for trial in trials if trial.seconds is not None]
    minutes = sum(seconds) / 60
    if len(seconds) == len(trials) and minutes > 0:
        row["false_alarms_per_minute"] = found.false_alarms / minutes
        for recall in RECALLS:
            alarms = false_alarms_at_recall(truths, scores, recall)
            key = f"false_alarms_per_minute_at_recall_{100 * recall:.0f}"
            row[key] = None if alarms is None else alarms / minutes
    return row


def _interval(row: Mapping[str, Any]) -> str:
    return f"{percent(row['f1_low90'])}-{percent(row['f1_high90'])}"


def _rate(key: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda row: "" if row.get(key) is None else f"{row[key]:.2f}"


DETECTION_COLUMNS = (
    Column("method", lambda row: str(row["method"])),
    Column("rule", lambda row: str(row["rule"])),
    Column("precision", lambda row: percent(row["precision"])),
    Column("recall", lambda row: percent(row["recall"])),
    Column("F1", lambda row: percent(row["f1"])),
    Column("90 %", _interval),
    Column("AP", lambda row: percent(row["average_precision"])),
)
"""How a terminal shows such rows."""

ALARM_COLUMNS = (
    Column("fa/min", _rate("false_alarms_per_minute")),
    *(
        Column(
            f"R {100 * recall:.0f}",
            _rate(f"false_alarms_per_minute_at_recall_{100 * recall:.0f}"),
        )
        for recall in RECALLS
    ),
)
"""False alarms a minute: at the rule's own threshold, and where half or four fifths are found."""
