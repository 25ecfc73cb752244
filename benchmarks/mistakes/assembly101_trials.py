"""Whole recordings of Assembly101 with all their mistakes, people kept apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from networkx import DiGraph, transitive_reduction

from benchmarks.datasets.assembly101 import Assembly101, read_assembly101
from benchmarks.datasets.directory import data_directory, data_file
from benchmarks.harness import (
    BenchmarkResult,
    Column,
    MissingDataError,
    Request,
    compute_rows,
    percent,
)
from benchmarks.mistakes.trials import (
    CONTROLS,
    DETECTION_COLUMNS,
    RULES,
    Scores,
    Trial,
    Trials,
    choose_methods,
    control_row,
    detection_row,
    learn_graphs,
)
from stepgraph.graph import TaskGraph, connect_ends
from stepgraph.monitoring.order import pair_trust
from stepgraph.monitoring.violations import judge_with_reversals, reversals
from stepgraph.sequences import Demonstrations, KeyStepSequence

FOLDS = 5
"""Into how many parts the people are dealt; each part is judged by what the others did."""
DEFAULT = ("intersection", "robust", "msg2", "count-based")
SCOPES = ("all-toys", "toy-parts", "toy-own")
USED_RULES = ("direct", "too-early", "early-or-late", "order-online", "order-end")
REVERSALS = "reversals"
VERBS = {"detach": "attach"}

NOTES = (
    (
        "positives are the segments labelled mistake; corrections are none, and 'corr' is the "
        "share of them that is flagged"
    ),
    (
        f"people are dealt into {FOLDS} parts; each is judged by the recordings without mistake of "
        "the people in the others"
    ),
    (
        "all-toys: one graph of every toy; toy-parts: the same, only steps needed that all clean "
        "recordings of this kind of toy show; toy-own: a graph from recordings of this kind alone, "
        "where there are two or more, otherwise toy-parts"
    ),
    f"{REVERSALS}: too-early, where detaching undoes attaching, and undoing a mistake is none",
    "position knows the best k for these very recordings: not a method",
    "intervals are bootstrapped over recordings; methods that draw use seed 0",
)


@dataclass(frozen=True)
class _Fold:
    """What is judged together.

    Parameters
    ----------
    trials
        All clean recordings of the other people, and the recordings to judge.
    toys
        The kind of toy of each recording to judge.
    parts
        For each kind, the steps that all clean recordings of it show.
    by_toy
        The clean recordings of each kind that has two or more.
    """

    trials: Trials
    toys: tuple[str, ...]
    parts: Mapping[str, frozenset[str]]
    by_toy: Mapping[str, Demonstrations]


def run(request: Request) -> BenchmarkResult:
    """Learn from other people's clean recordings, and judge each recording to its end."""
    chosen = choose_methods(request.methods, DEFAULT)
    directory = data_directory(request.data, needs=("assembly101",))
    data_file(directory, "assembly101", "annotations")
    given = read_assembly101(directory / "assembly101")
    folds = list(_folds(given))
    if not folds:
        raise MissingDataError(
            f"{directory / 'assembly101'}: nobody can be judged by others; expected recordings of "
            "at least two people, one of them without a mistake"
        )
    procedures = [fold.trials for fold in folds]
    found, left_out = compute_rows(
        chosen,
        lambda name: (
            [control_row(name, procedures) | {"scope": "all-toys"}]
            if name in CONTROLS
            else _method_rows(name, folds)
        ),
        request,
    )
    trials = [trial for fold in procedures for trial in fold.trials]
    labels = [label for trial in trials for label in trial.labels]
    return BenchmarkResult(
        "assembly101-trials",
        f"Assembly101, {len(trials)} whole recordings of "
        f"{len({maker.toy for maker in given.makers.values()})} kinds of toys: {len(labels):,} "
        f"segments, {labels.count('mistake')} mistakes, {labels.count('correction')} corrections",
        [row for rows in found for row in rows],
        (
            *DETECTION_COLUMNS[:2],
            Column("graph", lambda row: str(row["scope"])),
            *DETECTION_COLUMNS[2:],
            Column("corr", lambda row: percent(row.get("corrections_flagged"))),
        ),
        [
            _shared_subjects(given),
            *left_out,
            *NOTES,
            *(f"{name}: {RULES[name].about}" for name in USED_RULES),
        ],
    )


def _shared_subjects(given: Assembly101) -> str:
    train, test = (
        {given.makers[id_].subject for id_ in given.splits.get(split, ()) if id_ in given.makers}
        for split in ("train", "test")
    )
    if not train or not test:
        return (
            "the published split, or one side of its recordings, is not there, so who is on "
            "both sides is unknown"
        )
    both, every = len(train & test), len(train | test)
    return (
        f"the published split has {both} of {every} people ({both / every:.0%}) on both sides; "
        "here nobody is"
    )


