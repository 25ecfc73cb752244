from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Put, Run
from tests.cli.samples import graph_json


def test_one_page_holds_the_graph_its_recordings_and_its_scores(
    stepgraph: Run, graph: str, demos: str, folder: Path
) -> None:
    result = stepgraph("report", graph, "--demos", demos, "--truth", graph, "-o", "page.html")
    assert (result.code, result.out, result.err) == (0, "page.html: written\n", "")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    for part in ("<svg", 'id="steps"', 'id="recordings"', 'id="scores"'):
        assert part in page


def test_the_method_of_a_learned_graph_is_run_again_as_often_as_asked(
    stepgraph: Run, demos: str, folder: Path
) -> None:
    assert stepgraph("learn", demos, "--method", "robust", "-o", "learned.json").code == 0
    given = ("report", "learned.json", "--demos", demos, "--truth", "learned.json")
    pages = {}
    for number in (0, 1, 5):
        assert stepgraph(*given, "--again", str(number), "-o", "page.html").code == 0
        pages[number] = (folder / "page.html").read_text(encoding="utf-8")
    assert ['id="training"' in page for page in pages.values()] == [False, True, True]
    assert all("the same graph comes out" in pages[number] for number in (1, 5))
    row = '<th scope="row"><bdi>this graph</bdi></th><td class="figure">100.0'
    assert f"{row}</td>" in pages[1]
    assert f'{row}<br><span class="facts">' in pages[5]


def test_a_graph_alone_makes_a_page(stepgraph: Run, graph: str, folder: Path) -> None:
    assert stepgraph("report", graph, "-o", "page.html").code == 0
    assert 'id="recordings"' not in (folder / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-o", "page.pdf"], "page.pdf: expected a name that ends in .html"),
        (["-o", "missing/page.html"], "there is no folder missing"),
        (["-o", "page.html", "--demos", "none.csv"], "none.csv: no such file"),
        (["-o", "page.html", "--again", "5"], "say where they are with --demos"),
        (["-o", "page.html", "--demos", "demos.csv", "--again", "-1"], "--again"),
        (["-o", "page.html", "--truth", "shelf.json"], "graph.json and shelf.json: "),
        (["-o", "page.html", "--demos", "shelf.csv"], "is this a recording of another procedure?"),
    ],
)
def test_what_cannot_be_reported_ends_with_a_message_and_leaves_nothing(
    arguments: list[str], says: str, stepgraph: Run, graph: str, put: Put, folder: Path
) -> None:
    put("shelf.json", graph_json([("drill", "START"), ("END", "drill")], "shelf"))
    put("shelf.csv", "recording,step\nanna,drill\n")
    before = sorted(folder.iterdir())
    result = stepgraph("report", graph, *arguments)
    assert result.code == 2
    assert says in result.err
    assert sorted(folder.iterdir()) == before
