"""A real browser for tests of pages: headless Chromium, screenshots kept, nothing from elsewhere.

Import `browser` and `open_page` in a conftest. Every page fails its test if a script fails, if
something is written to the console as an error, or if anything but this machine is asked.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    Route,
    expect,
    sync_playwright,
)
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SCREENSHOTS = Path(__file__).parent.parent / "test-output" / "screenshots"
WIDE, NARROW = 1280, 400
"""The widths in pixels at which pages must work."""

PATIENCE = 120_000
"""How many milliseconds a page may take for anything; a machine may be busy with other tests."""
expect.set_options(timeout=PATIENCE)

OpenPage = Callable[..., Page]


def find_chromium() -> str | None:
    """Return the path of Chromium, or None where there is none."""
    named = os.environ.get("STEPGRAPH_CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium once for all tests of a module, or skip them where it is missing.

    No longer than that, as Playwright keeps an event loop running in the tests' thread, in which
    other tests could not run theirs.
    """
    path = find_chromium()
    if path is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Give a function that opens an address in a fresh window.

    ``open_page(url, width=1280, dark=False, expect_errors=False)`` returns a Playwright page.
    With ``expect_errors`` the console may show failed requests, as those with a wrong token are.
    """
    troubles: list[str] = []
    contexts = []

    def opened(
        url: str, *, width: int = WIDE, dark: bool = False, expect_errors: bool = False
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        contexts.append(context)

        def only_this_machine(route: Route) -> None:
            asked = urlsplit(route.request.url)
            if asked.scheme == "file" or asked.hostname in ("127.0.0.1", "localhost", "::1"):
                route.continue_()
            else:
                troubles.append(f"asked for {route.request.url}")
                route.abort()

        def on_console(message: ConsoleMessage) -> None:
            if message.type == "error" and not expect_errors:
                troubles.append(f"console: {message.text}")

        context.route("**/*", only_this_machine)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", on_console)
        page.on("pageerror", lambda error: troubles.append(f"script: {error}"))
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not troubles, troubles


def screenshot(page: Page, name: str, *, whole: bool = True) -> Path:
    """Keep what a page looks like as test output: from top to bottom, or what is in the window.

    A part that stays in the window while the rest moves is in the wrong place on a picture of
    the whole.
    """
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    path = SCREENSHOTS / f"{name}.png"
    page.screenshot(path=path, full_page=whole)
    return path


def overflows(page: Page) -> bool:
    """Return whether a page stays wider than its window."""
    try:
        page.wait_for_function(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
    except PlaywrightTimeoutError:
        return True
    return False
