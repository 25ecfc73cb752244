"""Average precision."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import SettingError
from stepgraph.evaluation import average_precision

ENTRIES = st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=1, max_size=12).filter(
    lambda entries: any(wrong for wrong, _ in entries)
)


@given(ENTRIES, st.randoms(use_true_random=False))
def test_the_order_of_equal_scores_does_not_matter(
    entries: list[tuple[bool, int]], rng: object
) -> None:
    shuffled = list(entries)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    first = average_precision([w for w, _ in entries], [s for _, s in entries])
    assert first == pytest.approx(
        average_precision([w for w, _ in shuffled], [s for _, s in shuffled])
    )
    assert 0 < first <= 1 + 1e-12


def test_all_that_is_wrong_on_top_is_perfect() -> None:
    assert average_precision([False, True, True], [0.1, 0.8, 0.9]) == 1


def test_scores_that_say_nothing_have_the_base_rate() -> None:
    assert average_precision([True, False, False, False], [3, 3, 3, 3]) == 0.25


@pytest.mark.parametrize(
    ("wrong", "scores", "message"),
    [([False], [1.0], "none of the entries"), ([True], [1.0, 2.0], "2 scores came for 1")],
)
def test_what_has_no_answer_is_refused(
    wrong: list[bool], scores: list[float], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        average_precision(wrong, scores)
