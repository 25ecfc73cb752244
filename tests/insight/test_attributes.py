"""Which steps may be left out or repeated, and what goes with that."""

from __future__ import annotations

import math
import random
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from stepgraph.graph import StepAttributes, TaskGraph
from stepgraph.insight import attributes, edge_evidence, with_rules
from stepgraph.insight.attributes import habit_probabilities
from stepgraph.pipeline import learn
from stepgraph.procedures import load_procedure, procedure_names
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary
from tests.operations import calls
from tests.strategies import annotated_demonstrations, demonstrations


def step_attributes(
    given_ones: Demonstrations, reliability: Sequence[float] = ()
) -> dict[str, StepAttributes]:
    """Return the attributes that recordings show, whatever the order."""
    shown = [given_ones.vocabulary.name(node) for node in sorted(given_ones.seen)]
    return dict(with_rules(given_ones, TaskGraph(shown, []), reliability=reliability).attributes)


def recordings(*texts: str) -> Demonstrations:
    return Demonstrations.from_steps([list(text) for text in texts])


@given(annotated_demonstrations())
def test_every_step_that_is_shown_has_shares_of_recordings(given_ones: Demonstrations) -> None:
    found = step_attributes(given_ones)
    shown = {given_ones.vocabulary.name(node) for node in given_ones.seen}
    assert set(found) == shown
    for step, known in found.items():
        doing = [r for r in given_ones if step in given_ones.names(r)]
        assert known.done == pytest.approx(len(doing) / len(given_ones))
        assert not known.repeated_after or known.repeatable
        assert step not in known.goes_with


@given(demonstrations(omissions=False, repetitions=False))
def test_what_everybody_does_once_is_neither_optional_nor_repeatable(
    given_ones: Demonstrations,
) -> None:
    for known in step_attributes(given_ones).values():
        assert not known.optional
        assert not known.repeatable


def test_what_half_of_the_recordings_leave_out_is_optional() -> None:
    found = step_attributes(recordings(*["abcde", "abde"] * 5))
    assert [step for step, known in found.items() if known.optional] == ["c"]
    assert found["c"].done == 0.5


def test_one_who_leaves_out_half_of_the_steps_slips() -> None:
    found = step_attributes(recordings(*["abcdefgh"] * 6, "aceg", "bdfh"))
    assert not any(known.optional for known in found.values())


def test_two_recordings_are_too_few_to_call_a_step_optional() -> None:
    assert not any(known.optional for known in step_attributes(recordings("abc", "ac")).values())


def test_recordings_that_share_no_step_have_no_optional_step() -> None:
    assert not any(known.optional for known in step_attributes(recordings("abc", "def")).values())


def test_a_step_that_was_marked_as_skipped_by_mistake_says_nothing() -> None:
    plain = recordings(*["abcde", "abde"] * 5)
    marked = replace(
        plain,
        sequences=tuple(replace(r, skipped=() if len(r) == 5 else (3,)) for r in plain),
    )
    assert not step_attributes(marked)["c"].optional


def test_recordings_that_are_not_trusted_do_not_make_a_step_optional() -> None:
    plain = recordings(*["abcde"] * 6, *["abde"] * 4)
    assert step_attributes(plain)["c"].optional
    trust = [1.0] * 6 + [0.05] * 4
    assert not step_attributes(plain, reliability=trust)["c"].optional


def test_steps_left_out_together_go_with_each_other() -> None:
    found = step_attributes(recordings(*["abcd", "ad"] * 8))
    assert found["b"].goes_with == ("c",)
    assert found["c"].goes_with == ("b",)
    assert found["b"].optional
    assert found["a"].goes_with == ()


def test_what_goes_with_a_step_need_not_come_with_it() -> None:
    """Whoever opens also closes; some close what was open already."""
    found = step_attributes(recordings(*["aocb"] * 10, *["acb"] * 10, *["ab"] * 10))
    assert found["o"].goes_with == ("c",)
    assert found["c"].goes_with == ()


def test_steps_of_a_choice_are_not_optional_and_go_with_nothing() -> None:
    found = step_attributes(recordings(*["abcd", "aed"] * 8))
    assert not any(known.optional or known.goes_with for known in found.values())


def test_what_is_done_again_as_a_rule_is_repeatable_and_after_what_is_named() -> None:
    found = step_attributes(recordings(*["abcad", "abcd"] * 5))
    assert [step for step, known in found.items() if known.repeatable] == ["a"]
    assert found["a"].repeated_after == ("c",)
    assert found["a"].repeated == 0.5


def test_one_repetition_in_many_recordings_is_a_slip() -> None:
    found = step_attributes(recordings(*["abcd"] * 12, "abcad"))
    assert not found["a"].repeatable
    assert found["a"].repeated == pytest.approx(1 / 13)


def test_equal_recordings_count_as_many_as_they_stand_for() -> None:
    listed = recordings(*["abcde"] * 6, *["abde"] * 5)
    short = recordings("abcde", "abde")
    weighted = replace(
        short,
        sequences=tuple(replace(r, weight=weight) for r, weight in zip(short, (6, 5), strict=True)),
    )
    assert step_attributes(weighted) == step_attributes(listed)


@pytest.mark.parametrize("name", procedure_names())
def test_the_optional_and_repeatable_steps_of_the_procedures_that_ship_are_found(
    name: str,
) -> None:
    procedure = load_procedure(name)
    found = step_attributes(procedure.demonstrations)
    assert {step for step, known in found.items() if known.optional} == set(procedure.optional)
    assert {step for step, known in found.items() if known.repeatable} == set(procedure.repeatable)
    assert set(procedure.graph.optional_steps) == set(procedure.optional)


