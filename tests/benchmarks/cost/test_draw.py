from __future__ import annotations

import pytest

from benchmarks import run_benchmark
from stepgraph.errors import UnknownNameError


def test_drawings_are_timed() -> None:
    (row,) = run_benchmark("draw", methods=["svg-25"]).rows
    assert row["method"] == "svg-25"
    assert row["seconds"] > 0
    assert row["processor"] > 0
    assert row["must"] > 0


def test_an_unknown_measure_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="svg-500"):
        run_benchmark("draw", methods=["svg-50"])
