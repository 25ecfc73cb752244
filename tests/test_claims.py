"""The page of claims names tests that there are, for every page that claims something."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "claims.md"
NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")
NO_CLAIMS = {"index.md", "architecture.md", "glossary.md", "licences.md", "claims.md"}
"""Pages that promise nothing in general, or have tests of their own."""
TOLD_ELSEWHERE = {"tutorial.md", "reproducing.md", "scaling.md"}
"""Pages of commands that are run, or of figures that a tool writes."""


@cache
def defined_in(path: Path) -> frozenset[str]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef))


def rows() -> list[str]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("| ") and not line.startswith("| claim")]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[2:40])
def test_every_claim_has_tests_that_exist(row: str) -> None:
    named = NAMED.findall(row)
    assert named, "no test is named"
    for file, name in named:
        assert name in defined_in(TESTS / file), f"{file} has no {name}"


def test_every_page_that_claims_something_is_there() -> None:
    listed = set(re.findall(r"^## \[.*\]\((.*)\)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    pages = {path.name for path in PAGE.parent.glob("*.md")}
    assert pages - NO_CLAIMS - TOLD_ELSEWHERE <= listed
    assert all((PAGE.parent / page).is_file() for page in listed)
