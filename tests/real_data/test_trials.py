"""Whole recordings: what our documents say of them must be so."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import run_benchmark

pytestmark = pytest.mark.real_data


def test_order_errors_are_found_as_our_documents_say(data: Path) -> None:
    result = run_benchmark(
        "captaincook4d-trials", data=data, methods=["intersection", "annotated-graph"]
    )
    if "12 recipes: 1,214 steps of 95 whole recordings, 385 tagged" not in result.title:
        pytest.skip("other recipes than those that the figures are of")
    figures = {
        (row["method"], row["rule"]): tuple(
            round(100 * row[name], 1) for name in ("precision", "recall", "f1")
        )
        for row in result.rows
    }
    assert figures["intersection", "early-or-late"] == (50.9, 96.9, 66.7)
    assert figures["intersection", "order-online"] == (71.5, 79.0, 75.1)
    assert figures["intersection", "order-end"] == (76.7, 95.6, 85.1)
    assert figures["annotated-graph", "order-end"] == (87.3, 94.8, 90.9)


def test_the_published_split_of_assembly101_shares_nearly_all_people(data: Path) -> None:
    result = run_benchmark("assembly101-trials", data=data, methods=["unseen-step"])
    assert "328 whole recordings of 48 kinds of toys: 3,964 segments, 707 mistakes" in result.title
    assert "the published split has 45 of 48 people (94%) on both sides; here nobody is" in (
        result.notes
    )
    (row,) = result.rows
    assert round(100 * row["f1"], 1) == 51.8


def test_smoothed_frames_come_closer_to_the_true_key_steps_than_runs_of_frames(data: Path) -> None:
    result = run_benchmark("smoother", data=data, methods=["raw", "smoother"])
    raw, smoothed = (row["edit_score"] for row in result.rows)
    assert raw < 0.1
    assert smoothed > 0.35
