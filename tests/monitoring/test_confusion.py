from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FormatError, SettingError, UnknownNameError
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Confusion
from stepgraph.monitoring.confusion import edit_alignment, edit_score

MIX = TaskGraph.from_preconditions({"mix": ["egg", "milk"]})


def test_an_error_rate_is_a_third_each_missed_confused_and_made_up() -> None:
    confusion = Confusion.even(["a", "b", "c"], 0.3)
    assert confusion.missed == pytest.approx([0.1] * 3)
    assert confusion.seen[0] == pytest.approx([0.8, 0.05, 0.05])
    assert confusion.spurious == pytest.approx(0.1)


def test_a_recogniser_of_one_step_takes_it_for_no_other() -> None:
    assert Confusion.even(["a"], 0.3).seen[0] == pytest.approx([0.9])


def test_lists_make_the_same_confusion_as_tuples() -> None:
    of_lists = Confusion(["a", "b"], [[1, 0], [0, 1]])  # type: ignore[arg-type]
    assert of_lists == Confusion(("a", "b"), ((1, 0), (0, 1)))
    assert hash(of_lists) == hash(Confusion(("a", "b"), ((1, 0), (0, 1))))


@pytest.mark.parametrize("smoothing", [1.0, 2.0])
def test_a_few_recordings_lean_on_the_mean_of_all_steps(smoothing: float) -> None:
    # 'a' and 'c' are always seen, 'b' is missed once and made up once.
    pairs = [(["a", "b", "c"], ["a", "c"]), (["a"], ["a", "b"])]
    found = Confusion.estimate(pairs, ["a", "b", "c"], smoothing=smoothing)
    right, wrong = (3 + 1) / (4 + 3), 1 / (4 + 3) / 2
    other = smoothing * wrong
    expected = [
        [(2 + smoothing * right) / (2 + smoothing), *[other / (2 + smoothing)] * 2],
        [other / (1 + smoothing), smoothing * right / (1 + smoothing), other / (1 + smoothing)],
        [*[other / (1 + smoothing)] * 2, (1 + smoothing * right) / (1 + smoothing)],
    ]
    for row, expected_row in zip(found.seen, expected, strict=True):
        assert row == pytest.approx(expected_row)
    assert found.spurious == pytest.approx((1 + 1) / (4 + 2))
    assert found.made_up == pytest.approx([1 / 6, 2 / 3, 1 / 6])
    if smoothing == 1:
        assert found == Confusion.estimate(pairs, ["a", "b", "c"])


def test_a_step_never_done_is_taken_to_be_seen_as_the_mean_of_all() -> None:
    found = Confusion.estimate([(["a"], ["a"])], ["a", "b"])  # one right, and one of each kind
    assert found.seen[1] == pytest.approx([0.25, 0.5])
    assert found.missed[1] == pytest.approx(0.25)


@pytest.mark.parametrize("smoothing", [0, -1, float("nan")])
def test_estimates_must_lean_on_the_mean_a_little(smoothing: float) -> None:
    with pytest.raises(SettingError, match="smoothing"):
        Confusion.estimate([(["a"], ["a"])], ["a"], smoothing=smoothing)


def test_shares_that_sum_to_one_but_for_rounding_are_accepted() -> None:
    rounded = Confusion(("a", "b"), ((0.5, 0.5000004), (0, 1)), 0.1, (0.5, 0.5000004))
    assert rounded.missed == (0.0, 0.0)


def test_estimates_come_near_the_errors_that_made_the_recordings() -> None:
    true = Confusion(("a", "b", "c"), ((0.7, 0.2, 0), (0, 0.9, 0), (0, 0, 1)), 0.1, (0, 0, 1))
    rng = random.Random(0)
    orders = [rng.sample("abc", 3) for _ in range(2000)]
    found = Confusion.estimate([(order, true.recognise(order, rng)) for order in orders], "abc")
    assert found.seen[0] == pytest.approx([0.7, 0.2, 0], abs=0.06)
    assert found.missed == pytest.approx([0.1, 0.1, 0], abs=0.06)
    assert found.spurious == pytest.approx(0.1, abs=0.05)
    assert found.made_up[2] > 0.6


def test_what_was_never_seen_to_happen_stays_possible() -> None:
    found = Confusion.estimate([(["a"], ["a"])], ["a", "b"])
    assert min(min(row) for row in found.seen) > 0
    assert min(found.missed) > 0
    assert 0 < found.spurious < 1


def test_a_trace_tells_where_each_observation_comes_from() -> None:
    confusion = Confusion(("a", "b"), ((1, 0), (0, 0)), 0.5, (0, 1))
    trace = confusion.trace(["a", "b", "a"], random.Random(0))
    assert [name for name, source in trace if source is not None] == ["a", "a"]
    assert {source for _, source in trace} == {None, 0, 2}


