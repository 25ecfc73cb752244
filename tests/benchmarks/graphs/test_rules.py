"""The benchmarks of rules that are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import run_benchmark
from benchmarks.graphs.rules import (
    COUNTS,
    METHODS,
    RATES,
    RulePairs,
    RuleProblem,
    _scores,
    counted,
    draw_problem,
)
from benchmarks.graphs.rules_found import SOURCES
from benchmarks.harness import MissingDataError
from stepgraph.graph import TaskGraph
from tests.benchmarks.contest_files import write_log, write_process
from tests.benchmarks.net_files import CHOICE_AND_LOOP, write_net

EMPTY = RulePairs(frozenset(), frozenset(), frozenset())
TRUE = RulePairs(frozenset({("a", "b")}), frozenset({("r", "t")}), frozenset({("o", "c")}))
PROBLEM = RuleProblem(TaskGraph("abcort", []), 0, TRUE, frozenset({("c", "o")}))


def test_what_nobody_contradicts_is_counted() -> None:
    rules = counted([("t", "r", "t", "a"), ("t", "b", "o", "c"), ("t", "c", "b")])
    assert ("a", "b") in rules.choices
    assert ("b", "c") not in rules.choices
    assert rules.undoings == {("r", "t")}
    assert ("o", "c") in rules.goes_with
    assert ("c", "o") not in rules.goes_with
    assert not any(other == "t" for _, other in rules.goes_with)  # everybody does it anyway


def test_the_true_rules_have_full_marks_and_none_have_no_precision() -> None:
    best, none = (_scores([found], [PROBLEM]) for found in (TRUE, EMPTY))
    for kind in ("choices", "undoings", "goes_with"):
        assert best[f"{kind}_precision"] == best[f"{kind}_recall"] == 1.0
        assert f"{kind}_precision" not in none
        assert (none[f"{kind}_recall"], none[f"{kind}_found"], none[f"{kind}_true"]) == (0.0, 0, 1)


def test_wrong_pairs_cost_precision_and_undoing_the_other_way_round_does_not_count() -> None:
    found = RulePairs(
        TRUE.choices | {("a", "c")},
        TRUE.undoings | {("t", "r"), ("r", "a"), ("r", "b")},
        TRUE.goes_with | {("c", "o"), ("o", "b")},
    )
    scores = _scores([found], [PROBLEM])
    assert scores["choices_precision"] == 1 / 2
    assert scores["undoings_precision"] == pytest.approx(1 / 3)
    assert scores["goes_with_precision"] == pytest.approx(2 / 3)  # nobody did o without b


def test_means_are_over_procedures_and_have_intervals() -> None:
    scores = _scores([TRUE, EMPTY], [PROBLEM, PROBLEM])
    assert (scores["choices_precision"], scores["choices_recall"]) == (1.0, 0.5)
    assert (scores["choices_recall_low90"], scores["choices_recall_high90"]) == (0.0, 1.0)


def test_recordings_of_a_problem_obey_its_rules_unless_errors_are_made() -> None:
    problem = draw_problem(8, 0)
    given = problem.record(10, 0.0)
    clean = [given.names(own) for own in given]
    assert all(problem.graph.is_valid(run, complete=True) for run in clean)
    noisy = problem.record(10, 0.2)
    assert [noisy.names(own) for own in noisy] != clean
    assert not any(own.has_mistakes or own.skipped for own in noisy)
    for step, other in problem.true.goes_with:
        assert (step, other) not in problem.apart


def test_many_clean_recordings_tell_the_control_all_rules() -> None:
    problem = draw_problem(8, 1)
    found = METHODS["control: counted"](problem.record(200, 0.0))
    assert found.choices == problem.true.choices
    assert found.undoings >= problem.true.undoings
    assert found.goes_with >= problem.true.goes_with


def test_the_rules_of_a_learned_graph_are_pairs() -> None:
    problem = draw_problem(8, 1)
    found = METHODS["learned"](problem.record(50, 0.0))
    steps = set(problem.graph.steps)
    for pairs in (found.choices, found.undoings, found.goes_with):
        assert all({step, other} <= steps for step, other in pairs)


def test_rules_has_a_row_for_every_method_rate_and_number_of_recordings() -> None:
    result = run_benchmark("rules", methods=["control: counted"], seeds=1)
    assert [(row["errors"], row["recordings"]) for row in result.rows] == [
        (errors, count) for errors in RATES for count in COUNTS
    ]
    assert all(row["procedure_count"] == 4 for row in result.rows)
    assert result.rows[2]["choices_recall"] == 1.0
    assert result.rows[-1]["choices_recall"] < 1.0
    assert [line[0] for line in result.table()] == ["control: counted"] * 9


def test_rules_found_counts_what_there_is_and_notes_what_is_missing(tmp_path: Path) -> None:
    write_process(tmp_path, "1", ["ab"] * 5, {"ab": "true"})
    write_log(tmp_path, "running-example.xes", ["abc"] * 6)
    write_net(tmp_path, "01", CHOICE_AND_LOOP, ["abd", "acd"])
    result = run_benchmark("rules-found", data=tmp_path, seeds=1)
    rows = {row["method"]: row for row in result.rows}
    assert rows.keys() == {
        "synthetic",
        "synthetic-errors",
        "shipped",
        "contest",
        "powl",
        "running-example",
    }
    assert (rows["contest"]["recordings"], rows["contest"]["steps"]) == (5, 2)
    assert rows["synthetic"]["procedure_count"] == 4
    for row in rows.values():
        assert row["rules"] == SOURCES[row["method"]].rules
        assert len(row["procedures"]) == row["procedure_count"] >= row["with_rules"]
        for key in ("choices", "undoings", "goes_with"):
            assert row[key] == sum(own[key] for own in row["procedures"])
    assert any(note.startswith("receipt was left out") for note in result.notes)
    assert len(result.table()) == len(rows)


def test_a_source_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError):
        run_benchmark("rules-found", data=tmp_path, methods=["powl"])
