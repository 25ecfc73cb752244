"""Inputs of many small parts: the time to read them does not grow with their square."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from stepgraph.errors import StepgraphError
from stepgraph.formats import read_demonstrations, read_graph
from stepgraph.formats.edges import read_stated_edges
from stepgraph.logs import read_log
from stepgraph.logs.xes import XesReader
from stepgraph.recognise.files import read_classes

COUNT = 30_000
SECONDS = 2.0
"""Each takes a fraction of this, and most took several times as long when they were quadratic."""
NAMES = [f"s{number}" for number in range(COUNT)]


def twins() -> str:
    """Return a known graph whose last two labels are the same."""
    return json.dumps({"steps": dict(enumerate([*NAMES, NAMES[-1]])), "edges": []})


def late() -> str:
    """Return a trace whose events and attributes take turns."""
    event = "<event/><string key='concept:name' value='{}'/>"
    return f"<log><trace>{''.join(map(event.format, NAMES))}</trace></log>"


CASES: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "classes": ("x.txt", "\n".join(NAMES), read_classes),
    "labels": ("x.json", twins(), read_graph),
    "columns": ("x.csv", ",".join(NAMES), read_demonstrations),
    "columns of a log": ("x.csv", ",".join(NAMES), read_log),
    "one statement": (
        "x.txt",
        f"must {'>' * 2 * COUNT}",
        lambda p: read_stated_edges(p, ["a", "b"]),
    ),
    "late attributes": ("x.xes", late(), lambda p: list(XesReader(p).batches())),
}


@pytest.mark.parametrize("name", CASES)
def test_many_parts_are_read_in_no_time(name: str, tmp_path: Path) -> None:
    file, text, read = CASES[name]
    path = tmp_path / file
    path.write_text(text)
    begin = time.process_time()
    with suppress(StepgraphError):
        read(path)
    assert time.process_time() - begin < SECONDS
