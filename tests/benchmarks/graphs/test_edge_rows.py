"""Rows of graph tables: their intervals and their comparisons."""

from __future__ import annotations

import itertools
from statistics import fmean
from typing import Any

import pytest

from benchmarks.graphs.edge_rows import ANCHOR, by_f1, compared, edge_row
from stepgraph.evaluation import compare_edges, paired_test
from stepgraph.graph import TaskGraph

CHAIN = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"]})
FREE = TaskGraph.from_preconditions({"a": [], "b": [], "c": []})
NAMES = ("tea", "soup")


def row(method: str, *f1: float) -> dict[str, Any]:
    """Return what a comparison needs of a row."""
    entries = [{"procedure": str(number), "f1": each} for number, each in enumerate(f1)]
    return {"method": method, "f1": fmean(f1), "procedures": entries}


def test_the_interval_over_procedures_spans_them_and_holds_the_mean() -> None:
    found = edge_row("x", "", NAMES, [[CHAIN, FREE]], [CHAIN, CHAIN], 0.0)
    worst = compare_edges(FREE, CHAIN).f1
    assert (found["f1_low90"], found["f1_high90"]) == pytest.approx((worst, 1.0))
    assert found["f1"] == pytest.approx((worst + 1) / 2)


def test_the_papers_statistic_is_there_for_several_seeds_only() -> None:
    once = edge_row("x", "", NAMES, [[CHAIN, FREE]], [CHAIN, CHAIN], 0.0)
    assert "f1_interval_paper" not in once
    steady = edge_row("x", "", NAMES, [[CHAIN, FREE]] * 3, [CHAIN, CHAIN], 0.0)
    assert steady["f1_interval_paper"] == 0.0


def test_seeds_that_trade_procedures_vary_to_the_paper_and_not_on_the_whole() -> None:
    runs = [[CHAIN, FREE], [FREE, CHAIN]]
    apart = edge_row("x", "", NAMES, runs, [CHAIN, CHAIN], 0.0)
    assert apart["f1_interval90"] == 0.0
    assert apart["f1_interval_paper"] == pytest.approx(1 - compare_edges(FREE, CHAIN).f1)
    shared = edge_row("x", "", NAMES, runs, [CHAIN, CHAIN], 0.0, shared=True)
    assert shared["f1_interval_paper"] == 0.0


def test_a_row_is_compared_with_the_next_by_f1_and_with_the_intersection() -> None:
    rows = [row("worst", 0.1, 0.2), row("best", 0.9, 0.7), row(ANCHOR, 0.5, 0.6)]
    worst, best, anchor = compared(rows)
    assert [one["method"] for one in (worst, best, anchor)] == ["worst", "best", ANCHOR]
    assert best["next_below"]["method"] == ANCHOR
    assert anchor["next_below"]["method"] == "worst"
    assert "next_below" not in worst
    assert "against_anchor" not in anchor
    test = paired_test([0.1, 0.2], [0.5, 0.6])
    assert worst["against_anchor"]["difference"] == test.difference
    assert worst["against_anchor"]["p"] == test.p


def test_the_order_of_rows_does_not_change_their_comparisons() -> None:
    rows = [row("a", 0.1, 0.2), row("b", 0.9, 0.7), row(ANCHOR, 0.5, 0.6)]
    first = compared(rows)
    for other in itertools.permutations(rows):
        assert sorted(compared(other), key=str) == sorted(first, key=str)
    assert compared(first) == first


def test_rows_of_other_procedures_are_not_compared() -> None:
    other = row("b", 0.5, 0.5)
    other["procedures"][1]["procedure"] = "soup"
    with pytest.raises(ValueError, match="not of the same procedures"):
        compared([row("a", 0.1, 0.2), other])


def test_of_equal_rows_the_intersection_is_the_first_that_others_are_above() -> None:
    rows = [row("top", 0.9), row("equal", 0.5), row(ANCHOR, 0.5), row("also", 0.5)]
    assert [one["method"] for one in by_f1(rows)] == ["top", ANCHOR, "equal", "also"]
    assert compared(rows)[0]["next_below"]["method"] == ANCHOR