def test_a_file_holds_a_confusion(tmp_path: Path) -> None:
    confusion = Confusion.estimate([(["a", "b"], ["b"])], ["a", "b"])
    confusion.save(tmp_path / "c.json")
    assert Confusion.read(tmp_path / "c.json") == confusion


def test_a_file_that_says_nothing_of_made_up_steps_has_none() -> None:
    content = Confusion(("a", "b"), ((1, 0), (0, 1))).to_json()
    del content["spurious"], content["made_up"]
    assert Confusion.from_json(content) == Confusion(("a", "b"), ((1, 0), (0, 1)))


def test_steps_may_come_in_another_order_than_the_graphs() -> None:
    confusion = Confusion(("milk", "mix", "egg"), ((0.5, 0.4, 0.1), (0, 1, 0), (0, 0, 1)))
    own = confusion.for_graph(MIX)
    assert own.steps == MIX.steps
    milk, mix = MIX.steps.index("milk"), MIX.steps.index("mix")
    assert (own.seen[milk][milk], own.seen[milk][mix]) == (0.5, 0.4)


@pytest.mark.parametrize("steps", [("egg", "milk"), ("egg", "milk", "mix", "fly")])
def test_a_matrix_of_other_steps_than_the_graphs_is_refused(steps: tuple[str, ...]) -> None:
    with pytest.raises(FormatError, match="expected the same steps"):
        Confusion.even(steps, 0.1).for_graph(MIX)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seen": [[1, 0]]}, "1 rows of 2 numbers; expected 2 rows of 2"),
        ({"seen": [[1], [0, 1]]}, "2 rows of 1 or 2 numbers"),
        ({"seen": [[0.9, 0.2], [0, 1]]}, "row of 'a'.*sum to 1.1"),
        ({"seen": [[-0.1, 0], [0, 1]]}, "row of 'a'"),
        ({"seen": [["x", 0], [0, 1]]}, "expected numbers"),
        ({"seen": [[10**400, 0], [0, 1]]}, "expected numbers"),
        ({"seen": None}, "'seen' is None"),
        ({"steps": ["a", "a"]}, "different names"),
        ({"steps": "ab"}, "list of names"),
        ({"steps": ["a", 1]}, "list of names"),
        ({"spurious": 1}, "'spurious' is 1"),
        ({"spurious": -0.1}, "'spurious' is -0.1"),
        ({"made_up": [1]}, "'made_up' has 1 numbers"),
        ({"made_up": [0.3, 0.3]}, "'made_up' has 2 numbers that sum to 0.6"),
        ({"made_up": [1.5, -0.5]}, "'made_up' of the confusion matrix has numbers from -0.5"),
        ({"version": 99}, "99"),
        ({"format": "stepgraph-graph"}, "stepgraph-confusion"),
    ],
)
def test_a_file_that_holds_no_confusion_is_refused(change: dict[str, Any], message: str) -> None:
    content = Confusion.even(["a", "b"], 0.1).to_json() | change
    with pytest.raises(FormatError, match=f"c.json: .*{message}"):
        Confusion.from_json(content, "c.json")


def test_steps_that_are_none_of_its_own_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'milk'"):
        Confusion.estimate([(["milkk"], ["milk"])], ["milk"])
    with pytest.raises(UnknownNameError, match="fly"):
        Confusion.even(["milk"], 0.1).recognise(["fly"], random.Random(0))


@pytest.mark.parametrize("rows", [None, 3, [["x", "y"]] * 2, [[None, 1]] * 2])
def test_what_are_no_numbers_is_refused(rows: Any) -> None:
    with pytest.raises(FormatError, match="expected 2 rows of 2 numbers"):
        Confusion(("a", "b"), rows)


def test_nothing_to_estimate_from_is_said() -> None:
    with pytest.raises(FormatError, match="no true steps"):
        Confusion.estimate([([], ["a"])], ["a"])


@pytest.mark.parametrize("rate", [-0.1, 1.0])
def test_a_rate_that_is_none_is_refused(rate: float) -> None:
    with pytest.raises(SettingError, match="error rate"):
        Confusion.even(["a"], rate)


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
    pairs = edit_alignment(true, recognised)
    assert [left for left, _ in pairs if left is not None] == list(range(len(true)))
    assert [right for _, right in pairs if right is not None] == list(range(len(recognised)))
    cost = sum(
        left is None or right is None or true[left] != recognised[right] for left, right in pairs
    )
    assert cost == edits(true, recognised)


def test_the_score_is_1_for_equal_and_0_for_entirely_different_sequences() -> None:
    assert edit_score("ab", "ab") == edit_score("", "") == 1
    assert edit_score("aa", "bb") == edit_score("", "b") == 0
