"""The page of licences lists what is used, and what the packages say of themselves."""

from __future__ import annotations

import re
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
    if expressions := told.get_all("License-Expression"):
        return str(expressions[0])
    classifiers = [
        line for line in told.get_all("Classifier") or [] if line.startswith("License ::")
    ]
    if classifiers:
        return "\n".join(classifiers)
    return str((told.get_all("License") or [""])[0]).partition("\n")[0]


def test_the_page_lists_what_each_extra_asks_for() -> None:
    wanted = {extra: set().union(*map(asked_for, lines)) for extra, lines in requirements().items()}
    found = {extra: set(rows) for extra, rows in listed().items() if extra != BROUGHT}
    assert found == wanted


def test_the_page_lists_what_is_brought_along() -> None:
    needed = brought_along(line for lines in requirements().values() for line in lines)
    names = without_cards(needed)
    own = {canonicalize_name(name) for rows in listed().values() for name in rows}
    assert names <= own


@pytest.mark.parametrize("package", sorted({name for rows in listed().values() for name in rows}))
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
