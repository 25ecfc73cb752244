from __future__ import annotations

import tracemalloc

import pytest

from benchmarks import run_benchmark
from benchmarks.cost import speed
from benchmarks.cost.speed import do_with_epochs, random_orders
from stepgraph.errors import UnknownNameError
from stepgraph.sequences import Demonstrations
from tests.operations import calls


def epoch_calls(given: Demonstrations) -> int:
    """Return how many functions an epoch calls, without what is done once."""
    one, five = do_with_epochs(1), do_with_epochs(5)
    one.learn(given)
    return (calls(lambda: five.learn(given)) - calls(lambda: one.learn(given))) // 4


def memory(given: Demonstrations) -> int:
    """Return the memory of one epoch, which is what its array operations go through."""
    tracemalloc.start()
    try:
        do_with_epochs(1).learn(given)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("small", "large", "most"),
    [((25, 25, 500), (25, 25, 1000), 2.2), ((20, 20, 500), (200, 20, 500), 6)],
    ids=["twice the sequences", "ten times the nodes"],
)
def test_an_epoch_grows_no_faster_than_the_sequences_and_far_slower_than_the_nodes_squared(
    small: tuple[int, int, int], large: tuple[int, int, int], most: float
) -> None:
    before, after = random_orders(*small), random_orders(*large)
    assert epoch_calls(after) < 1.5 * epoch_calls(before)
    assert memory(after) < most * memory(before)


@pytest.mark.parametrize(
    "measure", ["double-sequences", "tenfold-nodes", "fourfold-parts", "robust-25x16"]
)
def test_a_ratio_comes_with_both_times_and_what_it_must_be(
    measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speed, "REPEATS", 1)
    monkeypatch.setattr(speed, "PARTS", 100)
    monkeypatch.setattr(speed, "LEAST_SECONDS", 0.0)
    (row,) = run_benchmark("speed", methods=[measure]).rows
    assert row["ratio"] == pytest.approx(row["seconds"] / row["reference_seconds"])
    assert row["must"]


def test_an_unknown_measure_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="tenfold-nodes"):
        run_benchmark("speed", methods=["tenfold-node"])
