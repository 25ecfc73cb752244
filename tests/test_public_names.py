"""What `import stepgraph` offers, and what it costs."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import stepgraph


def loaded_by(statement: str) -> set[str]:
    """Return the top-level packages that a statement loads in a fresh Python."""
    code = f"{statement}\nimport sys\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(ran.stdout.split())


def test_the_exported_names_are_those_that_have_a_home() -> None:
    assert sorted(stepgraph.__all__) == sorted([*stepgraph._HOMES, "__version__"])
    assert dir(stepgraph) == sorted(stepgraph.__all__)


def test_type_checkers_see_the_names_that_programs_see() -> None:
    tree = ast.parse(inspect.getsource(stepgraph))
    checking = next(
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    seen = {
        alias.name: node.module
        for node in checking.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == stepgraph._HOMES


@pytest.mark.parametrize("name", stepgraph._HOMES)
def test_every_name_is_the_one_in_its_home_and_is_documented(name: str) -> None:
    value = getattr(stepgraph, name)
    assert value is getattr(importlib.import_module(stepgraph._HOMES[name]), name)
    assert inspect.getdoc(value)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'stepgraph' has no attribute 'learm'"):
        _ = stepgraph.learm


def test_the_version_is_a_version() -> None:
    assert all(part.isdigit() for part in stepgraph.__version__.split(".")[:2])


@pytest.mark.parametrize(
    "statement",
    [
        "import stepgraph",
        "import stepgraph.graph",
        "import stepgraph.monitoring",
        "import stepgraph.formats",
        "import stepgraph; stepgraph.TaskGraph; stepgraph.find_violations; stepgraph.save_graph",
    ],
)
def test_graphs_and_monitors_load_no_large_library(statement: str) -> None:
    loaded = loaded_by(statement)
    assert "stepgraph" in loaded
    assert not loaded & {"numpy", "networkx", "torch", "scipy", "rich"}


@pytest.mark.parametrize(
    "statement",
    [
        "import stepgraph.pipeline",
        "import stepgraph.evaluation",
        "import stepgraph; stepgraph.learn",
    ],
)
def test_torch_is_not_loaded_before_a_method_needs_it(statement: str) -> None:
    loaded = loaded_by(statement)
    assert "stepgraph" in loaded
    assert not loaded & {"torch", "scipy"}


def packages() -> list[str]:
    return sorted(
        module.name
        for module in pkgutil.iter_modules(stepgraph.__path__, "stepgraph.")
        if module.ispkg and module.name != "stepgraph.cli"
    )


@pytest.mark.parametrize("package", packages())
def test_every_name_that_a_package_exports_is_there_and_documented(package: str) -> None:
    module = importlib.import_module(package)
    assert inspect.getdoc(module)
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name
