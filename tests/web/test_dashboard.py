"""The dashboard in a real browser, with screenshots kept in test-output/."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from stepgraph.graph import TaskGraph
from tests.browser import NARROW, WIDE, OpenPage, overflows, screenshot
from tests.web.service.running import STEPS, Running

TOKEN = "correct-horse-battery-staple"  # noqa: S105
HOSTILE = "<img src=x onerror=document.title='owned'><b>beat</b> the egg whites until stiff peaks"
LONG = "a-step-whose-name-has-no-blank-anywhere-and-goes-on-and-on-" * 3
ODD = TaskGraph.from_preconditions(
    {HOSTILE: ["separate the eggs"], LONG[:190]: [HOSTILE]}, procedure="<i>odd</i>"
)


@pytest.fixture
def busy(tmp_path: Path, running: Running) -> Running:
    """Give a service with sessions in every state."""
    del tmp_path
    if running.open("station-1", label="Station 1, Anna").status_code == 200:
        return running
    for number, step in enumerate(STEPS):
        running.observe("station-1", str(number), step, time=number)
    running.open("station-2", label="Station 2")
    for number, step in enumerate(("crack egg", "add milk", "mix")):
        running.observe("station-2", str(number), step)
    running.open("a0b1c2d3e4f5")
    running.open("done", label="Station 3, finished early")
    running.observe("done", "0", "mix")
    running.finish("done")
    from stepgraph.formats.stepgraph_json import graph_to_json

    running.client.put("/v1/graphs/odd", json=graph_to_json(ODD))
    running.open("odd", "odd", label="<script>document.title='owned'</script>")
    for number, step in enumerate((HOSTILE, LONG[:190], LONG[:200])):
        running.observe("odd", str(number), step)
    return running


def row(page: Page, name: str) -> object:
    return page.locator("#rows tr").filter(has_text=name)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_live_sessions_and_their_last_mistakes_are_shown(
    width: int, dark: bool, busy: Running, open_page: OpenPage
) -> None:
    page = open_page(busy.address, width=width, dark=dark)
    expect(page.locator("#connection")).to_have_text("live")
    expect(page.locator("#rows tr")).to_have_count(4)
    anna = page.locator("#rows tr").filter(has_text="Station 1, Anna")
    expect(anna).to_contain_text("is no step of this procedure")
    expect(page.locator("#rows tr").filter(has_text="Station 2")).to_contain_text("none")
    assert not overflows(page)
    screenshot(page, f"dashboard-{width}-{'dark' if dark else 'light'}")


def test_a_mistake_appears_while_somebody_looks(busy: Running, open_page: OpenPage) -> None:
    page = open_page(busy.address)
    expect(page.locator("#connection")).to_have_text("live")
    busy.open("live", label="Live one")
    live = page.locator("#rows tr").filter(has_text="Live one")
    expect(live).to_contain_text("none")
    busy.observe("live", "a", "mix")
    expect(live).to_contain_text("step 1: 'mix' is done before")
    expect(page.locator("#announce")).to_contain_text("Mistake in Live one")
    busy.finish("live")
    expect(live).to_have_count(0)
    page.locator("#status").select_option("finished")
    expect(live).to_contain_text("finished")


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_names_are_shown_as_text(width: int, busy: Running, open_page: OpenPage) -> None:
    page = open_page(busy.address, width=width)
    page.get_by_role("button", name="<script>document.title='owned'</script>").click()
    expect(page.locator("#verdicts li")).to_have_count(3)
    expect(page.locator("#verdicts")).to_contain_text("<b>beat</b>")
    assert page.locator("#main img, #main b, #main script").count() == 0
    assert page.title() == "Live sessions - stepgraph"
    assert not overflows(page)
    screenshot(page, f"dashboard-names-{width}")


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_session_is_followed_finished_and_exported(
    width: int, busy: Running, open_page: OpenPage
) -> None:
    name = f"detail-{width}"
    busy.open(name, label=f"Follow me {width}")
    for number, step in enumerate(STEPS[:3]):
        busy.observe(name, str(number), step)
    page = open_page(busy.address, width=width)
    page.get_by_role("button", name=f"Follow me {width}").click()
    expect(page.locator("#verdicts li")).to_have_count(3)
    busy.observe(name, "3", STEPS[3])
    expect(page.locator("#verdicts li")).to_have_count(4)
    expect(page.locator("#verdicts li").first).to_contain_text("repaired")
    expect(page.locator("#executable")).to_contain_text("heat pan")
    screenshot(page, f"dashboard-detail-{width}")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export JSON").click()
    content = json.loads(Path(download.value.path()).read_text())
    assert [entry["step"] for entry in content["observations"]] == list(STEPS[:4])
    with page.expect_download() as download:
        page.get_by_role("button", name="Export CSV").click()
    assert download.value.suggested_filename == f"{name}.csv"
    page.get_by_role("button", name="Finish session").click()
    assert busy.client.get(f"/v1/sessions/{name}").json()["status"] == "open"
    page.get_by_role("button", name="Really finish it?").click()
    expect(page.locator("#detail-about")).to_contain_text("finished")
    expect(page.locator("#verdicts li").first).to_contain_text("was never done")
    expect(page.get_by_role("button", name="Finish session")).to_be_disabled()
    assert busy.client.get(f"/v1/sessions/{name}").json()["status"] == "finished"
    assert not overflows(page)


def test_everything_is_reached_by_keyboard(busy: Running, open_page: OpenPage) -> None:
    page = open_page(busy.address)
    expect(page.locator("#connection")).to_have_text("live")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#find").focus()
    page.keyboard.type("anna")
    expect(page.locator("#rows tr")).to_have_count(1)
    for _ in range(4):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Station 1, Anna"
    page.keyboard.press("Enter")
    expect(page.locator("#detail")).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "detail-title"
    page.keyboard.press("Escape")
    expect(page.locator("#detail")).to_be_hidden()
    assert page.evaluate("document.activeElement.textContent") == "Station 1, Anna"


def test_sessions_are_found_ordered_and_filtered(busy: Running, open_page: OpenPage) -> None:
    page = open_page(busy.address)
    expect(page.locator("#connection")).to_have_text("live")
    page.locator("#order").select_option("mistakes")
    expect(page.locator("#rows tr").last).to_contain_text("none")
    page.locator("#mistaken").check()
    expect(page.locator("#rows tr").filter(has_text="Station 2")).to_have_count(0)
    page.locator("#find").fill("nothing is called like this")
    expect(page.locator("#empty")).to_have_text("No session matches.")
    screenshot(page, "dashboard-nothing-found")


def test_an_empty_service_says_what_to_do(tmp_path: Path, open_page: OpenPage) -> None:
    with Running(tmp_path) as running:
        page = open_page(running.address, width=NARROW)
        expect(page.locator("#empty")).to_contain_text("POST /v1/sessions")
        screenshot(page, "dashboard-empty")
        page.close()


def test_the_token_is_asked_for_and_kept_for_the_window(
    tmp_path: Path, open_page: OpenPage
) -> None:
    with Running(tmp_path, token=TOKEN) as running:
        running.client.headers["Authorization"] = f"Bearer {TOKEN}"
        running.open("s", label="Behind the door")
        page = open_page(running.address, expect_errors=True)
        expect(page.locator("#token-form")).to_be_visible()
        expect(page.locator("#main")).to_be_hidden()
        page.keyboard.type("a wrong token, typed in haste")
        page.keyboard.press("Enter")
        expect(page.locator("#token-problem")).to_have_text("That is not this service's token.")
        screenshot(page, "dashboard-token")
        page.keyboard.type(TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator("#rows")).to_contain_text("Behind the door")
        page.reload()
        expect(page.locator("#rows")).to_contain_text("Behind the door")
        page.close()


def test_a_service_that_goes_away_and_comes_back_is_followed_again(
    tmp_path: Path, open_page: OpenPage
) -> None:
    with Running(tmp_path) as running:
        running.open("s", label="Still here")
        page = open_page(running.address, expect_errors=True)
        expect(page.locator("#connection")).to_have_text("live")
        port = running.port
    expect(page.locator("#connection")).to_contain_text("trying again")
    expect(page.locator("#rows")).to_contain_text("Still here")
    screenshot(page, "dashboard-lost")
    with Running(tmp_path, port=port) as running:
        expect(page.locator("#connection")).to_have_text("live")
        running.observe("s", "a", "mix")
        expect(page.locator("#rows")).to_contain_text("is done before")
        page.close()
