"""Pages for browsers, served from a fixed table; a request never names a file."""

from __future__ import annotations

from importlib import resources
from types import MappingProxyType
from typing import NamedTuple


class Page(NamedTuple):
    """A file beside this module, and its media type."""

    file: str
    kind: str


PAGES = MappingProxyType(
    {
        "/": Page("dashboard.html", "text/html; charset=utf-8"),
        "/pages/dashboard.css": Page("dashboard.css", "text/css; charset=utf-8"),
        "/pages/dashboard.js": Page("dashboard.js", "text/javascript; charset=utf-8"),
        "/pages/live.js": Page("live.js", "text/javascript; charset=utf-8"),
    }
)
"""The pages of the live service, by address."""

STUDIO_PAGES = MappingProxyType(
    {
        "/": Page("studio.html", "text/html; charset=utf-8"),
        **{
            f"/pages/{name}.css": Page(f"{name}.css", "text/css; charset=utf-8")
            for name in ("dashboard", "studio", "drawing")
        },
        **{
            f"/pages/{name}.js": Page(f"{name}.js", "text/javascript; charset=utf-8")
            for name in ("studio", "drawing", "panels", "replay", "work", "live")
        },
    }
)
"""The pages of the studio, by address."""


def read_page(page: Page) -> bytes:
    """Return the content of a page."""
    return resources.files(__name__).joinpath(page.file).read_bytes()
