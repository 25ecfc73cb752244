"""The page's own files."""

from __future__ import annotations

import re

from stepgraph.drawing.themes import DARK, LIGHT
from stepgraph.web.pages import STUDIO_PAGES, read_page


def test_the_style_sheet_has_the_colours_of_drawings() -> None:
    text = read_page(STUDIO_PAGES["/pages/drawing.css"]).decode()
    light, dark = text.split("prefers-color-scheme: dark", 1)
    for theme, part in ((LIGHT, light), (DARK, dark)):
        found = dict(re.findall(r"--stepgraph-([a-z-]+): (#[0-9a-f]{6});", part))
        expected = {
            name.replace("_", "-"): getattr(theme, name)
            for name in theme.__dataclass_fields__
            if name != "style"
        }
        assert found == expected


def test_every_file_that_a_page_asks_for_is_served() -> None:
    for page in STUDIO_PAGES.values():
        text = read_page(page).decode()
        for name in re.findall(r'(?:href|src)="(/pages/[^"]+)"', text):
            assert name in STUDIO_PAGES
        for name in re.findall(r'from "\./([a-z.]+)"', text):
            assert f"/pages/{name}" in STUDIO_PAGES
