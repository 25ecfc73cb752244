from __future__ import annotations

import pytest

from benchmarks import run_benchmark
from stepgraph.errors import UnknownNameError


def test_a_hundred_recordings_take_a_moment_and_brute_force_agrees() -> None:
    result = run_benchmark("alignment", methods=["swaps-100x25", "brute-force"])
    swaps, brute_force = result.rows
    # Generous, as tests share the machine; `python -m benchmarks alignment` measures the real one.
    assert 0 < swaps["seconds"] < 1
    assert swaps["cost"] > 100  # the swaps do break the order
    assert brute_force["share_equal"] == 1


def test_an_unknown_measure_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="swaps-100x25"):
        run_benchmark("alignment", methods=["swaps-100x2"])
