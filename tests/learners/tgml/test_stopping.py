from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.learners.tgml.stopping import sequence_accuracy


def _read_aloud(edges: list[list[bool]], sequences: list[tuple[int, ...]]) -> float:
    """Return the appendix's definition, word by word."""
    total = 0.0
    for steps in sequences:
        y = [0, *steps, len(edges) - 1]
        score = 0.0
        for i, node in enumerate(y):
            before = set(y[:i])
            predicted = {j for j, edge in enumerate(edges[node]) if edge}
            if not before and not predicted:
                score += 1
            elif before and predicted:
                score += len(before & predicted) / len(predicted)
        total += score / len(y)
    return total / len(sequences)


@given(st.data())
def test_it_equals_the_definition_read_aloud(data: st.DataObject) -> None:
    steps = data.draw(st.integers(1, 5))
    size = steps + 2
    edges = data.draw(
        st.lists(
            st.lists(st.booleans(), min_size=size, max_size=size), min_size=size, max_size=size
        )
    )
    orders = data.draw(st.lists(st.permutations(range(1, steps + 1)), min_size=1, max_size=4))
    sequences = [tuple(order[: data.draw(st.integers(1, steps))]) for order in orders]
    expected = _read_aloud(edges, sequences)
    assert sequence_accuracy(np.array(edges), sequences) == pytest.approx(expected)


def test_a_graph_that_every_sequence_obeys_scores_one() -> None:
    chain = np.eye(5, k=-1, dtype=bool)
    assert sequence_accuracy(chain, [(1, 2, 3)]) == 1.0