def test_a_learned_optional_step_is_no_missing_precondition() -> None:
    graph = learn(recordings(*["abcd", "abd"] * 5), "intersection")
    assert graph.optional_steps == ("c",)
    assert graph.is_valid(["a", "b", "d"], complete=True)
    assert not graph.is_valid(["a", "b", "d", "c"])


def test_ten_thousand_steps_in_one_recording_are_no_problem() -> None:
    found = step_attributes(recordings("abcde" * 2000, "abcde"))
    assert found["a"].repeated == 0.5


def windows(steps: int, variants: int) -> Demonstrations:
    """Return variants that each show 20 steps in a row of a long procedure."""
    rng = random.Random(0)
    starts = [rng.randrange(1, steps - 18) for _ in range(variants)]
    return Demonstrations(
        Vocabulary(tuple(f"step {number}" for number in range(1, steps + 1))),
        tuple(
            KeyStepSequence(str(number), tuple(range(start, start + 20)), weight=50.0)
            for number, start in enumerate(starts)
        ),
    )


def test_many_steps_in_many_variants_take_bounded_memory() -> None:
    given_ones = windows(400, 3000)
    edges = [(f"step {number + 1}", f"step {number}") for number in range(1, 400)]
    tracemalloc.start()
    try:
        found = step_attributes(given_ones)
        evidence = edge_evidence(given_ones, edges)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(found) == 400
    assert len(evidence) == 399
    assert most < 250e6  # chances of all habits at once would be 170 MB for each of several


@pytest.mark.parametrize(
    ("small", "large", "most"),
    [((100, 500), (200, 500), 5), ((200, 500), (200, 1000), 2.2)],
    ids=["twice the steps", "twice the variants"],
)
def test_the_work_grows_no_faster_than_pairs_of_steps_and_variants(
    small: tuple[int, int], large: tuple[int, int], most: float
) -> None:
    before, after = windows(*small), windows(*large)
    assert calls(lambda: step_attributes(after)) < most * calls(lambda: step_attributes(before))


def test_independent_habits_seldom_go_together() -> None:
    rng = np.random.default_rng(0)
    steps = "abcdef"
    together = 0
    for _ in range(100):
        shown = [
            "x" + "".join(step for step in steps if rng.random() < 0.5) + "y" for _ in range(20)
        ]
        together += any(known.goes_with for known in step_attributes(recordings(*shown)).values())
    assert together <= 5


Bool = NDArray[np.bool_]
Floats = NDArray[np.float64]


def test_the_same_absence_is_a_habit_among_careful_people_and_a_slip_among_careless() -> None:
    rng = np.random.default_rng(0)
    careful = np.zeros((12, 10), dtype=bool)
    careful[:4, 0] = True
    careless = careful | (rng.random((12, 10)) < 0.3)
    careless[4:, 0] = False
    possible = np.ones((12, 10), dtype=bool)
    assert habit_probabilities(careful, possible, np.ones(12))[0] > 0.9
    assert habit_probabilities(careless, possible, np.ones(12))[0] < 0.5


def test_what_could_not_happen_says_nothing() -> None:
    happened = np.zeros((6, 3), dtype=bool)
    found = habit_probabilities(happened, np.zeros_like(happened), np.ones(6))
    assert np.allclose(found, 0.1)


def test_no_step_gives_no_probability() -> None:
    assert habit_probabilities(np.zeros((3, 0), bool), np.zeros((3, 0), bool), np.ones(3)).size == 0


def plain_round(happened: Bool, possible: Bool, weights: Floats, by_habit: Floats) -> Floats:
    """Return the next probabilities, each chance of each recording and step written out."""
    by_mistake = 1 - by_habit
    recordings, steps = happened.shape
    result = np.zeros(steps)
    for step in range(steps):
        others = [other for other in range(steps) if other != step]
        slips, chances = np.zeros(recordings), np.zeros(recordings)
        for row in range(recordings):
            could = [other for other in others if possible[row, other]]
            chances[row] = sum(by_mistake[other] for other in could)
            slips[row] = sum(by_mistake[other] for other in could if happened[row, other])
        crowd = (0.5 + weights @ slips) / (10 + weights @ chances)
        rates = np.clip((10 * crowd + slips) / (10 + chances), 1e-4, 0.9)

        def log_likelihood(habit: float, rates: Floats = rates, step: int = step) -> float:
            total = 0.0
            for row in range(recordings):
                chance = habit + (1 - habit) * rates[row]
                if possible[row, step]:
                    total += weights[row] * math.log(chance if happened[row, step] else 1 - chance)
            return total

        habits = [log_likelihood((number + 2.5) / 20) for number in range(18)]
        odds = np.logaddexp.reduce(habits) - math.log(18) - log_likelihood(0.0) + math.log(1 / 9)
        result[step] = 1 / (1 + math.exp(-odds))
    return result


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_it_is_the_model_written_out_plainly(seed: int, in_parts: bool) -> None:
    rng = np.random.default_rng(seed)
    shape = (rng.integers(1, 7), rng.integers(1, 6))
    happened = rng.random(shape) < rng.random()
    possible = rng.random(shape) < 0.8
    weights = rng.choice([1.0, 0.5, 3.0], shape[0])
    expected = np.full(shape[1], 0.1)
    for _ in range(3):
        expected = plain_round(happened & possible, possible, weights, expected)
    with (
        mock.patch.object(attributes, "ROUNDS", 3),
        mock.patch.object(attributes, "ENTRIES", 1 if in_parts else 4_000_000),
    ):
        found = habit_probabilities(happened, possible, weights)
    np.testing.assert_allclose(found, expected, atol=1e-5)
