from __future__ import annotations

import pytest

from benchmarks import run_benchmark
from stepgraph.errors import UnknownNameError


def test_a_hundred_recordings_are_timed_and_brute_force_agrees() -> None:
    result = run_benchmark("alignment", methods=["swaps-100x25", "brute-force"])
    swaps, brute_force = result.rows
    assert swaps["seconds"] > 0
    assert swaps["cost"] > 100  # the swaps do break the order
    assert brute_force["share_equal"] == 1


def test_an_unknown_measure_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="swaps-100x25"):
        run_benchmark("alignment", methods=["swaps-100x2"])
