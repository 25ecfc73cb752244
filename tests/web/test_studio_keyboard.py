"""The studio by keyboard alone, in a real browser."""

from __future__ import annotations

import re

from playwright.sync_api import Route, expect

from tests.browser import screenshot
from tests.web.studio.on_page import Begin, click_edge, part


def test_everything_is_done_by_keyboard(begin: Begin) -> None:
    studio, page = begin()
    press = page.keyboard.press
    page.locator("#fit").focus()
    press("Tab")
    here = page.locator("*:focus")
    expect(here).to_have_attribute("aria-label", re.compile("|".join(studio.session.graph.steps)))
    press("End")
    press("ArrowDown")
    expect(here).to_have_attribute("aria-label", "serve")
    press("ArrowDown")
    expect(here).to_have_attribute("aria-label", "steep")
    press("o")  # nothing is selected yet
    assert studio.session.undoable is None
    press("Enter")
    expect(page.locator("#selected h2")).to_have_text("steep")
    press("o")
    expect(page.locator("#selected")).to_contain_text("may be left out")
    press("e")
    expect(here).to_have_attribute("aria-label", re.compile("^steep needs "))
    screenshot(page, "studio-focus")
    press("e")
    expect(here).to_have_attribute("aria-label", re.compile("^steep needs "))
    press("ArrowUp")
    expect(here).to_have_attribute("aria-label", "steep")
    press("e")
    expect(here).to_have_attribute("aria-label", re.compile("^steep needs "))
    edge = here.get_attribute("aria-label") or ""
    press("Enter")
    step, needs = edge.split(" needs ")
    expect(page.locator("#selected h2")).to_have_text(f"'{step}' needs '{needs}'")
    press("p")
    expect(part(page, step, needs)).to_have_attribute("data-said", "pinned")
    press("p")
    expect(page.locator("#legend")).not_to_contain_text("pinned")
    press("f")
    expect(part(page, step, needs)).to_have_count(0)
    press("z")
    expect(part(page, step, needs)).to_have_count(1)
    page.evaluate("document.activeElement.blur()")
    click_edge(page, step, needs)
    press("Delete")
    expect(part(page, step, needs)).to_have_count(0)
    press("Control+z")
    expect(part(page, step, needs)).to_have_count(1)
    press("y")
    expect(part(page, step, needs)).to_have_count(0)
    press(".")
    expect(page.locator("#replay-about")).to_contain_text("Step 1 of 6")
    press(",")
    expect(page.locator("#replay-about")).to_contain_text("Step 0 of 6")
    press("Control+s")
    expect(page.locator("#saved")).to_be_hidden()
    assert studio.path.exists()
    press("?")
    expect(page.locator("#keys")).to_be_visible()
    screenshot(page, "studio-keys")
    press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    press("a")
    expect(page.locator("#pair-needs")).to_be_focused()
    page.locator("#tab-selection").focus()
    press("ArrowRight")
    expect(page.locator("#replay")).to_be_visible()
    expect(page.locator("#tab-replay")).to_be_focused()


def test_edges_are_chosen_and_the_graph_learned_anew_by_keyboard(begin: Begin) -> None:
    studio, page = begin(expect_errors=True)
    press = page.keyboard.press
    count = page.locator("#drawing g.edge").count()
    page.locator("#threshold").focus()
    press("End")
    expect(page.locator("#threshold-value")).to_have_text("100 %")
    expect(page.locator("#undo")).to_be_enabled()
    press("Home")
    expect(page.locator("#threshold-value")).to_have_text("0 %")
    expect(page.locator("#drawing g.edge")).to_have_count(count)
    page.locator("#pair-step").focus()
    page.keyboard.type("pour")
    press("Tab")
    page.keyboard.type("serve")
    page.locator("#pair").get_by_role("button", name="Add").focus()
    press("Enter")
    expect(page.locator("#problem")).to_contain_text("these steps need each other")
    expect(page.locator("#drawing g.step.in-cycle")).to_have_count(3)
    press("Escape")
    expect(page.locator("#problem")).to_be_hidden()
    page.locator("#pair").get_by_role("button", name="Forbid").focus()
    press("Enter")
    expect(page.locator("#undo")).to_be_enabled()
    page.locator("#tab-selection").focus()
    for _ in range(3):
        press("ArrowRight")
    expect(page.locator("#tab-edits")).to_be_focused()
    expect(page.locator("#edits")).to_contain_text("'pour' needs 'serve'")
    page.get_by_role("button", name="Learn again with these").focus()
    press("Enter")
    expect(page.locator("#said")).to_contain_text("Learned again")
    assert ("pour", "serve") not in studio.session.graph.edges
    page.locator("#tab-selection").focus()
    press("ArrowRight")
    press("ArrowRight")
    page.get_by_role("button", name="What to record next?").focus()
    press("Enter")
    expect(page.locator("#advice")).to_contain_text("pairs of steps are open")


def test_a_late_answer_leaves_the_tab_that_was_opened_meanwhile(begin: Begin) -> None:
    studio, page = begin()
    held: list[Route] = []
    page.route("**/api/edit", lambda route: held.append(route))
    page.locator("#pair-step").select_option("pour")
    page.locator("#pair-needs").select_option("serve")
    page.locator("#pair").get_by_role("button", name="Forbid").click()
    page.locator("#tab-edits").click()
    relearn = page.get_by_role("button", name="Learn again with these")
    relearn.focus()
    held[0].continue_()
    expect(page.locator("#edits")).to_contain_text("'pour' needs 'serve'")
    expect(page.locator("#selected h2")).to_have_text("'pour' does not need 'serve'")
    expect(relearn).to_be_focused()
    assert ("pour", "serve") not in studio.session.graph.edges
