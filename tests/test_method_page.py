"""The pictures that explain the method are what the tool draws today."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from tests.drawing.svg_reading import Read, read

ROOT = Path(__file__).parent.parent


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_method", ROOT / "tools" / "draw_method.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _named_edges(drawing: Read) -> set[tuple[str, str]]:
    names = [drawing.title_of(group).partition("\n")[0] for group in drawing.steps]
    return {(names[step], names[needed]) for step, needed in drawing.edges}


def test_the_pictures_show_what_is_learned_today() -> None:
    tool = _tool()
    for name, svg in tool.drawings().items():
        kept = read((tool.FOLDER / name).read_text(encoding="utf-8"))
        assert _named_edges(kept) == _named_edges(read(svg)), f"{name}: run tools/draw_method.py"


def test_the_page_shows_every_picture() -> None:
    page = (ROOT / "docs" / "method.md").read_text()
    for name in _tool().drawings():
        assert f"(pictures/{name})" in page
