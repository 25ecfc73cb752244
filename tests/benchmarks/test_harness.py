"""Which rows a benchmark computes, and what happens to those that lack something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import run_benchmark
from benchmarks.harness import (
    BenchmarkResult,
    MissingDataError,
    Request,
    choose_rows,
    compute_rows,
    list_of_names,
    measure_rows,
)
from stepgraph.errors import SettingError, UnknownNameError


@given(st.lists(st.sampled_from("abcd")))
def test_rows_asked_for_come_once_each_in_the_order_asked(names: list[str]) -> None:
    assert choose_rows(names, "abcd", default="a") == list(dict.fromkeys(names))


def test_an_unknown_row_is_refused_before_anything_is_computed() -> None:
    def never() -> dict[str, int]:
        raise AssertionError("measured")

    with pytest.raises(UnknownNameError, match="measure 'c'"):
        measure_rows({"a": never, "b": never}, Request(methods=["a", "c"]))


def lacking(name: str) -> str:
    if name in "bc":
        raise MissingDataError(f"no data for {name}")
    return name.upper()


def test_a_row_that_lacks_data_is_left_out_and_noted() -> None:
    told: list[tuple[int, int, str]] = []
    rows, notes = compute_rows("abd", lacking, Request(progress=lambda *args: told.append(args)))
    assert rows == ["A", "D"]
    assert notes == ["b was left out: no data for b"]
    assert told == [(0, 3, "a"), (1, 3, "b"), (2, 3, "d"), (3, 3, "done")]


def test_a_row_asked_for_by_name_that_lacks_data_is_an_error() -> None:
    with pytest.raises(MissingDataError, match="no data for b"):
        compute_rows("abd", lacking, Request(methods="abd"))


def test_a_benchmark_of_which_nothing_can_be_computed_is_an_error() -> None:
    with pytest.raises(MissingDataError, match="no data for b"):
        compute_rows("bc", lacking, Request())


@pytest.mark.parametrize("name", ["audit", "advice", "attributes"])
def test_an_unknown_row_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError, match="nonsense"):
        run_benchmark(name, data="nowhere", methods=["nonsense"])


def test_a_result_of_parts_has_their_tables_and_pictures() -> None:
    leaf = BenchmarkResult("leaf", "Leaf", (), (), charts={"a": "<svg/>"})
    middle = BenchmarkResult("middle", "Middle", (), (), charts={"b": "<svg/>"}, parts=[leaf])
    whole = BenchmarkResult("whole", "Whole", (), (), parts=[middle, leaf])
    assert [table.benchmark for table in whole.tables()] == ["leaf", "leaf"]
    assert [table.benchmark for table in leaf.tables()] == ["leaf"]
    assert set(whole.pictures()) == {"a", "b"}


def test_names_may_have_commas_and_blanks_between_them() -> None:
    assert list_of_names("--parts", ["a, b,", "c"]) == ["a", "b", "c"]
    assert list_of_names("--parts", None) is None
    with pytest.raises(SettingError, match="--parts ',': expected one or more names"):
        list_of_names("--parts", [","])
