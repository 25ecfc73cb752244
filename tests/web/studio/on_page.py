"""A studio with its page in a real browser, and what is done there again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from stepgraph.web.studio.graph_source import GraphSource
from tests.browser import NARROW, WIDE, OpenPage, overflows, screenshot
from tests.web.studio.running import RunningStudio

WIDTHS = pytest.mark.parametrize("width", [WIDE, NARROW])


Begin = Callable[..., tuple[RunningStudio, Page]]


@pytest.fixture
def begin(tmp_path: Path, open_page: OpenPage) -> Iterator[Begin]:
    """Give a function that runs a studio and opens its page."""
    with ExitStack() as stack:

        def begun(source: GraphSource | None = None, **more: Any) -> tuple[RunningStudio, Page]:
            wanted = {key: more.pop(key) for key in ("limits", "read") if key in more}
            studio = RunningStudio(tmp_path / "tea.graph.json", source, **wanted)
            stack.enter_context(studio)
            page = open_page(studio.page, **more)
            stack.callback(page.close)
            expect(page.locator("#drawing svg")).to_be_visible()
            return studio, page

        yield begun


def part(page: Page, *names: str) -> Locator:
    """Return a step, or an edge, of the drawing."""
    kind = "step" if len(names) == 1 else "edge"
    label = " needs ".join(names)
    return page.locator(
        f'#drawing g.{kind}[aria-label="{label}"], #drawing g.{kind}[aria-label^="{label},"]'
    )


def click_edge(page: Page, step: str, needs: str) -> None:
    """Click on the middle of an edge, which its box need not cover, until it is selected.

    The drawing may be on its way to another size while the middle is looked for.
    """
    for _ in range(20):
        x, y = (
            part(page, step, needs)
            .locator(".hit")
            .evaluate(
                """path => { path.scrollIntoView({ block: "center", inline: "center" });
            const at = path.getPointAtLength(path.getTotalLength() / 2);
            const matrix = path.getScreenCTM();
            const on = new DOMPoint(at.x, at.y).matrixTransform(matrix);
            return [on.x, on.y]; }"""
            )
        )
        page.mouse.click(x, y)
        try:
            expect(page.locator("#selected h2")).to_have_text(
                f"'{step}' needs '{needs}'", timeout=1500
            )
        except AssertionError:
            continue
        return
    raise AssertionError(f"the edge from {step!r} to {needs!r} cannot be clicked on")


def keep_both(page: Page, name: str) -> None:
    """Keep what a page looks like at both widths, neither of which it may exceed."""
    for width in (NARROW, WIDE):
        page.set_viewport_size({"width": width, "height": 800})
        assert not overflows(page)
        screenshot(page, f"{name}-{width}")


def choose_pair(page: Page, step: str, needs: str, button: str) -> None:
    page.locator("#pair-step").select_option(step)
    page.locator("#pair-needs").select_option(needs)
    page.locator("#pair").get_by_role("button", name=button).click()
