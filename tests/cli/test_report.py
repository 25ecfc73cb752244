from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Put, Run
from tests.cli.samples import graph_json


def test_one_page_holds_the_graph_its_recordings_and_its_scores(
    tgml: Run, graph: str, demos: str, folder: Path
) -> None:
    result = tgml("report", graph, "--demos", demos, "--truth", graph, "-o", "page.html")
    assert (result.code, result.out, result.err) == (0, "page.html: written\n", "")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    for part in ("<svg", 'id="steps"', 'id="recordings"', 'id="scores"'):
        assert part in page


def test_a_graph_alone_makes_a_page(tgml: Run, graph: str, folder: Path) -> None:
    assert tgml("report", graph, "-o", "page.html").code == 0
    assert 'id="recordings"' not in (folder / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-o", "page.pdf"], "page.pdf: expected a name that ends in .html"),
        (["-o", "missing/page.html"], "there is no folder missing"),
        (["-o", "page.html", "--demos", "none.csv"], "none.csv: no such file"),
        (["-o", "page.html", "--truth", "shelf.json"], "graph.json and shelf.json: "),
        (["-o", "page.html", "--demos", "shelf.csv"], "is this a recording of another procedure?"),
    ],
)
def test_what_cannot_be_reported_ends_with_a_message_and_leaves_nothing(
    arguments: list[str], says: str, tgml: Run, graph: str, put: Put, folder: Path
) -> None:
    put("shelf.json", graph_json([("drill", "START"), ("END", "drill")], "shelf"))
    put("shelf.csv", "recording,step\nanna,drill\n")
    before = sorted(folder.iterdir())
    result = tgml("report", graph, *arguments)
    assert result.code == 2
    assert says in result.err
    assert sorted(folder.iterdir()) == before
