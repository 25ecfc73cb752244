"""The benchmark of audits."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import run_benchmark
from benchmarks.harness import MissingDataError


def test_the_audit_needs_the_data(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError):
        run_benchmark("audit", data=tmp_path)


@pytest.mark.real_data
def test_recordings_with_order_errors_are_told_from_clean_ones(data: Path) -> None:
    result = run_benchmark("audit", data=data, seeds=1)
    rows = {row["method"]: row for row in result.rows if row["source"] == "file order"}
    assert rows["audit, all slips"]["recordings_clean"] >= 0.85
    assert rows["audit"]["recordings_clean"] >= 0.85
    assert rows["audit"]["recordings_clean"] > rows["missing"]["recordings_clean"]
    assert rows["audit"]["steps"] > 3 * rows["base rate"]["steps"]
