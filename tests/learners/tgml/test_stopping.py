from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.learners.tgml.stopping import SequenceAccuracyPlateau, sequence_accuracy


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


CHAIN = np.eye(4, k=-1)
EITHER = [(1, 2), (2, 1)]


def accuracies(rule: SequenceAccuracyPlateau, graphs: list[np.ndarray]) -> list[bool]:
    return [rule.finished(epoch, Z) for epoch, Z in enumerate(graphs, start=1)]


def test_the_plateau_ends_so_many_epochs_after_the_last_improvement() -> None:
    free = CHAIN.copy()
    free[2] = free[0]
    free[2, 0] = free[3, 1] = 1.0
    graphs = [CHAIN, CHAIN, free, free, free]
    rule = SequenceAccuracyPlateau(EITHER, target=0.5, patience=2)
    assert accuracies(rule, graphs) == [False, False, False, False, True]
    at_once = SequenceAccuracyPlateau(EITHER, target=0.5, patience=0)
    assert at_once.finished(1, CHAIN)


def test_the_plateau_waits_for_its_target() -> None:
    below = SequenceAccuracyPlateau(EITHER, target=0.9, patience=1)
    assert accuracies(below, [CHAIN] * 5) == [False] * 5


def test_a_graph_with_a_cycle_does_not_count() -> None:
    cycle = CHAIN.copy()
    cycle[1, 2] = 1.0
    rule = SequenceAccuracyPlateau([(1, 2)], target=0.1, patience=0)
    assert not rule.finished(1, cycle)
    assert rule.finished(2, CHAIN)


def test_the_edges_that_weights_stand_for_can_be_made_another_way() -> None:
    rule = SequenceAccuracyPlateau([(1, 2)], target=1.0, patience=0, graph_of=lambda _: CHAIN > 0)
    assert rule.finished(1, np.zeros((4, 4)))
