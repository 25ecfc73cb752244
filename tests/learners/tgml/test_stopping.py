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


def above_half(_: int, Z: np.ndarray) -> np.ndarray:
    return Z > 0.5


def plateau(target: float, patience: int) -> SequenceAccuracyPlateau:
    return SequenceAccuracyPlateau(EITHER, above_half, target=target, patience=patience)


def accuracies(rule: SequenceAccuracyPlateau, graphs: list[np.ndarray]) -> list[bool]:
    return [rule.finished(epoch, Z) for epoch, Z in enumerate(graphs, start=1)]


FREE = CHAIN.copy()
FREE[2] = FREE[0]
FREE[2, 0] = FREE[3, 1] = 1.0
"""Both orders of EITHER obey it."""


def test_the_plateau_ends_so_many_epochs_after_the_accuracy_is_perfect() -> None:
    graphs = [CHAIN, CHAIN, FREE, FREE, FREE]
    assert accuracies(plateau(0.5, 2), graphs) == [False, False, False, False, True]


def test_an_accuracy_that_stays_below_one_starts_the_wait_anew() -> None:
    assert not any(accuracies(plateau(0.5, 2), [CHAIN] * 9))


def test_a_worse_accuracy_counts_as_waiting() -> None:
    assert accuracies(plateau(0.5, 2), [FREE, CHAIN, CHAIN]) == [False, False, True]


def test_without_patience_the_first_accuracy_above_the_target_ends_it() -> None:
    assert accuracies(plateau(0.8, 0), [CHAIN, FREE]) == [True, True]
    assert accuracies(plateau(0.9, 0), [CHAIN, FREE]) == [False, True]


def test_the_target_must_be_exceeded() -> None:
    accuracy = sequence_accuracy(CHAIN > 0.5, EITHER)
    assert not plateau(accuracy, 0).finished(1, CHAIN)


def test_it_does_not_end_before_the_first_epoch() -> None:
    assert not plateau(0.5, 0).finished(0, FREE)


def test_a_graph_with_a_cycle_does_not_count() -> None:
    rule = SequenceAccuracyPlateau(EITHER, lambda *_: None, target=0.1, patience=0)
    assert not rule.finished(1, CHAIN)


def test_a_repeated_step_is_judged_each_time_by_all_that_came_before() -> None:
    # START, 2 (lacks 1), 1, 2 (has 1), END
    assert sequence_accuracy(CHAIN > 0.5, [(2, 1, 2)]) == pytest.approx(4 / 5)
