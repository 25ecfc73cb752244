"""The benchmark of fitting and other traces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import run_benchmark
from benchmarks.harness import BenchmarkResult, MissingDataError
from benchmarks.mistakes.contest import PUBLISHED, PUBLISHED_OF
from benchmarks.mistakes.fitting import JUDGES, OF_THE_GRAPH
from tests.benchmarks.contest_files import write_log, write_process

CHAIN = ["abcd"] * 6 + ["abdc"] * 4
JUDGED = {
    "abcd": "true",
    "abdc": "true",
    "bacd": "false",  # out of order
    "abc": "false",  # not finished
    "abxcd": "false",  # a step that nobody did
    "abbcd": "false",  # a step that nobody did twice
}


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    write_process(tmp_path, "1", CHAIN, JUDGED)
    return tmp_path


def by_method(result: BenchmarkResult, data: str = "pdc2019") -> dict[str, dict[str, Any]]:
    return {row["method"]: dict(row) for row in result.rows if row["data"] == data}


def test_the_graph_and_rules_reject_the_more_the_more_they_ask(
    contest: Path,
) -> None:
    rows = by_method(run_benchmark("contest", data=contest))
    assert list(rows) == list(JUDGES)
    assert {row["true_positive_rate"] for row in rows.values()} == {1.0}
    rejected = {method: round(4 * row["true_negative_rate"]) for method, row in rows.items()}
    assert rejected["always-fits"] == 0
    assert rejected["counting-a"] == 2
    assert rejected["counting-a+b"] == 3
    assert rejected["counting-a+b+c"] == 4
    assert {rejected[method] for method in OF_THE_GRAPH} == {4}


def test_a_row_has_its_figures_with_intervals_and_the_next_below(contest: Path) -> None:
    result = run_benchmark("contest", data=contest, methods=["always-fits", "counting-a+b+c"])
    rows = by_method(result)
    low, best = rows["always-fits"], rows["counting-a+b+c"]
    assert (low["traces"], low["accuracy"], best["accuracy"]) == (6, 2 / 6, 1.0)
    assert low["accuracy_low90"] < low["accuracy"] < low["accuracy_high90"]
    assert best["next_below"] == {
        "method": "always-fits",
        "difference": pytest.approx(4 / 6),
        "p": 1 / 8,
        "exact": True,
    }
    assert "next_below" not in low
    (process,) = low["processes"]
    assert (process["procedure"], process["traces"], process["accuracy"]) == ("1", 6, 2 / 6)


def test_only_questions_to_the_graph_learn_one(contest: Path) -> None:
    rows = by_method(run_benchmark("contest", data=contest, methods=["check", "counting-a"]))
    assert rows["check"]["processes"][0]["learning_seconds"] >= 0
    assert "learning_seconds" not in rows["counting-a"]["processes"][0]
    alone = run_benchmark("contest", data=contest, methods=["counting-a"])
    assert not any("seconds" in note for note in alone.notes)


def test_the_questions_to_one_graph_have_one_answer(contest: Path) -> None:
    result = run_benchmark("contest", data=contest, methods=[*OF_THE_GRAPH])
    for row in by_method(result).values():
        assert set(row["differs_from"].values()) == {0}
    assert any("monitor, check, valid, align agree on all" in note for note in result.notes)


def test_cases_of_a_log_are_judged_by_what_the_others_teach(tmp_path: Path) -> None:
    write_log(tmp_path, "running-example.xes", ["abc"] * 9 + ["abxc"])
    methods = ["check", "always-fits", "counting-a"]
    result = run_benchmark("contest", data=tmp_path, methods=methods)
    rows = by_method(result, "running-example")
    assert {method: row["fitting"] for method, row in rows.items()} == {
        "check": 0.9,  # no other case has the step x
        "always-fits": 1.0,
        "counting-a": 0.9,
    }
    assert rows["check"]["traces"] == 10
    assert by_method(result) == {}
    assert any(note.startswith("pdc2019 was left out") for note in result.notes)
    again = run_benchmark("contest", data=tmp_path, methods=methods)
    assert by_method(again, "running-example") == rows


def test_precision_counts_the_allowed_steps_that_were_ever_recorded_after_a_beginning(
    tmp_path: Path,
) -> None:
    write_log(tmp_path, "running-example.xes", ["abcd"] * 5 + ["acbd"] * 4 + ["abdc"])
    rows = by_method(
        run_benchmark("contest", data=tmp_path, methods=["valid", "check", "always-fits"]),
        "running-example",
    )
    # Recorded next, from the first step on: a; b or c; c or d; d in "abcd", and c in "abdc".
    recorded = 5 * (1 + 2 + 2 + 1) + 4 * (1 + 2 + 1 + 1) + (1 + 2 + 2 + 1)
    assert rows["always-fits"]["precision"] == recorded / (4 * 4 * 10)
    assert rows["always-fits"]["precision"] < rows["valid"]["precision"] <= 1
    assert "precision" not in rows["check"]  # it says nothing about the next step


def test_published_figures_stand_beside_the_processes_that_they_are_of(tmp_path: Path) -> None:
    for name in PUBLISHED_OF:
        write_process(tmp_path, name, ["ab"], {"ab": "true", "ba": "false"})
    rows = by_method(run_benchmark("contest", data=tmp_path))
    assert {name: rows[name]["accuracy"] for name in PUBLISHED} == dict(PUBLISHED)
    assert {rows[name]["source"] for name in PUBLISHED} == {"published"}
    write_process(tmp_path, "11", ["ab"], {"ab": "true", "ba": "false"})
    assert not PUBLISHED.keys() & by_method(run_benchmark("contest", data=tmp_path)).keys()


def test_every_part_is_shown_as_a_table(contest: Path) -> None:
    write_log(contest, "running-example.xes", ["abc"] * 6)
    labelled, logs = run_benchmark("contest", data=contest).tables()
    assert [line[0] for line in labelled.table()] == list(JUDGES)
    assert [column.title for column in logs.columns] == ["method", "running-example (6)"]
    shown = {line[0]: line[1] for line in logs.table()}
    assert shown["check"] == "100.0"
    assert shown["memory"] == "100.0 / 100.0"
    assert shown["always-fits"] == "100.0 / 33.3"  # one of three steps is ever recorded next
    assert shown["valid"] == "100.0 / 100.0"
    assert {cell.split(" / ")[0] for cell in shown.values()} == {"100.0"}


def test_it_needs_some_data(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError):
        run_benchmark("contest", data=tmp_path)


@pytest.mark.real_data
def test_counted_rules_tell_fitting_traces_from_others(data: Path) -> None:
    methods = ["always-fits", "counting-a", "counting-a+b", "counting-a+b+c"]
    rows = by_method(run_benchmark("contest", data=data, methods=methods))
    accuracies = [rows[method]["accuracy"] for method in methods]
    assert accuracies == sorted(accuracies)
    assert accuracies[-1] > 0.9
