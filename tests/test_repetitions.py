from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import SettingError
from stepgraph.repetitions import (
    EXPANSION_LIMIT,
    RepetitionFree,
    Repetitions,
    first_occurrences,
    last_occurrences,
    late_occurrences,
    without_repetitions,
)
from stepgraph.sequences import Demonstrations, KeyStepSequence
from tests.strategies import demonstrations

EACH_IN_TURN = (
    "1 of 1 recordings repeats steps; each time counts in turn (repetitions=WHICH changes that)"
)

NO_LIMIT = 10**9
POLICIES = st.sampled_from([one for one in Repetitions if one is not Repetitions.ALL])


def expand(recording: str, *, limit: int = EXPANSION_LIMIT, seed: int = 0) -> RepetitionFree:
    given_ = Demonstrations.from_steps([recording])
    return without_repetitions(given_, Repetitions.EXPAND, limit=limit, seed=seed)


def choices(sequence: KeyStepSequence) -> set[tuple[int, ...]]:
    """Return every subsequence that shows each step of a recording exactly once."""
    count = len(set(sequence.steps))
    return {
        kept for kept in itertools.combinations(sequence.steps, count) if len(set(kept)) == count
    }


def test_abcad_expands_to_abcd_and_bcad() -> None:
    words = Demonstrations.from_steps(["ABCAD"])
    found = without_repetitions(words, Repetitions.EXPAND).sequences
    assert ["".join(map(words.vocabulary.name, steps)) for steps in found] == ["ABCD", "BCAD"]


def same_as_another(number: int, total: int) -> str:
    return (
        f"{number} of {total} sequences {'is' if number == 1 else 'are'} the same as another one; "
        "equal ones are taken together"
    )


@given(demonstrations())
def test_expansion_equals_all_choices_of_occurrences(given_: Demonstrations) -> None:
    found = without_repetitions(given_, Repetitions.EXPAND, limit=NO_LIMIT).sequences
    assert set(found) == set().union(*map(choices, given_))
    assert len(set(found)) == len(found)


@given(demonstrations(), POLICIES, st.integers(0, 5))
def test_whichever_policy_gives_each_step_of_a_recording_once(
    given_: Demonstrations, policy: Repetitions, seed: int
) -> None:
    found = without_repetitions(given_, policy, seed=seed).sequences
    assert set(found) <= set().union(*map(choices, given_))
    for sequence in given_:
        assert choices(sequence) & set(found)


@given(demonstrations(repetitions=False), POLICIES)
def test_without_repetitions_only_duplicates_go(
    given_: Demonstrations, policy: Repetitions
) -> None:
    result = without_repetitions(given_, policy)
    assert result.sequences == tuple(dict.fromkeys(sequence.steps for sequence in given_))
    merged = len(given_) - len(result.sequences)
    assert result.notes == ((same_as_another(merged, len(given_)),) if merged else ())


@given(st.lists(st.integers(1, 5), min_size=1).map(tuple))
def test_the_first_and_the_last_occurrences_are_where_they_are_found(
    steps: tuple[int, ...],
) -> None:
    distinct = set(steps)
    assert first_occurrences(steps) == tuple(sorted(distinct, key=steps.index))
    latest = {step: place for place, step in enumerate(steps)}
    assert last_occurrences(steps) == tuple(sorted(distinct, key=latest.__getitem__))


@pytest.mark.parametrize(
    ("policy", "kept"), [(Repetitions.FIRST, (1, 2, 3, 4)), (Repetitions.LAST, (2, 3, 1, 4))]
)
def test_the_policy_says_which_occurrence_counts(
    policy: Repetitions, kept: tuple[int, ...]
) -> None:
    assert without_repetitions(Demonstrations.from_steps(["ABCAD"]), policy).sequences == (kept,)


def test_at_random_each_occurrence_has_its_turn() -> None:
    given_ = Demonstrations.from_steps(["ABCAD"])
    drawn = [
        without_repetitions(given_, Repetitions.RANDOM, seed=seed).sequences[0]
        for seed in range(60)
    ]
    assert set(drawn) == {(1, 2, 3, 4), (2, 3, 1, 4)}
    assert 15 < drawn.count((1, 2, 3, 4)) < 45


