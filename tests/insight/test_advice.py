"""What to record next."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stepgraph.errors import InputError
from stepgraph.graph import Constraints
from stepgraph.graph.adjacency import closure
from stepgraph.insight import advise
from stepgraph.insight.advice import most_telling_order
from stepgraph.sequences import Demonstrations
from tests.strategies import demonstrations


def recordings(*texts: str) -> Demonstrations:
    return Demonstrations.from_steps([list(text) for text in texts])


@settings(deadline=None, max_examples=50)
@given(demonstrations())
def test_an_order_has_each_step_at_most_once_and_decides_no_more_than_is_open(
    given_ones: Demonstrations,
) -> None:
    found = advise(given_ones)
    assert len(set(found.order)) == len(found.order)
    assert set(found.order) <= set(given_ones.vocabulary.steps)
    assert found.decides <= found.open_pairs <= found.pairs
    assert bool(found.order) == bool(found.decides)
    assert all(question.edges and question.decides for question in found.questions)
    left = {frozenset(pair) for pair in found.left_open}
    asked = {frozenset((question.first, question.second)) for question in found.questions}
    assert len(left) == len(found.left_open) <= found.open_pairs
    if not found.order and not found.questions:
        assert len(left) == found.open_pairs, "what nobody is asked for is named"
    elif not found.order:
        assert len(left | asked) <= found.open_pairs
    place = {step: number for number, step in enumerate(found.order)}
    assert not found.order or all(place[first] > place[second] for first, second in found.left_open)


def test_after_one_recording_the_reverse_tells_most() -> None:
    found = advise(recordings("abcd"))
    assert found.order == ("d", "c", "b", "a")
    assert (found.decides, found.open_pairs, found.pairs) == (6, 6, 6)


def test_identical_recordings_leave_open_what_one_would() -> None:
    assert advise(recordings("abcd", "abcd")).open_pairs <= 6


def test_recordings_that_all_show_one_order_may_be_a_habit() -> None:
    (note,) = advise(recordings(*["abc"] * 5)).notes
    assert note.startswith("the 5 recordings show one and the same order; if that is a habit, only")
    one = recordings("abc")
    assert advise(one).notes == ()
    five = replace(one, sequences=(replace(one.sequences[0], weight=5.0),))
    assert advise(five).notes == (note,), "equal ones may be listed once"
    assert advise(recordings("abc", "bac")).notes == ()


def test_a_pair_seen_both_ways_is_not_asked_about() -> None:
    found = advise(recordings("abc", "bac"))
    assert not any({one.first, one.second} == {"a", "b"} for one in found.questions)
    assert found.open_pairs == 2


def test_what_everybody_could_have_done_first_and_did_not_is_closed_in_the_end() -> None:
    found = advise(recordings(*["ab"] * 12))
    assert (found.order, found.open_pairs) == ((), 0)


def test_a_pair_that_nobody_had_the_chance_to_show_stays_open() -> None:
    # Nobody could do c before a without b, as far as is known; nor is known that c needs a.
    found = advise(recordings(*["abc"] * 12))
    assert found.open_pairs <= advise(recordings("abc")).open_pairs


def test_questions_are_sentences_the_largest_change_first() -> None:
    found = advise(recordings("abcd"))
    assert str(found.questions[0]).startswith("Nobody has done 'a' after 'b': one recording that ")
    changes = [(1 - one.probability) * one.edges for one in found.questions]
    assert changes == sorted(changes, reverse=True)


def test_steps_that_were_never_done_together_are_asked_about_as_such() -> None:
    found = advise(recordings("ab", "ab", "ac", "ac"), most=20)
    sentences = [str(question) for question in found.questions]
    assert any(text.startswith("Nobody has done both 'b' and 'c'") for text in sentences)


def test_a_step_of_one_recording_among_many_is_left_out_with_a_note() -> None:
    found = advise(recordings("abc", "acb", "abc", "abxc"))
    assert "x" not in found.order
    assert found.notes == ("only one recording does 'x'; left out here",)


def test_recordings_that_share_no_step_are_noted() -> None:
    found = advise(recordings("ab", "cd", "ef"))
    assert found.notes == ("no two recordings share a step; are they of one procedure?",)


def test_a_single_step_leaves_nothing_open() -> None:
    found = advise(recordings("a", "a"))
    assert (found.order, found.questions, found.pairs) == ((), (), 0)


def test_ten_thousand_different_steps_are_refused_in_one_sentence() -> None:
    names = [f"step {number}" for number in range(10_000)]
    with pytest.raises(InputError, match="10,000 different steps; advice is given for 200"):
        advise(Demonstrations.from_steps([names]))


def test_ten_thousand_steps_in_one_recording_are_no_problem() -> None:
    assert advise(recordings("abcd" * 2500)).open_pairs == 6


def test_what_is_known_is_not_asked_nor_what_follows_from_it() -> None:
    recordings = Demonstrations.from_steps(["abc"])
    assert advise(recordings).decides == 3
    known = advise(recordings, constraints=Constraints(must=[("c", "b")]))
    assert known.order.index("b") < known.order.index("c")
    asked = {(question.first, question.second) for question in known.questions}
    assert asked == {("b", "a")}


def test_what_is_known_to_be_free_is_not_asked() -> None:
    recordings = Demonstrations.from_steps(["ab"])
    assert advise(recordings).questions
    assert not advise(recordings, constraints=Constraints(never=[("b", "a")])).questions


def test_everything_known_leaves_nothing_to_ask() -> None:
    known = advise(
        Demonstrations.from_steps(["abc"]),
        constraints=Constraints(must=[("b", "a")], pinned=[("c", "b")]),
    )
    assert (known.open_pairs, known.order) == (0, ())


def test_contradictions_in_what_is_known_are_refused() -> None:
    with pytest.raises(InputError, match="leave one of them out"):
        advise(
            Demonstrations.from_steps(["ab"]),
            constraints=Constraints(must=[("b", "a")], never=[("b", "a")]),
        )


@given(demonstrations())
def test_with_an_order_to_ask_for_every_open_pair_is_shown_or_left_open(
    given_: Demonstrations,
) -> None:
    found = advise(given_)
    if found.order:
        pairs = {frozenset(pair) for pair in (*found.shows, *found.left_open)}
        assert len(pairs) == found.open_pairs


def value(order: tuple[int, ...], worth: np.ndarray) -> float:
    return float(np.triu(worth[np.ix_(order, order)], 1).sum())


@example(89406426, 4)  # greedy, then improved, it had 86 %
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_it_obeys_what_is_certain_and_is_the_best_of_few_steps(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    worth = rng.random((size, size))
    certain = closure(np.tril(rng.random((size, size)) < 0.3, -1))
    order = most_telling_order(worth, certain)
    assert sorted(order) == list(range(size))

    def valid(steps: tuple[int, ...]) -> bool:
        return not np.triu(certain[np.ix_(steps, steps)], 1).any()

    assert valid(order)
    best = max(value(steps, worth) for steps in itertools.permutations(range(size)) if valid(steps))
    assert value(order, worth) >= best - 1e-9


def test_nobody_is_asked_to_do_two_alternatives() -> None:
    cases = [["check", "accept", "ship"]] * 20 + [["check", "reject"]] * 8
    found = advise(Demonstrations.from_steps(cases))
    asked = [{question.first, question.second} for question in found.questions]
    assert not any("reject" in pair and pair & {"accept", "ship"} for pair in asked)
    assert not {"accept", "reject"} <= set(found.order)
    few = Demonstrations.from_steps([["mix", "fry"], ["mix", "bake"]])
    stated = advise(few, constraints=Constraints(one_of=[("fry", "bake")]))
    assert not any({q.first, q.second} == {"fry", "bake"} for q in stated.questions)
