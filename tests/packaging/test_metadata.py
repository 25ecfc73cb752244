"""What the project's files say of it agrees."""

from __future__ import annotations

import re

import yaml
from packaging.utils import canonicalize_name

from stepgraph import __version__
from tests.packaging.declared import ROOT, brought_along, project, requirements, without_cards


def citation() -> dict[str, object]:
    """Return what the citation file says."""
    read: dict[str, object] = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    return read


def test_the_citation_file_names_the_version_and_the_licence() -> None:
    assert citation()["version"] == __version__
    assert citation()["license"] == project()["license"]


def test_the_citation_file_has_the_fields_that_its_format_requires() -> None:
    cited = citation()
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    paper = cited["preferred-citation"]
    assert isinstance(paper, dict)
    assert {"type", "title", "authors"} <= set(paper)
    assert str(paper["url"]) in (ROOT / "README.md").read_text()


def test_the_changelog_begins_with_this_version_or_what_comes_before_it() -> None:
    headings = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert next(heading for heading in headings if heading != "Unreleased") == __version__
    assert "Unreleased" not in headings[1:]


def test_every_python_from_the_oldest_to_the_newest_is_declared() -> None:
    declared = project()
    pythons = [
        line.rpartition(" :: ")[2]
        for line in declared["classifiers"]
        if line.startswith("Programming Language :: Python :: 3.")
    ]
    assert pythons == ["3.11", "3.12", "3.13", "3.14"]
    assert declared["requires-python"] == f">={pythons[0]}"


def listed_in(name: str) -> set[str]:
    """Return the packages that a file of requirements names."""
    lines = (ROOT / name).read_text().splitlines()
    return {re.split(r"[\[<>=;]", line)[0] for line in lines if line and not line.startswith("#")}


def test_make_sets_up_every_extra() -> None:
    makefile = (ROOT / "Makefile").read_text()
    (setup,) = re.findall(r"editable '\.\[([^\]]+)\]' --requirement", makefile)
    chosen, extras = set(setup.split(",")), requirements()
    for extra in set(extras) - {""} - chosen:  # put together by hand, to leave out what is unused
        alone = set(re.findall(r"--no-deps (\S+)", makefile)) | listed_in("requirements-dev.txt")
        brought = {line.name for other in chosen for line in extras[other]}
        assert {line.name for line in extras[extra]} <= alone | brought


def test_every_requirement_is_pinned_for_make() -> None:
    pinned = {name.lower() for name in listed_in("constraints.txt")}
    declared = {line.name for lines in requirements().values() for line in lines}
    tools = listed_in("requirements-dev.txt") | listed_in("requirements-docs.txt")
    assert declared | tools <= pinned


def test_what_is_brought_along_is_pinned_for_make() -> None:
    text = (ROOT / "constraints.txt").read_text()
    pinned = {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)}
    needed = brought_along(line for lines in requirements().values() for line in lines)
    assert without_cards(needed) <= pinned
