from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Put, Run
from tests.cli.samples import graph_json


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("out.svg", b"<svg"),
        ("OUT.SVG", b"<svg"),
        ("out.png", b"\x89PNG"),
        ("out.dot", b"digraph"),
        ("out.gv", b"digraph"),
        ("out.mmd", b"flowchart BT"),
    ],
)
def test_the_ending_says_the_format(
    name: str, start: bytes, stepgraph: Run, graph: str, folder: Path
) -> None:
    result = stepgraph("draw", graph, "-o", name)
    assert (result.code, result.out, result.err) == (0, f"{name}: written\n", "")
    assert (folder / name).read_bytes().startswith(start)


def test_a_drawing_can_be_dark_and_run_to_the_right(
    stepgraph: Run, graph: str, folder: Path
) -> None:
    assert stepgraph("draw", graph, "-o", "up.svg").code == 0
    assert (
        stepgraph("draw", graph, "-o", "side.svg", "--direction", "LR", "--theme", "dark").code == 0
    )
    up, side = ((folder / name).read_text() for name in ("up.svg", "side.svg"))
    assert "#14171a" in side
    assert "#14171a" not in up


def test_text_runs_to_the_right_as_well(stepgraph: Run, graph: str, folder: Path) -> None:
    assert stepgraph("draw", graph, "-o", "a.mmd", "--direction", "LR").code == 0
    assert stepgraph("draw", graph, "-o", "a.dot", "--direction", "LR").code == 0
    assert (folder / "a.mmd").read_text().startswith("flowchart LR")
    assert "rankdir=RL" in (folder / "a.dot").read_text()


def test_a_comparison_says_how_many_edges_agree(stepgraph: Run, graph: str, folder: Path) -> None:
    assert stepgraph("draw", graph, "--truth", graph, "-o", "same.svg").code == 0
    assert "missing, only in the truth: 0" in (folder / "same.svg").read_text()


def test_what_the_font_cannot_show_is_said(stepgraph: Run, put: Put) -> None:
    egg = put("egg.json", graph_json([("卵", "START"), ("END", "卵")]))
    result = stepgraph("draw", egg, "-o", "egg.png")
    assert result.code == 0
    assert "卵 come from this machine's fonts" in result.err
    assert stepgraph("draw", egg, "-o", "egg.svg").err == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-o", "out.pdf"], "'.pdf' names no picture; expected .svg"),
        (["-o", "out"], "a name without an ending names no picture"),
        (["-o", "missing/out.svg"], "there is no folder missing"),
        (["-o", "out.svg", "--theme", "drak"], "did you mean 'dark'"),
        (["-o", "out.svg", "--direction", "TB"], "unknown direction 'TB'"),
        (["-o", "out.svg", "--scale", "2"], "--scale is for .png"),
        (["-o", "out.png", "--scale", "0"], "the scale is 0"),
        (["-o", "out.png", "--theme", "auto"], "either 'light' or 'dark'"),
        (["-o", "out.svg", "--truth", "none.json"], "none.json: no such file"),
        (["-o", "out.dot", "--truth", "graph.json"], "drawn as .svg or .png only"),
        (["-o", "out.svg", "--truth", "shelf.json"], "graph.json and shelf.json: the two graphs"),
    ],
)
def test_what_cannot_be_drawn_ends_with_a_message_and_leaves_nothing(
    arguments: list[str], says: str, stepgraph: Run, graph: str, put: Put, folder: Path
) -> None:
    put("shelf.json", graph_json([("drill", "START"), ("END", "drill")], "shelf"))
    before = sorted(folder.iterdir())
    result = stepgraph("draw", graph, *arguments)
    assert result.code == 2
    assert says in result.err
    assert sorted(folder.iterdir()) == before


def test_learn_and_convert_say_who_makes_pictures(stepgraph: Run, graph: str) -> None:
    assert "stepgraph draw makes pictures" in stepgraph("convert", graph, "-o", "out.svg").err
