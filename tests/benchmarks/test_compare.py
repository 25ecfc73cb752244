"""The comparison of two folders of results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.compare import Comparison, compare_rows, main

ROW = {"method": "do", "about": "in 3 s", "f1": 0.5, "seconds": 1.0, "paper": {"f1": 0.25}}
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a folder with one result."""

    def made(folder: str, *rows: dict[str, Any], name: str = "toy") -> Path:
        path = tmp_path / folder
        path.mkdir(exist_ok=True)
        content = {"benchmark": name, "rows": rows, "notes": ["any"], "environment": {}}
        (path / f"{name}.json").write_text(json.dumps(content))
        return path

    return made


def run(
    before: Path, after: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, list[str], str]:
    code = main([str(before), str(after)])
    out, err = capsys.readouterr()
    return code, out.splitlines(), err


def test_only_times_and_descriptions_may_differ(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    before = write("before", ROW)
    after = write("after", ROW | {"about": "in 4 s", "seconds": 2.0})
    code, lines, _ = run(before, after, capsys)
    assert code == 0
    assert lines == [
        "2 figures of 1 benchmarks compared (toy); 0 differ",
        "1 figures about time and memory left out: seconds",
    ]


def test_a_figure_that_differs_is_listed_with_its_row_and_field(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    before = write("before", ROW, ROW | {"method": "robust", "rule": "late"})
    after = write("after", ROW, ROW | {"method": "robust", "rule": "late", "paper": {"f1": 0.26}})
    code, lines, _ = run(before, after, capsys)
    assert code == 1
    assert lines[0] == "toy / robust / late / paper.f1: 0.25 -> 0.26"
    assert lines[1].endswith("1 differ")


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        ([ROW], [], "toy / do: the row is gone"),
        ([], [ROW], "toy / do: the row is new"),
        ([{"method": "a", "f1": 1.0}], [{"method": "a"}], "toy / a / f1: 1.0 -> nothing"),
        ([{"method": "a"}], [{"method": "a", "f1": 1.0}], "toy / a / f1: nothing -> 1.0"),
        ([{"method": "a", "f1": None}], [{"method": "a", "f1": 0}], "toy / a / f1: None -> 0"),
        (
            [{"method": "a", "x": 1, "f1": 0.5}, {"method": "a", "x": 2, "f1": 0.5}],
            [{"method": "a", "x": 2, "f1": 0.6}, {"method": "a", "x": 1, "f1": 0.5}],
            "toy / a / x=2 / f1: 0.5 -> 0.6",
        ),
        (
            [{"method": "a", "procedures": [{"procedure": "tea", "f1": 0.5}]}],
            [{"method": "a", "procedures": [{"procedure": "tea", "f1": 0.4}]}],
            "toy / a / procedures.tea.f1: 0.5 -> 0.4",
        ),
        (
            [{"method": "a", "f1": 1}, {"method": "a", "f1": 2}],
            [{"method": "a", "f1": 1}, {"method": "a", "f1": 3}],
            "toy / a / number 2 / f1: 2 -> 3",
        ),
    ],
)
def test_rows_are_matched_by_what_names_them(
    before: list[dict[str, Any]], after: list[dict[str, Any]], difference: str
) -> None:
    found = Comparison()
    compare_rows("toy", before, after, found)
    assert found.differences == [difference]


@pytest.mark.parametrize(
    "name",
    [
        "seconds",
        "reference_seconds",
        "median_ms",
        "microseconds_all_read",
        "frames_per_second",
        "ratio",
        "megabytes",
        "turns",
        "load",
    ],
)
def test_fields_about_time_and_memory_are_left_out_and_named(name: str) -> None:
    found = Comparison()
    compare_rows("toy", [{"method": "a", name: 1.0}], [{"method": "a", name: 2.0}], found)
    assert (found.differences, list(found.left_out)) == ([], [name])


@pytest.mark.parametrize("name", ["false_alarms_per_minute", "steps", "items", "runs", "cost"])
def test_other_fields_are_compared(name: str) -> None:
    found = Comparison()
    compare_rows("toy", [{"method": "a", name: 1.0}], [{"method": "a", name: 2.0}], found)
    assert len(found.differences) == 1


def test_the_order_of_a_sum_makes_no_difference() -> None:
    found = Comparison()
    compare_rows("toy", [{"f1": 0.1 + 0.2 + 0.3}], [{"f1": 0.3 + 0.2 + 0.1}], found)
    assert found.differences == []


def test_benchmarks_of_one_folder_only_are_named(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = write("before", ROW), write("after", ROW)
    write("before", name="old")
    write("after", name="new")
    code, lines, _ = run(before, after, capsys)
    assert code == 0
    assert lines[-2:] == ["only before, not compared: old", "only after, not compared: new"]


def test_nothing_to_compare_is_an_error(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = write("before", ROW), write("after", ROW, name="other")
    code, lines, err = run(before, after, capsys)
    assert (code, lines) == (2, [])
    assert "no benchmark's result in common" in err
    (after / "other.json").write_text("{")
    code, _, err = run(before, after, capsys)
    assert code == 2
    assert "other.json: cannot be read as JSON" in err
