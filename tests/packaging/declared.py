"""What the project says of itself in `pyproject.toml`, and what that brings along."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent.parent


def project() -> dict[str, Any]:
    """Return the `[project]` table."""
    declared: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return declared


def requirements() -> dict[str, list[Requirement]]:
    """Return what must be installed for each extra; what is always needed stands under ``""``."""
    declared = project()
    extras = {"": declared["dependencies"], **declared["optional-dependencies"]}
    return {extra: [Requirement(line) for line in lines] for extra, lines in extras.items()}


def brought_along(asked_for: Iterable[Requirement]) -> set[str]:
    """Return all packages that some requirements bring, as far as they are installed here."""
    found: set[str] = set()
    seen: set[tuple[str, frozenset[str]]] = set()
    todo = list(asked_for)
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        one = name, frozenset(requirement.extras)
        if one in seen or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        seen.add(one)
        try:
            more = requires(name) or []
        except PackageNotFoundError:
            continue  # not for this platform
        found.add(name)
        extras = [{"extra": extra} for extra in requirement.extras] or [{"extra": ""}]
        for line in map(Requirement, more):
            if line.marker is None or any(map(line.marker.evaluate, extras)):
                line.marker = None
                todo.append(line)
    return found


def without_cards(names: set[str]) -> set[str]:
    """Leave out what torch's builds for graphics cards bring; the CPU build is what is pinned."""
    return {name for name in names if not name.startswith(("nvidia-", "cuda-", "triton"))}
