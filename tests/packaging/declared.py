"""What the project says of itself in `pyproject.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

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
