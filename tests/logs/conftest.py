from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from stepgraph.sequences import Demonstrations

pytest.importorskip("duckdb")

Put = Callable[[str, str], str]

TEA = """case id,activity,timestamp
1,boil,2024-05-01 10:00:00
1,pour,2024-05-01 10:02:00
2,pour,2024-05-02 09:05:00
2,boil,2024-05-02 09:00:00
3,pour,2024-05-03 08:00:00
3,boil,2024-05-03 08:01:00
"""
"""Three recordings: two boil and pour, the second in the wrong order of rows, one pours first."""


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write a file, compressed where its name says so, and return its path."""

    def write(name: str, content: str) -> str:
        path = tmp_path / name
        data = content.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return str(path)

    return write


@pytest.fixture
def tea(put: Put) -> str:
    return put("tea.csv", TEA)


def variants(given_: Demonstrations) -> dict[tuple[str, ...], float]:
    """Return how many recordings show each order."""
    return {given_.names(sequence): sequence.weight for sequence in given_}
