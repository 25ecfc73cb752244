from __future__ import annotations

import random
from collections import Counter
from dataclasses import fields
from itertools import pairwise
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.generators import Demonstrator, Noise, disturb
from stepgraph.errors import SettingError
from stepgraph.sequences import KeyStepSequence

ORDER = tuple(range(1, 11))
RATES = st.floats(0, 1)


def show(demonstrator: Demonstrator, seed: int = 0, **settings: int) -> KeyStepSequence:
    return demonstrator.show(ORDER, random.Random(seed), id="r", **settings)


def marked(recording: KeyStepSequence, mark: str) -> list[int]:
    """Return the places that bear a mark."""
    return [place for place, given in enumerate(recording.mistakes or ()) if mark in (given or "")]


def test_without_errors_the_order_is_shown_and_nothing_is_marked() -> None:
    recording = show(Demonstrator())
    assert recording.steps == ORDER
    assert recording.mistakes == (None,) * 10
    assert not recording.has_mistakes


@given(RATES, st.integers(0, 999))
def test_skipped_steps_are_missing_and_listed(rate: float, seed: int) -> None:
    recording = show(Demonstrator(skipped=rate), seed)
    assert recording.steps
    assert list(recording.steps) == [step for step in ORDER if step not in recording.skipped]


@given(RATES, st.integers(0, 999))
def test_swapped_steps_have_moved_by_one_place_and_are_marked(rate: float, seed: int) -> None:
    recording = show(Demonstrator(swapped=rate), seed)
    moved = [place for place, step in enumerate(recording.steps) if step != ORDER[place]]
    assert moved == marked(recording, "swapped")
    assert all(abs(recording.steps[place] - ORDER[place]) == 1 for place in moved)


@given(RATES, st.integers(0, 999))
def test_whatever_an_exchange_moved_is_marked(rate: float, seed: int) -> None:
    recording = show(Demonstrator(exchanged=rate), seed)
    assert sorted(recording.steps) == list(ORDER)
    moved = {place for place, step in enumerate(recording.steps) if step != ORDER[place]}
    assert moved <= set(marked(recording, "exchanged"))


@given(RATES, st.integers(0, 999))
def test_repeated_steps_come_again_later_and_only_the_second_time_is_marked(
    rate: float, seed: int
) -> None:
    recording = show(Demonstrator(repeated=rate), seed)
    places = marked(recording, "repeated")
    assert [s for p, s in enumerate(recording.steps) if p not in places] == list(ORDER)
    assert all(recording.steps[place] in recording.steps[:place] for place in places)


@given(RATES, st.integers(0, 999))
def test_inserted_steps_belong_to_the_procedure_but_not_there(rate: float, seed: int) -> None:
    recording = show(Demonstrator(inserted=rate), seed, steps=12)
    places = marked(recording, "inserted")
    steps = recording.steps
    assert [s for p, s in enumerate(steps) if p not in places] == list(ORDER)
    assert {steps[place] for place in places} <= set(range(1, 13))
    assert all(before != after for before, after in pairwise(steps))


@given(RATES, st.integers(0, 999))
def test_unknown_steps_are_beyond_the_procedure(rate: float, seed: int) -> None:
    recording = show(Demonstrator(unknown=rate), seed, unknown_steps=2)
    places = marked(recording, "unknown")
    assert [p for p, step in enumerate(recording.steps) if step in (11, 12)] == places
    assert [s for p, s in enumerate(recording.steps) if p not in places] == list(ORDER)


def test_a_step_can_bear_several_marks() -> None:
    recording = show(Demonstrator(swapped=1.0, exchanged=1.0))
    assert set(recording.mistakes or ()) == {"swapped and exchanged"}


@pytest.mark.parametrize("kind", [field.name for field in fields(Demonstrator)])
def test_rates_are_chances_at_each_step(kind: str) -> None:
    demonstrator = Demonstrator(**{kind: 0.1})
    found = 0.0
    for seed in range(400):
        recording = show(demonstrator, seed, unknown_steps=1)
        count = len(recording.skipped) if kind == "skipped" else len(marked(recording, kind))
        # Swaps and exchanges mark two steps for one error.
        found += count / 2 if kind in ("swapped", "exchanged") else count
    assert found / 4000 == pytest.approx(0.1, abs=0.02)


def test_any_order_survives_all_errors_at_once() -> None:
    worst = Demonstrator(*[1.0] * 6)
    for length in range(1, 5):
        recording = worst.show(range(1, length + 1), random.Random(0), id="r", unknown_steps=1)
        assert len(recording) >= 1


def test_careless_demonstrators_err_more_often_and_are_named() -> None:
    noise = Noise(Demonstrator.even(0.05), Demonstrator.even(0.5), careless_share=0.3)
    recordings = disturb([ORDER] * 500, noise, seed=0)
    who = Counter(recording.id.split()[1] for recording in recordings)
    assert who["careless"] == pytest.approx(150, abs=30)

    def errors(kind: str) -> float:
        return fmean(
            len(recording.skipped) + len(recording.steps) - (recording.mistakes or ()).count(None)
            for recording in recordings
            if recording.id.endswith(f" {kind}")
        )

    assert errors("careless") > 5 * errors("careful")


def test_a_mixed_crowd_errs_at_the_rate_that_was_asked_for() -> None:
    noise = Noise.mixed(0.2, careless_share=0.5, careless_factor=4)
    assert noise.careless.skipped == pytest.approx(4 * noise.careful.skipped)
    rates = [sum(vars(one).values()) for one in (noise.careful, noise.careless)]
    assert fmean(rates) == pytest.approx(0.2)
    assert noise.careful.unknown == 0


def test_a_seed_gives_the_same_recordings_and_more_begin_with_fewer() -> None:
    noise = Noise.mixed(0.3)
    assert disturb([ORDER] * 9, noise, seed=1)[:4] == disturb([ORDER] * 4, noise, seed=1)
    assert disturb([ORDER] * 4, noise, seed=1) != disturb([ORDER] * 4, noise, seed=2)


def test_drawing_leaves_the_global_generator_alone() -> None:
    random.seed(0)
    state = random.getstate()
    disturb([ORDER] * 3, Noise.mixed(0.3), seed=1)
    assert random.getstate() == state


def test_impossible_rates_are_refused() -> None:
    with pytest.raises(SettingError, match=r"rate of skipped steps is 1\.5"):
        Demonstrator(skipped=1.5)
    with pytest.raises(SettingError, match="share of careless demonstrators is -1"):
        Noise(careless_share=-1)
    with pytest.raises(SettingError, match=r"rate of errors of a careless demonstrator is 1\.8;"):
        Noise.mixed(0.9)
    with pytest.raises(SettingError, match="number of unknown steps is 0"):
        Noise(Demonstrator(unknown=0.1), unknown_steps=0)
    with pytest.raises(SettingError, match="there are 0 unknown steps"):
        show(Demonstrator(unknown=0.1))