def _folds(given: Assembly101) -> Iterator[_Fold]:
    subjects = sorted({maker.subject for maker in given.makers.values()})
    for number in range(FOLDS):
        held_out = set(subjects[number::FOLDS])
        others: list[KeyStepSequence] = []
        own: list[KeyStepSequence] = []
        for recording in given.demonstrations:
            (own if given.makers[recording.id].subject in held_out else others).append(recording)
        clean = [recording for recording in others if not recording.has_mistakes]
        if not clean or not own:
            continue
        demonstrations = given.demonstrations
        train = replace(demonstrations, sequences=tuple(clean))
        toy = {recording.id: given.makers[recording.id].toy for recording in given.demonstrations}
        parts: dict[str, frozenset[str]] = {}
        for recording in clean:
            names = frozenset(demonstrations.names(recording))
            parts[toy[recording.id]] = parts.get(toy[recording.id], names) & names
        by_toy = {
            kind: replace(train, sequences=tuple(r for r in clean if toy[r.id] == kind))
            for kind in {toy[recording.id] for recording in clean}
        }
        yield _Fold(
            Trials(train, tuple(_trial(demonstrations, recording) for recording in own)),
            tuple(toy[recording.id] for recording in own),
            parts,
            {kind: own for kind, own in sorted(by_toy.items()) if len(own) > 1},
        )


def _trial(given: Demonstrations, recording: KeyStepSequence) -> Trial:
    marks = recording.mistakes or (None,) * len(recording)
    return Trial(
        recording.id,
        given.names(recording),
        tuple(mark == "mistake" for mark in marks),
        labels=tuple(mark or "correct" for mark in marks),
    )


def _method_rows(method: str, folds: Sequence[_Fold]) -> list[dict[str, Any]]:
    general = [
        _shown_only(graph, fold.trials.train)
        for graph, fold in zip(
            learn_graphs(method, [fold.trials for fold in folds]), folds, strict=True
        )
    ]
    rows = []
    for scope in SCOPES:
        judged = []
        for fold, graph in zip(folds, general, strict=True):
            own: dict[str, TaskGraph] = {}
            if scope == "toy-own":
                groups = [Trials(train, ()) for train in fold.by_toy.values()]
                graphs = learn_graphs(method, groups)
                own = {
                    kind: _shown_only(learned, fold.by_toy[kind])
                    for kind, learned in zip(fold.by_toy, graphs, strict=True)
                }
            for trial, toy in zip(fold.trials.trials, fold.toys, strict=True):
                parts = fold.parts.get(toy, frozenset()) if scope != "all-toys" else None
                judged.append((trial, _parts_only(own.get(toy, graph), parts), fold))
        rows += _scope_rows(method, scope, judged, [fold.trials for fold in folds])
    return rows


def _scope_rows(
    method: str,
    scope: str,
    judged: Sequence[tuple[Trial, TaskGraph, _Fold]],
    procedures: Sequence[Trials],
) -> list[dict[str, Any]]:
    rows = []
    trusts = {id(fold): pair_trust(fold.trials.train) for _, _, fold in judged}
    for name in (*USED_RULES, REVERSALS):
        if name == REVERSALS:
            scores: Scores = [
                list(
                    map(
                        float,
                        judge_with_reversals(graph, trial.steps, reversals(trial.steps, VERBS)),
                    )
                )
                for trial, graph, _ in judged
            ]
            threshold, knows = 0.5, "online"
        else:
            rule = RULES[name]
            scores = [
                rule.judge(graph, trial.steps, trusts[id(fold)]) for trial, graph, fold in judged
            ]
            threshold, knows = rule.threshold, rule.knows
        flagged = [
            score >= threshold
            for (trial, _, _), found in zip(judged, scores, strict=True)
            for label, score in zip(trial.labels, found, strict=True)
            if label == "correction"
        ]
        rows.append(
            detection_row(method, name, procedures, scores, threshold)
            | {
                "scope": scope,
                "knows": knows,
                "corrections_flagged": sum(flagged) / len(flagged) if flagged else None,
            }
        )
    return rows


def _shown_only(graph: TaskGraph, train: Demonstrations) -> TaskGraph:
    """Return a graph without the steps that no training recording shows: these are mistakes."""
    shown = {train.vocabulary.name(node) for node in train.seen}
    return _restricted(graph, shown, shown)


def _parts_only(graph: TaskGraph, parts: frozenset[str] | None) -> TaskGraph:
    """Return a graph in which no step needs what belongs to other toys."""
    return graph if parts is None else _restricted(graph, set(graph.steps), parts)


def _restricted(graph: TaskGraph, steps: set[str], needed: set[str] | frozenset[str]) -> TaskGraph:
    kept = [step for step in graph.steps if step in steps]
    order = DiGraph(
        (step, other)
        for step in kept
        for other in graph.all_preconditions_of(step)
        if other in needed and other in steps
    )
    return TaskGraph(kept, connect_ends(kept, transitive_reduction(order).edges))
