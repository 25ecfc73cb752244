"""The studio in a real browser, through every action, with screenshots kept in test-output/."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from benchmarks.generators import draw_demonstrations, random_procedure
from stepgraph.formats import read_graph, save_graph
from stepgraph.graph import TaskGraph
from stepgraph.sequences import Demonstrations
from stepgraph.web.studio.graph_source import GraphSource
from tests.browser import NARROW, WIDE, OpenPage, overflows, screenshot
from tests.web.studio.on_page import WIDTHS, Begin, choose_pair, click_edge, keep_both, part
from tests.web.studio.running import ORDERS, TEA, as_csv

HOSTILE = "<img src=x onerror=document.title='owned'><b>beat</b> the egg whites until stiff peaks"


LONG = "a-step-whose-name-has-no-blank-anywhere-and-goes-on-and-on-" * 3


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@WIDTHS
def test_a_graph_is_shown_with_its_evidence(width: int, dark: bool, begin: Begin) -> None:
    studio, page = begin(width=width, dark=dark)
    expect(page.locator("#procedure")).to_have_text("tea")
    expect(page.locator("#drawing g.step")).to_have_count(6)
    expect(page.locator("#drawing g.edge")).to_have_count(len(studio.session.graph.edges))
    name = f"{width}-{'dark' if dark else 'light'}"
    screenshot(page, f"studio-{name}")
    part(page, "pour").click()
    expect(page.locator("#selected h2")).to_have_text("pour")
    expect(page.locator("#selected")).to_contain_text("done in6 of 6 recordings")
    click_edge(page, "pour", "warm pot")
    expect(page.locator("#selected h2")).to_have_text("'pour' needs 'warm pot'")
    expect(page.locator("#selected")).to_contain_text("held in 5, broken in 1, silent in 0")
    expect(page.locator("#selected")).to_contain_text("probability")
    expect(part(page, "pour", "warm pot")).to_have_class("edge selected")
    assert not overflows(page)
    screenshot(page, f"studio-evidence-{name}")
    page.get_by_role("button", name="fay", exact=True).click()
    expect(page.locator("#recording")).to_have_value("fay")


def test_the_key_leaves_the_address_and_is_needed(begin: Begin, open_page: OpenPage) -> None:
    studio, page = begin()
    assert "#" not in page.url
    page.reload()
    expect(page.locator("#drawing g.step")).to_have_count(6)
    stranger = open_page(studio.address, expect_errors=True)
    expect(stranger.locator("#no-key")).to_be_visible()
    expect(stranger.locator("#main")).to_be_hidden()
    screenshot(stranger, "studio-no-key")


def test_edges_come_and_go_with_the_threshold(begin: Begin) -> None:
    studio, page = begin()
    before = page.locator("#drawing g.edge").count()
    box = page.locator("#threshold").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    expect(page.locator("#threshold-value")).to_have_text("100 %")
    expect(page.locator("#count")).to_have_text("6 steps, 0 edges between them")
    screenshot(page, "studio-threshold")
    page.locator("#threshold").focus()
    page.keyboard.press("Home")
    expect(page.locator("#drawing g.edge")).to_have_count(before)
    expect(page.locator("#threshold-value")).to_have_text("0 %")
    assert len(studio.session.state.history) == 1
    page.locator("#undo").click()
    expect(page.locator("#undo")).to_be_disabled()


@WIDTHS
def test_a_recording_is_replayed_on_the_graph(width: int, begin: Begin) -> None:
    _, page = begin(width=width)
    page.locator("#tab-replay").click()
    page.locator("#recording").select_option("fay")
    expect(page.locator("#replay-verdict")).to_contain_text("No step yet")
    page.locator("#replay-next").click()
    expect(part(page, "add leaves")).to_have_attribute("data-mark", "done")
    page.locator("#replay-next").click()
    expect(page.locator("#replay-verdict")).to_contain_text("'pour' is done before")
    expect(part(page, "pour")).to_have_attribute("data-mark", "mistake")
    expect(part(page, "warm pot")).to_have_attribute("data-mark", "missing")
    expect(page.locator("#replay-steps li").nth(1)).to_have_attribute("aria-current", "step")
    expect(page.locator("#replay-steps li .kind").nth(1)).to_have_text("too early")
    expect(page.locator("#replay-next")).to_be_in_viewport()
    expect(part(page, "pour")).to_be_in_viewport()
    assert not overflows(page)
    screenshot(page, f"studio-replay-{width}", whole=width == WIDE)
    page.locator("#replay-back").click()
    expect(part(page, "pour")).not_to_have_attribute("data-mark", "mistake")
    page.locator("#replay-last").click()
    expect(page.locator("#replay-about")).to_contain_text("Step 6 of 6")
    page.locator("#replay-first").click()
    page.locator("#replay-play").click()
    expect(page.locator("#replay-about")).to_contain_text(re.compile("Step [1-6] of 6"))
    page.locator("#replay-play").click()
    page.locator("#replay-stop").click()
    expect(page.locator("#drawing g[data-mark]")).to_have_count(0)


def test_presses_count_while_a_recording_is_on_its_way(begin: Begin) -> None:
    _, page = begin()
    held: list[Route] = []
    page.route("**/api/replay?*", lambda route: held.append(route))
    page.locator("#tab-replay").click()
    page.locator("#recording").select_option("anna")
    for _ in range(3):
        page.locator("#replay-next").click()
    (asked,) = held
    asked.continue_()
    expect(page.locator("#replay-about")).to_contain_text("Step 3 of 6")


def test_a_replay_is_judged_again_when_the_graph_changes(begin: Begin) -> None:
    _, page = begin()
    page.locator("#tab-replay").click()
    page.locator("#recording").select_option("fay")
    page.locator("#replay-last").click()
    expect(page.locator("#replay-about")).not_to_contain_text("0 mistakes")
    for needs in ("boil water", "warm pot"):
        click_edge(page, "pour", needs)
        page.get_by_role("button", name="Remove").click()
        expect(part(page, "pour", needs)).to_have_count(0)
    page.locator("#tab-replay").click()
    expect(page.locator("#replay-about")).to_have_text("Step 6 of 6; in all 0 mistakes.")


@WIDTHS
def test_edges_are_added_removed_pinned_and_forbidden_undone_and_redone(
    width: int, begin: Begin
) -> None:
    studio, page = begin(width=width)
    choose_pair(page, "warm pot", "boil water", "Add")
    expect(part(page, "warm pot", "boil water")).to_have_attribute("data-said", "added")
    expect(page.locator("#said")).to_contain_text("through other steps")
    screenshot(page, f"studio-added-{width}")
    page.locator("#selected").get_by_role("button", name="Remove").click()
    expect(part(page, "warm pot", "boil water")).to_have_count(0)
    page.locator("#undo").click()
    expect(part(page, "warm pot", "boil water")).to_have_count(1)
    page.locator("#redo").click()
    expect(part(page, "warm pot", "boil water")).to_have_count(0)
    click_edge(page, "steep", "pour")
    page.locator("#selected").get_by_role("button", name="Pin").click()
    expect(part(page, "steep", "pour")).to_have_attribute("data-said", "pinned")
    expect(page.locator("#legend")).to_contain_text("pinned")
    click_edge(page, "serve", "steep")
    page.locator("#selected").get_by_role("button", name="Forbid").click()
    expect(part(page, "serve", "steep")).to_have_count(0)
    expect(page.locator("#selected")).to_contain_text("forbidden")
    page.locator("#tab-edits").click()
    expect(page.locator("#pinned")).to_contain_text("'steep' needs 'pour'")
    expect(page.locator("#forbidden")).to_contain_text("'serve' needs 'steep'")
    expect(page.locator("#history li").first).to_contain_text("forbade: 'serve' needs 'steep'")
    assert not overflows(page)
    screenshot(page, f"studio-edits-{width}")
    page.get_by_role("button", name="Allow: serve needs steep").click()
    expect(part(page, "serve", "steep")).to_have_count(1)
    page.get_by_role("button", name="Unpin: steep needs pour").click()
    expect(page.locator("#pinned")).to_have_text("no edge")
    assert len(studio.session.state.history) == 6


def test_a_cycle_is_refused_and_shown(begin: Begin) -> None:
    studio, page = begin(expect_errors=True)
    choose_pair(page, "pour", "serve", "Add")
    expect(page.locator("#problem")).to_contain_text(
        "these steps need each other: 'pour' needs 'serve' needs 'steep' needs 'pour'"
    )
    expect(page.locator("#drawing g.step.in-cycle")).to_have_count(3)
    expect(page.locator("#drawing g.edge.in-cycle")).to_have_count(2)
    expect(page.locator("#drawing .wanted")).to_have_count(1)
    keep_both(page, "studio-cycle")
    page.locator("#problem-close").click()
    expect(page.locator("#drawing .in-cycle")).to_have_count(0)
    assert studio.session.undoable is None


def test_a_step_is_marked_optional(begin: Begin) -> None:
    studio, page = begin()
    part(page, "warm pot").click()
    page.get_by_role("button", name="Mark optional").click()
    expect(page.locator("#selected")).to_contain_text("may be left out")
    expect(part(page, "warm pot")).to_contain_text("optional")
    assert studio.session.graph.optional_steps == ("warm pot",)
    page.get_by_role("button", name="Not optional").click()
    expect(part(page, "warm pot")).not_to_contain_text("optional")


def test_the_graph_is_learned_anew_with_what_is_pinned(begin: Begin) -> None:
    studio, page = begin()
    choose_pair(page, "warm pot", "boil water", "Pin")
    expect(part(page, "warm pot", "boil water")).to_have_attribute("data-said", "pinned")
    page.locator("#tab-edits").click()
    page.locator("#relearn").click()
    expect(page.locator("#job")).to_be_visible()
    expect(page.locator("#said")).to_contain_text("Learned again")
    expect(page.locator("#job")).to_be_hidden()
    expect(part(page, "warm pot", "boil water")).to_have_count(1)
    assert studio.session.graph.constraints.pinned == (("warm pot", "boil water"),)


def test_advice_says_what_to_record_next(begin: Begin) -> None:
    _, page = begin()
    page.locator("#tab-advice").click()
    page.locator("#advise").click()
    expect(page.locator("#advice-content")).to_contain_text("pairs of steps are open")
    expect(page.locator("#advise")).to_be_hidden()
    keep_both(page, "studio-advice")


def test_the_graph_is_saved_with_its_history(begin: Begin) -> None:
    studio, page = begin(expect_errors=True)
    expect(page.locator("#saved")).to_have_text("not saved")
    part(page, "warm pot").click()
    page.get_by_role("button", name="Mark optional").click()
    expect(page.locator("#undo")).to_be_enabled()
    studio.path.write_text("somebody else's")
    page.locator("#save").click()
    expect(page.locator("#problem")).to_contain_text("already exists")
    screenshot(page, "studio-overwrite")
    page.locator("#overwrite").click()
    expect(page.locator("#said-text")).to_have_text("Saved to tea.graph.json.")
    expect(page.locator("#saved")).to_be_hidden()
    expect(page.locator("#save")).to_be_disabled()
    saved = read_graph(studio.path)
    assert saved.provenance.history[-1]["edit"] == "optional"
    page.locator("#undo").click()
    expect(page.locator("#save")).to_be_enabled()


def test_a_table_is_uploaded_and_learned_from(begin: Begin, tmp_path: Path) -> None:
    _, page = begin(GraphSource.of_graph(TaskGraph([], [("END", "START")])), width=NARROW)
    expect(page.locator("#selected")).to_contain_text("This graph has no steps")
    keep_both(page, "studio-empty")
    page.locator("#tab-replay").click()
    expect(page.locator("#replay-empty")).to_be_visible()
    page.locator("#tab-recordings").click()
    file = tmp_path / "more tea.csv"
    file.write_text(as_csv(ORDERS))
    page.locator("#upload-file").set_input_files(file)
    page.get_by_role("button", name="Upload and learn").click()
    expect(page.locator("#job-bar")).to_be_visible()
    screenshot(page, "studio-upload")
    expect(page.locator("#said")).to_contain_text(
        "Learned from more tea.csv: 6 recordings, 6 steps"
    )
    expect(page.locator("#drawing g.step")).to_have_count(6)
    expect(page.locator("#recording-list li")).to_have_count(6)
    keep_both(page, "studio-recordings")
    page.locator("#undo").click()
    expect(page.locator("#drawing g.step")).to_have_count(0)


def test_bad_files_are_refused_and_nothing_is_lost(begin: Begin, tmp_path: Path) -> None:
    studio, page = begin()
    page.locator("#tab-recordings").click()
    file = tmp_path / "wide.csv"
    file.write_text(",".join(f"column {number}" for number in range(100_000)))
    page.locator("#upload-file").set_input_files(file)
    page.get_by_role("button", name="Upload and learn").click()
    expect(page.locator("#problem")).to_contain_text("has 100,000 columns")
    expect(page.locator("#drawing g.step")).to_have_count(6)
    screenshot(page, "studio-bad-file")
    file = tmp_path / "two.csv"
    file.write_text(
        "recording,step,procedure\na,one,x\na,two,x\nb,three,<b>y</b>\nb,four,<b>y</b>\n"
    )
    page.locator("#upload-file").set_input_files(file)
    page.get_by_role("button", name="Upload and learn").click()
    expect(page.locator("#upload-choice")).to_be_visible()
    screenshot(page, "studio-choose-procedure")
    page.locator("#upload-procedure").select_option("<b>y</b>")
    page.get_by_role("button", name="Upload and learn").click()
    expect(page.locator("#procedure")).to_have_text("<b>y</b>")
    assert studio.session.graph.steps == ("three", "four")


def test_work_is_cancelled_from_the_page(begin: Begin) -> None:
    studio, page = begin()
    page.locator("#tab-edits").click()
    page.locator("#relearn").click()
    page.locator("#job-cancel").click()
    expect(page.locator("#said")).to_contain_text("Cancelled; nothing was changed")
    expect(page.locator("#job")).to_be_hidden()
    assert studio.session.undoable is None


@WIDTHS
def test_names_are_shown_as_text(width: int, begin: Begin) -> None:
    given = Demonstrations.from_steps(
        {f"<i>anna</i> {number}": ["whisk", HOSTILE, LONG] for number in range(3)},
        procedure="<script>document.title='owned'</script>",
    )
    graph = TaskGraph.from_preconditions(
        {HOSTILE: ["whisk"], LONG: [HOSTILE]}, procedure=given.procedure
    )
    _, page = begin(GraphSource.of_graph(graph, given, "odd.csv"), width=width)
    page.locator("#drawing g.step").nth(1).click()
    expect(page.locator("#selected h2")).to_have_text(HOSTILE)
    page.get_by_role("button", name="Mark optional").click()
    expect(page.locator("#undo")).to_be_enabled()
    screenshot(page, f"studio-names-{width}")
    page.locator("#selected .edge-list button").first.click()
    expect(page.locator("#selected h2")).to_contain_text("whisk")
    page.locator("#selected .chips button").first.click()
    page.locator("#replay-last").click()
    expect(page.locator("#replay-about")).to_contain_text("Step 3 of 3")
    assert not overflows(page)
    screenshot(page, f"studio-names-replay-{width}", whole=width == WIDE)
    page.locator("#tab-edits").click()
    page.locator("#tab-recordings").click()
    assert not overflows(page)
    assert page.locator("body img, body b, body i:not(.shares i), body script").count() == 0
    assert page.title() == "<script>document.title='owned'</script> - stepgraph studio"


def test_a_hundred_steps_are_found_and_edited(begin: Begin) -> None:
    graph = random_procedure(100, width=6, density=0.4, seed=1)
    given = draw_demonstrations(graph, 20, seed=1)
    _, page = begin(GraphSource.of_graph(graph, given, "large.json"))
    expect(page.locator("#drawing g.step")).to_have_count(100)
    name = graph.steps[70]
    page.locator("#find").fill(name)
    page.locator("#find").dispatch_event("change")
    expect(page.locator("#selected h2")).to_have_text(name)
    expect(page.locator("#drawing g.selected")).to_be_in_viewport()
    page.get_by_role("button", name="Mark optional").click()
    expect(page.locator("#undo")).to_be_enabled()
    keep_both(page, "studio-hundred")
    page.locator("#fit").click()
    page.locator("#tab-replay").click()
    page.locator("#recording").select_option(index=1)
    for _ in range(3):
        page.locator("#replay-next").click()
    expect(page.locator("#drawing g[data-mark=done]")).to_have_count(3)
    keep_both(page, "studio-hundred-fit")


def test_a_graph_without_recordings_says_what_is_missing(begin: Begin, tmp_path: Path) -> None:
    save_graph(TEA, tmp_path / "tea.graph.json")
    _, page = begin(GraphSource.of_graph(TEA, file_name="tea.graph.json"), read=True)
    expect(page.locator("#threshold")).to_be_disabled()
    expect(page.locator("#threshold-why")).to_be_visible()
    click_edge(page, "serve", "steep")
    expect(page.locator("#selected")).to_contain_text("No recording shows this pair")
    screenshot(page, "studio-graph-only")
    page.locator("#tab-advice").click()
    expect(page.locator("#advise")).to_be_hidden()
    page.locator("#tab-edits").click()
    expect(page.locator("#relearn")).to_be_disabled()
