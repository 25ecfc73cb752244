"""The benchmark of attributes."""

from __future__ import annotations

import pytest

from benchmarks import run_benchmark


def test_learned_attributes_are_more_precise_than_calling_everything_optional(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("benchmarks.graphs.attributes.RATES", (0.2,))
    monkeypatch.setattr("benchmarks.graphs.attributes.COUNTS", (8, 32))
    result = run_benchmark("attributes", seeds=1)
    for row in result.rows:
        if row["method"] == "learned" and row["condition"] == "20% errors":
            control = next(
                other
                for other in result.rows
                if other["method"] != "learned"
                and (other["condition"], other["recordings"])
                == (row["condition"], row["recordings"])
            )
            assert row["optional"]["precision"] > control["optional"]["precision"]
    shipped = result.rows[-2]
    for kind in ("optional", "repeatable"):
        assert (shipped[kind]["precision"], shipped[kind]["recall"]) == (1.0, 1.0)
