"""Files that are wrong somewhere, and what reading them comes to."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import strategies as st

from stepgraph.errors import StepgraphError
from stepgraph.graph import Provenance, TaskGraph
from tests.strategies import JSON_VALUES

T = TypeVar("T")


GRAPH = TaskGraph.from_preconditions(
    {"mix": ["egg", "milk"]}, procedure="cake", provenance=Provenance("do")
)


def changed(content: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    return {**copy.deepcopy(content), key: value}


def outcome(read: Callable[[Any, str], T], content: Any) -> tuple[T | None, str]:
    """Return what was read, or nothing and the message; other errors pass."""
    try:
        return read(content, "here"), ""
    except StepgraphError as error:
        return None, str(error)


def some(value: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return value | JSON_VALUES


TEXTS = some(st.sampled_from(["a", "b", "START", "END", ""]))


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
