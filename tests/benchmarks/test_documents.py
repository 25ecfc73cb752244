"""The figures in the documents are those that the benchmarks wrote."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks import BENCHMARKS
from benchmarks.documents import filled, with_rows
from benchmarks.graphs.captaincook4d import LEFT_OUT_AS_SLOW
from benchmarks.harness import Request

ROOT = Path(__file__).parents[2]
RESULTS = sorted((ROOT / "docs" / "results").glob("*.json"))
TIMED = {"speed", "serve", "scale", "scaling", "monitor", "draw"}
"""Benchmarks of times: their results may be missing until a free machine has been found."""
WITHOUT_FIGURES = {"paper", "figures"}
"""Benchmarks that put others together, or draw."""
RESULT: Mapping[str, Any] = {
    "toy": {
        "rows": [
            {"method": "a", "f1": 0.5, "f1_interval90": 0.015, "count": 1234},
            {"method": "b", "segments": "true", "f1": 0.25, "about": "words"},
            {"method": "b", "segments": "seen", "f1": 0.75, "deep": {"recall": 0.125}},
        ]
    }
}


def test_every_document_is_in_step_with_the_results() -> None:
    command = [sys.executable, "-m", "benchmarks.documents", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"run benchmarks.documents\n{done.stdout}{done.stderr}"


def test_every_benchmark_has_its_result_and_its_section() -> None:
    missing = BENCHMARKS.keys() - {path.stem for path in RESULTS} - WITHOUT_FIGURES
    assert missing <= TIMED
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    titles = " ".join(re.findall(r"^## (.*)$", page, re.MULTILINE)).split()
    assert BENCHMARKS.keys() <= set(titles)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_result_is_a_benchmarks_and_knows_no_path_of_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert json.loads(text)["benchmark"] == path.stem
    assert not re.search(r"(?<![\w:/.])/(work|tmp|home|root|usr|mnt)/", text)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("toy/a/f1", "50.0"),
        ("toy/a/f1±", "50.0\u00a0±\u00a01.5"),
        ("toy/a/f1:.0%", "50"),
        ("toy/a/f1:.3f", "0.500"),
        ("toy/a/count", "1,234"),
        ("toy/b/segments=seen/f1", "75.0"),
        ("toy/b/segments=seen/deep.recall", "12.5"),
    ],
)
def test_a_figure_is_found_and_written(path: str, shown: str) -> None:
    once = filled(f"has <!--={path}-->.", RESULT, set())
    assert once == f"has {shown}<!--={path}-->."
    assert filled(once, RESULT, set()) == once
    assert filled(f"has 9,999.9<!--={path}-->.", RESULT, set()) == once


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("toy/b/f1", "2 rows"),
        ("toy/c/f1", "0 rows"),
        ("toy/a/recall", "no 'recall'"),
        ("toy/b/segments=true/about", "no number"),
    ],
)
def test_what_means_no_figure_is_refused(path: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        filled(f"<!--={path}-->", RESULT, set())


def test_figures_without_a_result_are_left_and_named() -> None:
    missing: set[str] = set()
    text = "3.0<!--=other/a/f1-->\n<!--table=speed-->\nas it was\n<!--end-->"
    assert filled(text, RESULT, missing) == text
    assert missing == {"other", "speed"}
    with pytest.raises(ValueError, match="no table 'unknown'"):
        filled("<!--table=unknown-->\n<!--end-->", RESULT, set())


def test_make_bench_draws_as_often_as_the_recorded_results_did() -> None:
    makefile = (ROOT / "Makefile").read_text()
    seeds = dict(re.findall(r"^OPTIONS_([\w-]+) := --seeds (\d+)", makefile, re.MULTILINE))
    recorded = [json.loads(path.read_text()) for path in RESULTS]
    runs = {
        one["benchmark"]: max(
            row.get("runs", 0) for row in one["rows"] if row.get("method") != "at-random"
        )
        for one in recorded
    }
    drawn = {name: number for name, number in runs.items() if number > 1}
    assert len(drawn) > 5
    assert drawn == {name: int(seeds.get(name, Request.seeds)) for name in drawn}


def test_make_bench_runs_every_benchmark() -> None:
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    (names,) = re.findall(r"^BENCH \?= (.*)$", makefile, re.MULTILINE)
    # The paper's benchmark draws the figures, too.
    assert sorted([*names.split(), "figures"]) == sorted(BENCHMARKS)


def graph_result(*rows: tuple[str, float], notes: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a result whose rows have one F1 for each of two procedures."""
    return {
        "benchmark": "toy",
        "title": "two procedures",
        "notes": list(notes),
        "rows": [
            {
                "method": method,
                "f1": f1,
                "procedures": [{"procedure": name, "f1": f1} for name in ("tea", "soup")],
            }
            for method, f1 in rows
        ],
    }


def test_rows_of_another_run_join_and_replace_and_are_compared_anew() -> None:
    recorded = graph_result(
        ("a", 0.9), ("intersection", 0.5), notes=("kept", f"{LEFT_OUT_AS_SLOW}b, c")
    )
    merged = with_rows(recorded, graph_result(("b", 0.7), ("a", 0.8)))
    rows = {row["method"]: row for row in merged["rows"]}
    assert list(rows) == ["a", "intersection", "b"]
    assert rows["a"]["f1"] == 0.8
    assert rows["a"]["next_below"]["method"] == "b"
    assert rows["b"]["against_anchor"]["difference"] == pytest.approx(0.2)
    assert merged["notes"] == ["kept", f"{LEFT_OUT_AS_SLOW}c"]
    assert with_rows(merged, graph_result(("c", 0.1)))["notes"] == ["kept"]


def test_rows_of_other_data_or_without_procedures_are_refused() -> None:
    recorded = graph_result(("a", 0.9))
    with pytest.raises(ValueError, match="expected those of 'toy'"):
        with_rows(recorded, {**recorded, "title": "three procedures"})
    with pytest.raises(ValueError, match="no scores for each procedure"):
        with_rows(recorded, {**recorded, "rows": [{"method": "b", "f1": 0.5}]})
