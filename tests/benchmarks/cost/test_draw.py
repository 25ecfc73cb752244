from __future__ import annotations

import pytest

from benchmarks import run_benchmark
from stepgraph.errors import UnknownNameError


def test_drawings_are_measured_and_quick() -> None:
    rows = {row["method"]: row for row in run_benchmark("draw", methods=["svg-25"]).rows}
    # The best of five; `python -m benchmarks draw` measures the rest on a quieter machine.
    assert 0 < rows["svg-25"]["seconds"] < 0.2


def test_an_unknown_measure_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="svg-500"):
        run_benchmark("draw", methods=["svg-50"])
