"""Whole recordings of CaptainCook4D: order errors found in them, and steps left out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.datasets.captaincook4d import letters, read_everything, read_recipes, tagged_steps
from benchmarks.datasets.directory import data_directory
from benchmarks.detection import f1_of
from benchmarks.harness import (
    BenchmarkResult,
    Column,
    MissingDataError,
    Request,
    compute_rows,
    percent,
)
from benchmarks.mistakes.trials import (
    ALARM_COLUMNS,
    CONTROLS,
    DETECTION_COLUMNS,
    ORACLE,
    QUICK,
    RULES,
    Trial,
    Trials,
    choose_methods,
    control_row,
    learn_graphs,
    rule_rows,
)
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Monitor
from stepgraph.sequences import Demonstrations, KeyStepSequence

TAG = "Order Error"
"""The mark of a step that was done out of order."""
MISSING = "Missing Step"
"""The mark of a step that was left out."""

NOTES = (
    (
        "trained on the clean split, steps in file order; judged are all other recordings, steps "
        "in the order of their start times; positives are the steps tagged Order Error"
    ),
    (
        "judged: online from what came before the step, end from the whole recording; 'end' "
        "figures are verdicts revised when the recording is over, not alarms at the moment"
    ),
    (
        "fa/min: false alarms a minute at the rule's own threshold; R 50 and R 80: where the "
        "threshold is lowered to find so many percent of the order errors; blank where the rule "
        "cannot"
    ),
    "intervals are bootstrapped over recordings; methods that draw use seed 0",
)
ORACLES = {
    ORACLE: f"{ORACLE} knows the known graph: it is no method",
    "position": "position has the best k for these very recordings: it is no method",
}
SKIPPED_NOTE = (
    f"skipped steps: positives are those tagged {MISSING}, some of which the same recording does "
    "at another place; 'passed-over' are steps not done by the last observation though something "
    "done needs them; 'reported' are all that were ever called missing; 'never-done' are all "
    "steps open at the finish, which a list of steps gives without any graph"
)


def run(request: Request) -> BenchmarkResult:
    """Learn each recipe from its clean recordings, and judge every other one step by step."""
    chosen = choose_methods(request.methods, QUICK, (ORACLE,))
    procedures, notes = read_trials(data_directory(request.data, needs=("captaincook4d",)))
    found, not_run = compute_rows(chosen, lambda name: _rows(name, procedures), request)
    notes += not_run
    rows = [row for ordered, _ in found for row in ordered]
    skipped = [row for _, passed in found for row in passed]
    trials = [trial for given in procedures for trial in given.trials]
    title = (
        f"CaptainCook4D, {len(procedures)} recipes: {sum(len(t.steps) for t in trials):,} steps of "
        f"{len(trials)} whole recordings, {sum(sum(t.wrong) for t in trials)} tagged {TAG}"
    )
    parts = [
        BenchmarkResult(
            "captaincook4d-trials: order",
            title,
            rows,
            (*DETECTION_COLUMNS, *ALARM_COLUMNS),
            [
                *notes,
                *NOTES,
                *(note for name, note in ORACLES.items() if name in chosen),
                *(f"{rule.name}: {rule.about}" for rule in RULES.values()),
            ],
        )
    ]
    if skipped:
        left_out = sum(len(trial.skipped) for trial in trials)
        all_the_same = sum(len(trial.skipped.intersection(trial.steps)) for trial in trials)
        parts.append(
            BenchmarkResult(
                "captaincook4d-trials: skipped",
                f"the same recordings: {left_out} steps tagged {MISSING}, {all_the_same} of which "
                "were done all the same",
                skipped,
                SKIPPED_COLUMNS,
                [SKIPPED_NOTE],
            )
        )
    return BenchmarkResult(
        "captaincook4d-trials",
        title,
        [*rows, *skipped],
        (*DETECTION_COLUMNS, *ALARM_COLUMNS),
        [note for part in parts for note in part.notes],
        table_rows=rows,
        parts=parts,
    )


def read_trials(directory: Path) -> tuple[list[Trials], list[str]]:
    """Read the recipes that have clean recordings, a known graph and recordings with mistakes.

    Returns
    -------
    tuple
        The recipes, and what was left out.

    Raises
    ------
    MissingDataError
        If files are not there, or no recipe has all of this.
    """
    clean = read_recipes(directory)
    whole, notes = read_everything(directory, order="start", tagged=True)
    every = {letters(one.demonstrations.procedure): one.demonstrations for one in whole}
    missing = tagged_steps(directory, MISSING)
    procedures = []
    for train, truth in zip(clean.demonstrations, clean.truths, strict=True):
        watched = every.pop(letters(train.procedure), None)
        if watched is None:
            continue
        known = {recording.id for recording in train}
        trials = tuple(
            _trial(watched, one, missing.get(one.id, frozenset()))
            for one in watched
            if one.id not in known
        )
        if trials:
            procedures.append(Trials(train, trials, truth))
        else:
            notes.append(f"{train.procedure} has no recording outside the clean split; left out")
    notes += [
        f"{given.procedure} has no clean recording to learn from; left out"
        for given in every.values()
    ]
    if not procedures:
        reasons = "".join(f"; {note}" for note in notes[:3])
        raise MissingDataError(
            f"{directory / 'captaincook4d'}: no recipe has both clean recordings and others to "
            f"judge{reasons}"
        )
    if not any(any(trial.wrong) for given in procedures for trial in given.trials):
        notes.append(f"no step is tagged {TAG}: precision, recall and F1 say nothing")
    return procedures, notes


def _trial(given: Demonstrations, recording: KeyStepSequence, missing: frozenset[str]) -> Trial:
    marks = recording.mistakes or (None,) * len(recording)
    seconds = None
    if recording.starts is not None and recording.ends is not None:
        seconds = max(recording.ends) - min(recording.starts)
    return Trial(
        recording.id,
        given.names(recording),
        tuple(TAG in (mark or "").split(", ") for mark in marks),
        frozenset(step for step in given.vocabulary.steps if letters(step) in missing),
        seconds,
    )


def _rows(
    name: str, procedures: Sequence[Trials]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of a method or a control: on order, and on skipped steps."""
    if name in CONTROLS:
        return [control_row(name, procedures)], []
    graphs = _graphs(name, procedures)
    return rule_rows(name, graphs, procedures), skipped_rows(name, graphs, procedures)


