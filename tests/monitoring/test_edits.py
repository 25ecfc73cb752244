from __future__ import annotations

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from stepgraph.monitoring.edits import align, edit_score

WORDS = st.text("abc", max_size=7)


@cache
def edits(left: str, right: str) -> int:
    """Return the edit distance by its definition."""
    if not left or not right:
        return len(left) + len(right)
    return min(
        edits(left[1:], right[1:]) + (left[0] != right[0]),
        edits(left[1:], right) + 1,
        edits(left, right[1:]) + 1,
    )


@given(WORDS, WORDS)
def test_an_alignment_holds_every_place_once_in_order_with_the_fewest_edits(
    true: str, recognised: str
) -> None:
    pairs = align(true, recognised)
    assert [left for left, _ in pairs if left is not None] == list(range(len(true)))
    assert [right for _, right in pairs if right is not None] == list(range(len(recognised)))
    cost = sum(
        left is None or right is None or true[left] != recognised[right] for left, right in pairs
    )
    assert cost == edits(true, recognised)


def test_the_score_is_1_for_equal_and_0_for_entirely_different_sequences() -> None:
    assert edit_score("ab", "ab") == edit_score("", "") == 1
    assert edit_score("aa", "bb") == edit_score("", "b") == 0
