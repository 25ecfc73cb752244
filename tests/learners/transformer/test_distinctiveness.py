from __future__ import annotations

import math

import pytest
import torch

from stepgraph.learners.transformer.distinctiveness import distinctiveness


def reference(nodes: list[list[float]]) -> float:
    """Return the cross-entropy of cosine similarities times exp(0.9), in plain Python."""
    unit = [[x / math.hypot(*row) for x in row] for row in nodes]
    total = 0.0
    for i, row in enumerate(unit):
        similar = [math.exp(0.9) * sum(map(math.prod, zip(row, o, strict=True))) for o in unit]
        total -= similar[i] - math.log(sum(map(math.exp, similar)))
    return total / len(nodes)


def test_it_equals_a_plain_reference_and_ignores_padding() -> None:
    nodes = [[1.0, 2.0, -1.0], [0.5, -1.0, 3.0], [2.0, 0.1, 0.4]]
    padded = torch.tensor([[*nodes, [9.0, 9.0, 9.0]]])
    mask = torch.tensor([[True, True, True, False]])
    assert distinctiveness(padded, mask).item() == pytest.approx(reference(nodes), abs=1e-5)


def test_it_is_least_for_vectors_that_point_apart() -> None:
    mask = torch.ones(1, 3, dtype=torch.bool)
    apart, close = torch.eye(3)[None], torch.eye(3)[None] + 1.0
    assert distinctiveness(apart, mask) < distinctiveness(close, mask)
