"""All targets, found by name; their modules are imported when they are needed.

Some need torch, others a server, and the guided side has to see each import.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from tests.fuzz.target import Target

HOMES = ("recordings", "graphs", "logs", "sessions", "networks", "web")
"""The modules of this package that have targets."""


def targets_of(home: str) -> Mapping[str, Target]:
    """Return the targets of one module."""
    found: Mapping[str, Target] = import_module(f"tests.fuzz.{home}").TARGETS
    return found


def all_targets() -> dict[str, Target]:
    """Return all targets by name."""
    return {name: target for home in HOMES for name, target in targets_of(home).items()}


def find_target(name: str) -> Target:
    """Return one target, with as few imports as possible."""
    for home in HOMES:
        if name in targets_of(home):
            return targets_of(home)[name]
    raise SystemExit(f"there is no target {name!r}; of {', '.join(all_targets())}")
