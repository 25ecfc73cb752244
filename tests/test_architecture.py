"""The architecture page says what the imports and their contract are."""

from __future__ import annotations

import ast
import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

from tests.drawing.svg_reading import read

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "tools" / "draw_architecture.py"


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_architecture", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _layers() -> list[list[str]]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = [each["layers"] for each in contracts["contracts"] if each["type"] == "layers"]
    return [
        [name.strip().removeprefix("stepgraph.") for name in line.split("|")] for line in layers
    ]


def test_the_picture_shows_the_imports_as_they_are() -> None:
    tool = _tool()
    drawing = read(tool.PICTURE.read_text(encoding="utf-8"))
    names = [drawing.title_of(group).partition("\n")[0] for group in drawing.steps]
    shown = {(names[importer], names[imported]) for importer, imported in drawing.edges}
    assert shown == set(tool.drawn().edges), "run python -m tools.draw_architecture"


def test_every_package_is_in_the_contract_and_in_the_table() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", page, re.MULTILINE)
    layers = _layers()
    told = [(str(number), name) for number, names in enumerate(layers, 1) for name in names]
    assert rows == told
    assert {name for _, name in rows} == set(_tool().imports())


def test_no_package_imports_one_of_its_own_layer_or_above() -> None:
    layer = {name: number for number, names in enumerate(_layers()) for name in names}
    wrong = [edge for edge in _tool().imports().edges if layer[edge[0]] >= layer[edge[1]]]
    assert not wrong


PUT_OFF = {
    "benchmarks": "learners that need torch, which a benchmark may do without",
    "stepgraph.recognise": "learners that need torch",
    "stepgraph.pipeline": "learners that need torch",
    "stepgraph.graph": "numpy and networkx, which monitors do without",
    "stepgraph.formats": "numpy, which readers of text do without",
    "stepgraph.drawing": "the format that is asked for",
    "stepgraph.web": "a database's driver, which may be missing",
}
"""The packages with functions that import from stepgraph itself, and what they put off."""


def test_imports_inside_functions_put_off_what_is_heavy_and_dodge_no_layer() -> None:
    source = ROOT / "src" / "stepgraph"
    layer = {name: number for number, names in enumerate(_layers()) for name in names}
    for path in sorted(source.rglob("*.py")):
        package = path.relative_to(source).parts[0].removesuffix(".py")
        if (
            package == "cli"
        ):  # every command waits until it is called, so that help is there at once
            continue
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                    "stepgraph."
                ):
                    other = str(node.module).split(".")[1]
                    assert f"stepgraph.{package}" in PUT_OFF, f"{path}:{node.lineno}"
                    assert other == package or layer[package] < layer[other]


def test_the_contract_has_no_exception() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    for contract in contracts["contracts"]:
        assert "ignore_imports" not in contract
        assert not contract.get("exhaustive_ignores")
