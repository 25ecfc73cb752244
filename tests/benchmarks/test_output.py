from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.harness import BenchmarkResult, Column
from benchmarks.output import write_pictures, write_result
from stepgraph.drawing import draw_graph
from stepgraph.errors import FileError
from stepgraph.graph import TaskGraph

DRAWING = draw_graph(TaskGraph.from_preconditions({"mix": ["egg"]}))
RESULT = BenchmarkResult(
    "small", "Title", [{"method": "a"}], (Column("method", lambda row: row["method"]),)
)
DRAWN = BenchmarkResult("drawn", "Title", RESULT.rows, RESULT.columns, charts={"one": DRAWING})


def test_a_result_is_written_in_four_forms_and_pictures_beside_them(tmp_path: Path) -> None:
    written = write_result(DRAWN, tmp_path / "new")
    assert [path.name for path in written] == [
        "drawn.html",
        "drawn.md",
        "drawn.tex",
        "drawn.json",
    ]
    assert (tmp_path / "new" / "drawn" / "one.svg").read_text(encoding="utf-8") == DRAWING
    assert "](drawn/one.svg)" in written[1].read_text(encoding="utf-8")


def test_without_charts_there_is_no_folder_for_them(tmp_path: Path) -> None:
    write_result(RESULT, tmp_path)
    assert not any(path.is_dir() for path in tmp_path.iterdir())


def test_latex_includes_the_picture_that_was_written(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    written = write_result(DRAWN, tmp_path)
    assert (tmp_path / "drawn" / "one.png").read_bytes().startswith(b"\x89PNG")
    assert "{drawn/one.png}" in written[2].read_text(encoding="utf-8")


def test_without_the_extra_that_draws_the_svg_alone_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert write_pictures(DRAWN.charts, tmp_path) == {}
    assert [path.name for path in tmp_path.iterdir()] == ["one.svg"]


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine", encoding="utf-8")
    with pytest.raises(FileError):
        write_result(RESULT, tmp_path / "taken")
    assert (tmp_path / "taken").read_text(encoding="utf-8") == "mine"
