"""A report opened from disk in a real browser, with screenshots kept in test-output/."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from stepgraph.errors import LearningWarning
from stepgraph.graph import TaskGraph
from stepgraph.pipeline import learn
from stepgraph.procedures import load_procedure
from stepgraph.report import make_report, to_html
from stepgraph.sequences import Demonstrations
from tests.browser import NARROW, WIDE, OpenPage, overflows, screenshot
from tests.drawing.strategies import NASTY


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Give the address of a report with all of its parts."""
    procedure = load_procedure("pancakes")
    with pytest.warns(LearningWarning, match="5 of 20 recordings have marked mistakes"):
        graph = learn(procedure.demonstrations, "robust")
    made = make_report(
        graph, demonstrations=procedure.demonstrations, truth=procedure.graph, draws=4
    )
    path: Path = tmp_path_factory.mktemp("report") / "pancakes.html"
    path.write_text(to_html(made), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_report_opens_from_disk_and_fits(
    width: int, dark: bool, report: str, open_page: OpenPage
) -> None:
    page = open_page(report, width=width, dark=dark)
    expect(page.locator("h1")).to_have_text("pancakes")
    expect(page.locator("svg")).to_have_count(4)
    for part in ("Training", "Against the known graph", "Recordings"):
        expect(page.get_by_role("heading", name=part)).to_be_visible()
    expect(page.locator("#main")).to_contain_text("the same graph comes out")
    assert not overflows(page)
    screenshot(page, f"report-{width}-{'dark' if dark else 'light'}")


def test_a_report_is_read_by_keyboard(report: str, open_page: OpenPage) -> None:
    page = open_page(report)
    page.keyboard.press("Tab")
    expect(page.locator("a.skip")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="The graph")).to_be_focused()
    folded = page.locator("details:not([open])").first
    before = page.locator("details[open]").count()
    folded.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator("details[open]")).to_have_count(before + 1)


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_names_are_shown_as_text(width: int, tmp_path: Path, open_page: OpenPage) -> None:
    hostile = "<img src=x onerror=document.title='owned'>"
    names = [hostile, "a-name-without-a-blank-" * 8, *NASTY]
    needs = {name: names[:place][-1:] for place, name in enumerate(names)}
    graph = TaskGraph.from_preconditions(needs, procedure=hostile)
    given = Demonstrations.from_steps({"<b>anna</b>": names, "ben": names[::-1]})
    path = tmp_path / "odd.html"
    path.write_text(to_html(make_report(graph, demonstrations=given)), encoding="utf-8")
    page = open_page(path.as_uri(), width=width)
    expect(page.locator("h1")).to_have_text(hostile)
    assert page.locator("img, script, main b").count() == 0
    assert "owned" not in page.title().replace(hostile, "")
    assert not overflows(page)
    screenshot(page, f"report-names-{width}")