def _graphs(name: str, procedures: Sequence[Trials]) -> list[TaskGraph]:
    if name == ORACLE:
        return [given.truth for given in procedures if given.truth is not None]
    return learn_graphs(name, procedures)


def skipped_rows(
    method: str, graphs: Sequence[TaskGraph], procedures: Sequence[Trials]
) -> list[dict[str, Any]]:
    """Return how well the monitor infers which steps are left out, by what it goes by."""
    counts = {rule: [0, 0, 0] for rule in ("passed-over", "reported", "never-done")}
    for given, graph in zip(procedures, graphs, strict=True):
        for trial in given.trials:
            monitor = Monitor(graph)
            reported: set[str] = set()
            passed: tuple[str, ...] = ()
            for step in trial.steps:
                verdict = monitor.observe(step)
                reported.update(verdict.missing)
                passed = verdict.skipped
            guesses = {
                "passed-over": set(passed),
                "reported": reported,
                "never-done": set(monitor.finish().open),
            }
            for rule, guess in guesses.items():
                counts[rule][0] += len(guess & trial.skipped)
                counts[rule][1] += len(guess - trial.skipped)
                counts[rule][2] += len(trial.skipped - guess)
    return [
        {
            "method": method,
            "rule": f"skipped: {rule}",
            "precision": right / (right + wrong) if right + wrong else 0.0,
            "recall": right / (right + missed) if right + missed else 0.0,
            "f1": f1_of(right, wrong, missed),
        }
        for rule, (right, wrong, missed) in counts.items()
    ]


SKIPPED_COLUMNS = (
    Column("method", lambda row: str(row["method"])),
    Column("rule", lambda row: str(row["rule"])),
    Column("precision", lambda row: percent(row["precision"])),
    Column("recall", lambda row: percent(row["recall"])),
    Column("F1", lambda row: percent(row["f1"])),
)
