from __future__ import annotations

import pytest

from benchmarks import run_benchmark
from benchmarks.generators import problems
from benchmarks.recognition import monitor_uncertain
from stepgraph.errors import UnknownNameError


def test_through_a_recogniser_calibration_keeps_false_alarms_near_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(monitor_uncertain, "RATES", (0.0, 0.2))
    monkeypatch.setattr(problems, "SIZES", (8, 12))
    result = run_benchmark("monitor-uncertain", seeds=2)
    rows = {(row["method"], row["error_rate"]): row for row in result.rows}
    # A recogniser that never errs makes no difference.
    assert all(rows[method, 0.0]["f1"] == 1 for method in monitor_uncertain.METHODS)
    plain = rows["monitor", 0.2]["false_alarms_per_recording"]
    for method in ("uncertain", "uncertain-calibrated", "uncertain-revised"):
        assert rows[method, 0.2]["false_alarms_per_recording"] < plain / 1.5
    assert (
        rows["uncertain-revised", 0.2]["average_precision"]
        > (rows["monitor", 0.2]["average_precision"])
    )


def test_an_unknown_method_is_said() -> None:
    with pytest.raises(UnknownNameError, match="certain"):
        run_benchmark("monitor-uncertain", methods=["certain"])
