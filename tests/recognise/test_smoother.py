from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.monitoring.confusion import edit_score
from stepgraph.recognise import FrameSmoother

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


def _announced(frames: list[str], smoother: FrameSmoother) -> list[tuple[str, int]]:
    """Return the key-steps by the filter written out: what was known, moved on, then weighed."""
    steps = smoother.steps
    others = max(len(steps) - 1, 1)
    leave = 1 / smoother.duration
    right = smoother.accuracy ** (1 / smoother.correlation)
    wrong = ((1 - smoother.accuracy) / others) ** (1 / smoother.correlation)
    chances = dict.fromkeys(steps, 1 / len(steps))
    found: list[tuple[str, int]] = []
    leaders: list[str] = []
    for number, frame in enumerate(frames, start=1):
        moved = {
            step: sum(
                chances[last] * (1 - leave if last == step else leave / others) for last in steps
            )
            for step in steps
        }
        weighed = {step: moved[step] * (right if step == frame else wrong) for step in steps}
        chances = {step: weight / sum(weighed.values()) for step, weight in weighed.items()}
        first, *rest = sorted(steps, key=lambda step: -chances[step])
        assume(not rest or chances[first] > chances[rest[0]] + 1e-9)  # else rounding decides
        leaders.append(first)
        lately = leaders[-smoother.patience :]
        leads = len(lately) == smoother.patience and set(lately) == {first}
        if leads and (not found or found[-1][0] != first):
            found.append((first, number))
    return found


@pytest.mark.parametrize("count", [1, 2, 4])
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9)), max_size=9),
    st.sampled_from([4.7, 23.0]),
    st.sampled_from([1, 2, 5]),
    st.sampled_from([1.0, 3.0]),
)
@settings(deadline=None)
def test_a_step_is_announced_once_it_has_been_the_most_probable_for_long_enough(
    count: int, runs: list[tuple[int, int]], duration: float, patience: int, correlation: float
) -> None:
    steps = [f"step {number}" for number in range(count)]
    frames = [steps[number % count] for number, length in runs for _ in range(length)]
    smoother = FrameSmoother(
        steps, duration=duration, accuracy=0.63, patience=patience, correlation=correlation
    )
    expected = _announced(frames, smoother)
    assert [(segment.step, segment.frame) for segment in smoother.smooth(frames)] == expected
    online = [(step, n) for n, frame in enumerate(frames, 1) if (step := smoother.observe(frame))]
    assert online == expected


def test_a_step_must_lead_for_a_tenth_of_its_duration_unless_told_otherwise() -> None:
    assert FrameSmoother(STEPS, duration=100).patience == 10
    assert FrameSmoother(STEPS, duration=2).patience == 1
    assert FrameSmoother(STEPS, duration=100, patience=3).patience == 3


def test_fitting_finds_how_long_steps_last_and_how_often_and_how_long_frames_err() -> None:
    true, seen = list("aaaabbbb"), list("abbabbab")  # errors of two frames and of one
    found = FrameSmoother.fitted([(true, seen)], "ab")
    assert (found.duration, found.accuracy, found.correlation) == (4.0, 5 / 8, 1.5)
    both = FrameSmoother.fitted([(true, seen), (list("ab"), list("ab"))], "ab")
    assert (both.duration, both.accuracy, both.correlation) == (2.5, 0.7, 1.5)


def test_fitting_trusts_no_recogniser_fully_and_none_less_than_chance() -> None:
    right, wrong = (FrameSmoother.fitted([("aabb", seen)], "ab") for seen in ("aabb", "bbaa"))
    assert (right.accuracy, right.correlation) == (0.99, 1.0)
    assert (wrong.accuracy, wrong.correlation) == (0.51, 4.0)
    assert FrameSmoother.fitted([("abab", "abab")], "ab").duration == 2.0


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


@pytest.mark.parametrize(("count", "chance"), [(2, 0.5), (4, 0.25)])
def test_a_recogniser_must_be_better_than_chance(count: int, chance: float) -> None:
    steps = STEPS[:2] if count == 2 else (*STEPS, "fry")
    with pytest.raises(SettingError, match="more than chance"):
        FrameSmoother(steps, accuracy=chance)
    assert FrameSmoother(steps, accuracy=chance + 0.01).accuracy == chance + 0.01


def test_a_recogniser_of_one_step_may_be_wrong_more_often_than_not() -> None:
    assert [s.step for s in FrameSmoother(["egg"], accuracy=0.1, patience=2).smooth(["egg"] * 3)]


def test_two_steps_are_told_apart_by_default_as_any_others_are() -> None:
    assert FrameSmoother(["mix", "pour"]).accuracy == 0.75
    assert FrameSmoother(["mix", "pour", "bake"]).accuracy == 0.5


def test_recordings_with_other_numbers_of_frames_are_refused() -> None:
    with pytest.raises(SettingError, match="recording 2 has 2 true and 1 recognised frames"):
        FrameSmoother.fitted([("a", "a"), ("aa", "a")], "ab")
    with pytest.raises(SettingError, match="one or more steps"):
        FrameSmoother.fitted([("a", "a")], [])


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
