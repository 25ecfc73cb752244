from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgml.errors import SettingError, UnknownNameError
from tgml.monitoring import FrameSmoother
from tgml.monitoring.edits import edit_score

STEPS = ("egg", "milk", "mix")
SMOOTHER = FrameSmoother(STEPS, duration=20, accuracy=0.7, patience=3, correlation=2)


@given(st.lists(st.sampled_from(STEPS), max_size=60), st.integers(0, 60))
def test_what_was_announced_depends_on_the_frames_up_to_then_only(
    frames: list[str], cut: int
) -> None:
    whole = SMOOTHER.smooth(frames)
    assert SMOOTHER.smooth(frames[:cut]) == [s for s in whole if s.frame <= cut]


@given(st.lists(st.sampled_from(STEPS), max_size=60))
def test_frames_one_by_one_give_the_key_steps_of_the_whole(frames: list[str]) -> None:
    smoother = SMOOTHER.fresh()
    announced = [(step, n) for n, f in enumerate(frames, 1) if (step := smoother.observe(f))]
    assert announced == [(s.step, s.frame) for s in SMOOTHER.smooth(frames)]


def test_a_flicker_is_no_key_step_and_a_lasting_change_is() -> None:
    frames = ["egg"] * 20 + ["mix"] * 2 + ["egg"] * 20 + ["mix"] * 20
    assert [segment.step for segment in SMOOTHER.smooth(frames)] == ["egg", "mix"]


def test_fitted_to_other_recordings_it_comes_closer_to_the_truth_than_runs_of_frames() -> None:
    rng = random.Random(0)

    def recording() -> tuple[list[str], list[str]]:
        true = [step for step in rng.sample(STEPS, 3) for _ in range(rng.randint(30, 90))]
        return true, [rng.choice(STEPS) if rng.random() < 0.4 else step for step in true]

    smoother = FrameSmoother.fitted([recording() for _ in range(10)], STEPS)
    for _ in range(10):
        true, seen = recording()
        order = list(dict.fromkeys(true))
        smoothed = [segment.step for segment in smoother.smooth(seen)]
        runs = [step for place, step in enumerate(seen) if seen[place - 1 : place] != [step]]
        assert edit_score(order, smoothed) > 3 * edit_score(order, runs)


def test_a_frame_of_an_unknown_step_is_refused_with_its_number() -> None:
    smoother = SMOOTHER.fresh()
    smoother.observe("egg")
    with pytest.raises(UnknownNameError, match="frame 2: unknown step 'eg'"):
        smoother.observe("eg")


@pytest.mark.parametrize(
    "settings",
    [{"duration": 1}, {"accuracy": 0.2}, {"accuracy": 1}, {"patience": 0}, {"correlation": 0.5}],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        FrameSmoother(STEPS, **settings)


def test_nothing_to_smooth_or_to_fit_to_is_said() -> None:
    with pytest.raises(SettingError, match="one or more steps"):
        FrameSmoother([])
    with pytest.raises(SettingError, match="no frames"):
        FrameSmoother.fitted([], STEPS)


@given(st.lists(st.sampled_from(STEPS), max_size=60))
def test_names_are_the_same_as_the_probabilities_that_they_stand_for(frames: list[str]) -> None:
    shares = [[0.7 if step == frame else 0.15 for step in STEPS] for frame in frames]
    assert SMOOTHER.smooth_shares(shares) == SMOOTHER.smooth(frames)


def test_doubtful_frames_count_less() -> None:
    sure, doubtful = [0.0, 0.1, 0.9], [0.3, 0.3, 0.4]
    begun = [[1.0, 0.0, 0.0]] * 20
    assert [s.step for s in SMOOTHER.smooth_shares(begun + [sure] * 8)] == ["egg", "mix"]
    assert [s.step for s in SMOOTHER.smooth_shares(begun + [doubtful] * 8)] == ["egg"]


@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.5, 0.5, float("nan")], [2.0, 0.0, 0.0]])
def test_what_are_no_probabilities_of_the_steps_is_refused(shares: list[float]) -> None:
    with pytest.raises(SettingError, match="expected a probability for each of the 3 steps"):
        SMOOTHER.fresh().observe_shares(shares)
