from __future__ import annotations

import pytest

from benchmarks import run_benchmark
from stepgraph.errors import UnknownNameError


def test_a_step_takes_microseconds_and_no_longer_in_a_long_stream() -> None:
    rows = {row["method"]: row for row in run_benchmark("monitor").rows}
    # Generous, as tests share the machine; `python -m benchmarks monitor` measures the real ones.
    assert 0 < rows["monitor-25"]["microseconds"] < 60
    assert 0 < rows["monitor-90-dense"]["microseconds"] < 150
    assert 0 < rows["monitor-flat"]["ratio"] < 4


def test_an_unknown_measure_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="monitor-flat"):
        run_benchmark("monitor", methods=["monitor-flt"])