@given(demonstrations(), POLICIES, st.integers(0, 2**32), st.integers(2, 5))
def test_the_same_seed_gives_the_same_sequences(
    given_: Demonstrations, policy: Repetitions, seed: int, limit: int
) -> None:
    one, two = (without_repetitions(given_, policy, seed=seed, limit=limit) for _ in range(2))
    assert one == two


@given(st.permutations("abcdeabcdeabcde"), st.integers(2, 20), st.integers(0, 5))
def test_beyond_the_bound_a_sample_with_the_first_and_the_last_stands_for_all(
    recording: list[str], limit: int, seed: int
) -> None:
    given_ = Demonstrations.from_steps([recording])
    steps = given_.sequences[0].steps
    found = without_repetitions(given_, Repetitions.EXPAND, limit=limit, seed=seed).sequences
    assert set(found) <= choices(given_.sequences[0])
    if set(found) != choices(given_.sequences[0]):
        assert len(found) <= limit
        assert {first_occurrences(steps), last_occurrences(steps)} <= set(found)


def test_the_bound_says_so_when_it_bites() -> None:
    result = expand("abcabcabcabcabc", limit=10)
    assert result.notes[0] == EACH_IN_TURN
    assert "recording '1' expands to 125 choices of occurrences" in result.notes[1]
    assert f"{len(result.sequences)} of them are used" in result.notes[1]


def test_the_bound_is_silent_when_it_does_not_bite() -> None:
    assert expand("abcad", limit=2).notes == (EACH_IN_TURN,)


def test_occurrences_in_a_row_count_as_one() -> None:
    result = expand("a" * 9 + "b" * 9 + "c" * 9)
    assert result.sequences == ((1, 2, 3),)
    assert result.notes == (EACH_IN_TURN,)


@pytest.mark.parametrize("limit", [1, 0, -1])
def test_a_bound_that_has_no_room_for_the_first_and_the_last_is_refused(limit: int) -> None:
    with pytest.raises(SettingError, match=f"is {limit}; expected 2 or more"):
        expand("aba", limit=limit)


def test_notes_count_the_repeating_recordings_and_the_merged_sequences() -> None:
    given_ = Demonstrations.from_steps(["aba", "ab", "ba"])
    assert without_repetitions(given_, Repetitions.FIRST).notes == (
        "1 of 3 recordings repeats steps; the first time counts (repetitions=WHICH changes that)",
        same_as_another(1, 3),
    )


def test_where_everybody_repeats_steps_the_note_says_all() -> None:
    result = without_repetitions(Demonstrations.from_steps(["aba", "bab"]))
    assert result.notes[0].startswith("all 2 recordings repeat steps; ")


def test_augmented_recordings_have_their_first_last_and_a_random_occurrence() -> None:
    abab = Demonstrations.from_steps(["ABCAB"])
    for seed in range(20):
        first, last, *drawn = without_repetitions(abab, Repetitions.AUGMENT, seed=seed).sequences
        assert (first, last) == ((1, 2, 3), (3, 1, 2))
        assert set(drawn) <= {(1, 3, 2), (2, 3, 1)}


def test_the_last_occurrence_is_drawn_half_of_the_time() -> None:
    rng = random.Random(1)
    drawn = [late_occurrences((1, 2, 1, 3, 1), rng) for _ in range(4000)]
    shares = [drawn.count(order) / len(drawn) for order in [(2, 3, 1), (2, 1, 3), (1, 2, 3)]]
    assert shares == pytest.approx([0.5, 0.25, 0.25], abs=0.04)


def test_every_occurrence_is_no_choice_of_one() -> None:
    with pytest.raises(SettingError, match="'all'; expected a choice of one occurrence"):
        without_repetitions(Demonstrations.from_steps(["ABA"]), Repetitions.ALL)
