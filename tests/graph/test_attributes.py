from __future__ import annotations

from typing import Any

import pytest

from stepgraph.errors import GraphError
from stepgraph.graph.attributes import EXAMPLES, EdgeEvidence, StepAttributes


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
@pytest.mark.parametrize("name", ["done", "repeated"])
def test_a_share_that_is_none_is_refused(name: str, share: float) -> None:
    shares: dict[str, Any] = {"done": 1.0, "repeated": 0.0, name: share}
    with pytest.raises(GraphError, match=f"the share '{name}'"):
        StepAttributes(**shares)


@pytest.mark.parametrize("count", [-1, float("inf"), float("nan")])
@pytest.mark.parametrize("name", ["held", "broken", "silent"])
def test_a_count_that_is_none_is_refused(name: str, count: float) -> None:
    counts: dict[str, Any] = {"held": 1.0, "broken": 1.0, "silent": 1.0, name: count}
    with pytest.raises(GraphError, match=name):
        EdgeEvidence(**counts)


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_a_probability_that_is_none_is_refused(probability: float) -> None:
    with pytest.raises(GraphError, match="the probability of an edge"):
        EdgeEvidence(1, 0, 0, probability=probability)


@pytest.mark.parametrize(
    ("broken", "probability", "doubtful"),
    [(1, 0.49, True), (1, 0.5, False), (0, 0.1, False), (1, None, False), (0.5, 0.0, True)],
)
def test_what_recordings_break_and_is_improbable_is_doubtful(
    broken: float, probability: float | None, doubtful: bool
) -> None:
    assert EdgeEvidence(3, broken, 0, probability=probability).doubtful is doubtful


def test_only_some_recordings_are_named() -> None:
    evidence = EdgeEvidence(100, 0, 0, tuple(map(str, range(100))))
    assert len(evidence.held_in) == EXAMPLES
    assert evidence.held == 100
