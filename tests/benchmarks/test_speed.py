from __future__ import annotations

import pytest

from tgml.benchmarks import run_benchmark
from tgml.errors import UnknownNameError


def test_an_epoch_grows_no_faster_than_the_sequences_and_far_slower_than_the_nodes() -> None:
    result = run_benchmark("speed", methods=["double-sequences", "tenfold-nodes"])
    ratios = {row["method"]: row["ratio"] for row in result.rows}
    # A little more than `tgml bench speed` asks for, as tests share the machine.
    assert 0 < ratios["double-sequences"] < 2.8
    assert 0 < ratios["tenfold-nodes"] < 4


def test_an_unknown_measure_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="tenfold-nodes"):
        run_benchmark("speed", methods=["tenfold-node"])
