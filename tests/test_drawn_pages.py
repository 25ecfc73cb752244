"""The pictures that explain the method and the rules are what the tools draw today."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.drawing.svg_reading import Read, read

ROOT = Path(__file__).parent.parent
each_page = pytest.mark.parametrize(
    ("script", "page"), [("draw_method", "method.md"), ("draw_rules", "graphs-mean.md")]
)


def _tool(script: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(script, ROOT / "tools" / f"{script}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _shown(drawing: Read) -> tuple[set[tuple[str, str]], list[tuple[str, list[str]]]]:
    """Return the edges and the rules of a drawing, by name."""
    names = [drawing.title_of(group).partition("\n")[0] for group in drawing.steps]
    edges = {(names[step], names[needed]) for step, needed in drawing.edges}
    return edges, [(rule.word, [names[node] for node in rule.nodes]) for rule in drawing.rules]


@each_page
def test_the_pictures_show_what_is_drawn_today(script: str, page: str) -> None:
    tool = _tool(script)
    for name, svg in tool.drawings().items():
        kept = read((tool.FOLDER / name).read_text(encoding="utf-8"))
        assert _shown(kept) == _shown(read(svg)), f"{page}, {name}: run tools/{script}.py"


@each_page
def test_the_page_shows_every_picture(script: str, page: str) -> None:
    text = (ROOT / "docs" / page).read_text()
    for name in _tool(script).drawings():
        assert f"(pictures/{name})" in text
