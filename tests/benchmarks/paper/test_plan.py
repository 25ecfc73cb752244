from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import run_benchmark
from benchmarks.harness import BenchmarkResult, Request
from benchmarks.paper import PARTS, Plan, Store
from benchmarks.paper.work import Outcome
from stepgraph.errors import SettingError, UnknownNameError


def test_parts_have_only_the_rows_that_were_asked_for(small: Path) -> None:
    methods = ["no-order", "majority-order", "always-before"]
    result = run_benchmark("paper", data=small, methods=methods, seeds=1)
    rows = [(row["part"], row["method"]) for row in result.rows if "dataset" not in row]
    assert ("table-1", "no-order") in rows
    assert ("table-2", "majority-order") in rows
    assert {row["part"] for row in result.rows} == {"table-1", "table-2", "table-3", "figure-5"}
    assert {part.heading for part in result.parts} == {
        PARTS[part.benchmark].table for part in result.parts
    }


def test_a_table_without_its_files_says_what_it_needs_and_the_others_run(small: Path) -> None:
    methods = ["always-before", "unseen-step", "no-order"]
    plan = Plan.of(Request(small, methods, 1), parts=["table-1", "table-3"])
    graphs, mistakes = plan.results()
    assert graphs.rows[0]["f1"] > 0
    told = {part.benchmark: part for part in mistakes.parts}
    tent = told["EPIC-Tent-O, true segments"]
    assert any("Synchronised_action_label.txt is missing" in note for note in tent.notes)
    assert [row["reason"] for row in tent.rows] == 2 * ["not computed, see the notes"]
    assert told["Assembly101-O, true segments"].rows[0]["f1_average"] == 1.0
    recognised = told["Assembly101-O, segments recognised by miniROAD"].rows[0]
    assert recognised["reason"].startswith("not computed: there is no file")


def test_quick_leaves_out_the_transformer_and_says_so(small: Path) -> None:
    request = Request(small, ["tgt-text", "no-order"], 1)
    plan = Plan.of(request, parts=["table-1"], quick=True)
    assert [task.method for task in plan.open_tasks()] == ["no-order"]
    assert plan.left_out(plan.parts[0]) == 1
    (table,) = plan.results()
    left_out, computed = table.rows
    assert "--quick" in left_out["reason"]
    assert "reason" not in computed


def test_rows_that_are_left_out_stand_with_the_published_figure(small: Path) -> None:
    (table,) = Plan.of(Request(small), parts=["scalability"], quick=True).results()
    single, unified = table.rows[:2]
    assert single["published"]["f1"] == pytest.approx(0.808)
    assert unified["published"]["f1"] == pytest.approx(0.645)


def test_expected_times_are_below_45_minutes_and_below_5_without_the_transformer() -> None:
    assert Plan.of(Request()).seconds() < 45 * 60
    assert Plan.of(Request(), quick=True).seconds() < 5 * 60


def test_quick_shows_a_transformer_that_is_finished(small: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "finished", small, 1)
    (task,) = (each for each in PARTS["table-1"].tasks if each.method == "tgt-text-paper")
    row = {"method": "tgt-text-paper", "f1": 0.5}
    store.save(Outcome(task, "title", [row], titles=["method"], cells=[["tgt-text-paper"]]))
    request = Request(small, ["tgt-text-paper"], 1)
    (table,) = Plan.of(request, parts=["table-1"], quick=True, store=store).results(store)
    assert table.rows[0]["f1"] == 0.5
    assert "reason" not in table.rows[0]


def test_a_row_of_two_tables_is_computed_and_counted_once() -> None:
    plan = Plan.of(Request(), parts=["table-1", "scalability"])
    shared = {task.name for task in PARTS["table-1"].tasks} & {
        task.name for task in PARTS["scalability"].tasks
    }
    assert shared
    names = [task.name for task in plan.open_tasks()]
    assert len(names) == len(set(names))
    first, second = plan.parts
    assert not shared & {task.name for task in plan.open_tasks(second)}
    assert plan.seconds() == pytest.approx(plan.seconds(first) + plan.seconds(second))


def test_expected_times_grow_with_the_seeds() -> None:
    few, many = (Plan.of(Request(seeds=seeds)).seconds() for seeds in (1, 10))
    assert many == pytest.approx(10 * few)


def test_progress_is_told_as_part_of_the_whole_and_never_falls(small: Path) -> None:
    told: list[int] = []

    def progress(done: int, total: int, what: str) -> None:
        assert 0 <= done <= total
        assert what
        told.append(done)

    plan = Plan.of(
        Request(small, ["no-order", "first-recording", "intersection"], 1, progress),
        parts=["table-1"],
    )
    assert len([*plan.results()]) == 1
    assert told == sorted(told)
    assert told[-1] == 1000


def test_every_part_of_the_paper_is_there() -> None:
    assert list(PARTS) == [
        "data-split",
        "table-1",
        "table-2",
        "table-3",
        "hyper-parameters",
        "scalability",
        "figure-5",
        "qualitative",
        "tent-cases",
    ]


@pytest.mark.parametrize(
    ("parts", "methods", "says"),
    [
        (["tabel-1"], None, "unknown part 'tabel-1'; did you mean 'table-1'"),
        (None, ["majority-ordr"], "majority-order"),
    ],
)
def test_unknown_parts_and_rows_are_refused(
    parts: list[str] | None, methods: list[str] | None, says: str
) -> None:
    with pytest.raises(UnknownNameError, match=says):
        Plan.of(Request(methods=methods), parts=parts)


def test_a_part_that_has_none_of_the_rows_is_refused() -> None:
    with pytest.raises(SettingError, match="none of the parts table-2 has a row msgi"):
        Plan.of(Request(methods=["msgi"]), parts=["table-2"])


@pytest.mark.real_data
def test_the_papers_direct_optimization_comes_out_to_the_digit(data: Path) -> None:
    request = Request(data, ["do-paper", "do-paper-1200"], 1)
    (table,) = Plan.of(request, parts=["table-3"]).results()
    compared = 0
    for row in table.rows:
        published: dict[str, float] | None = row.get("published")
        if published is not None:
            compared += 1
            for name, value in published.items():
                assert row["papers_seed"][name] == pytest.approx(value, abs=0.0006), (row, name)
    assert compared == 4


def test_results_have_the_names_of_their_parts() -> None:
    (result,) = Plan.of(Request(), parts=["hyper-parameters"]).results()
    assert isinstance(result, BenchmarkResult)
    assert result.benchmark == "hyper-parameters"
