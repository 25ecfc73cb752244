from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.mistakes.detectors import (
    CLUES,
    AlwaysBefore,
    FromPosition,
    LeftOut,
    SimulatedSegments,
    UnseenStep,
    WeighedClues,
)
from benchmarks.mistakes.detectors.rules import Detector
from benchmarks.mistakes.detectors.weighed import ClueModel, best_threshold, fit_weights
from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.sequences import Demonstrations, Vocabulary

CHAIN = Demonstrations.from_steps(
    ["abcde", "abcde", "abced", "abcde", "bacde", "abcde"],
    vocabulary=Vocabulary(("a", "b", "c", "d", "e", "never")),
)
DETECTORS: tuple[Detector, ...] = (
    WeighedClues.learn(CHAIN),
    WeighedClues.learn(CHAIN, ["next"], noise=0.2),
    AlwaysBefore.learn(CHAIN),
    UnseenStep.learn(CHAIN),
    FromPosition(3),
)


def test_a_broken_order_is_flagged_and_a_usual_one_is_not() -> None:
    detector = WeighedClues.learn(CHAIN, ["early", "late"])
    assert detector.flags("abcde") == (False,) * 5
    assert detector.flags("adbce")[1]


def test_a_step_that_was_not_to_be_expected_is_flagged() -> None:
    detector = WeighedClues.learn(CHAIN, ["next"])
    assert detector.flags("abcde") == (False,) * 5
    assert detector.flags("abe")[2]


@pytest.mark.parametrize("clue", CLUES)
def test_a_step_that_nobody_did_or_knows_is_always_flagged(clue: str) -> None:
    detector = WeighedClues.learn(CHAIN, [clue])
    assert detector.flags(["never"]) == detector.flags(["moon"]) == (True,)
    assert detector.flags([]) == ()


@settings(max_examples=50)
@given(st.lists(st.sampled_from([*CHAIN.vocabulary.steps, "moon"]), min_size=1, max_size=9))
def test_a_flag_never_depends_on_what_comes_later(steps: list[str]) -> None:
    for detector in DETECTORS:
        whole = detector.flags(steps)
        for end in range(1, len(steps) + 1):
            assert detector.flags(steps[:end]) == whole[:end]


def test_the_same_seed_gives_the_same_detector() -> None:
    first, again = (WeighedClues.learn(CHAIN, noise=0.3, seed=7) for _ in range(2))
    assert first.threshold == again.threshold
    assert first.weights.slopes.tolist() == again.weights.slopes.tolist()


def test_a_noisy_recogniser_reports_no_step_that_it_was_never_shown() -> None:
    left_out = LeftOut.of(CHAIN)
    assert SimulatedSegments.draw(left_out).unseen.any()
    assert not SimulatedSegments.draw(left_out, noise=0.2).unseen.any()


def test_every_simulated_recording_ends_in_its_one_mistake() -> None:
    simulated = SimulatedSegments.draw(LeftOut.of(CHAIN))
    assert simulated.mistake[-1]
    assert 0 < simulated.mistake.sum() < len(simulated.mistake)


def test_the_clues_of_a_step_tell_what_is_odd_about_it() -> None:
    model = ClueModel.learn([(1, 2, 3)] * 5, 3, 2)
    usual, odd = model.clues([1, 2, 3]), model.clues([1, 3, 1])
    early, late, forecast, repeat, progress = (CLUES.index(clue) for clue in CLUES)
    assert odd[1, early] > 10 * usual[1, early]
    assert model.clues([1, 3, 2])[2, late] > 10 * usual[2, late]
    assert odd[2, late] == 0  # it is done again, which is no order
    assert odd[1, forecast] > usual[1, forecast]
    assert (odd[2, repeat], usual[2, repeat]) == (1, 0)
    assert usual[0, progress] < usual[1, progress] < usual[2, progress]
    assert odd[2, progress] == usual[2, progress] == model.clues([1, 3, 1, 3, 1])[4, progress]


def test_what_cannot_be_weighed_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown clue 'odour'"):
        WeighedClues.learn(CHAIN, ["odour"])
    with pytest.raises(SettingError, match="there is no clue to weigh"):
        WeighedClues.learn(CHAIN, [])
    with pytest.raises(SettingError, match="there is one recording; expected two or more"):
        WeighedClues.learn(Demonstrations.from_steps(["ab"]))
    with pytest.raises(SettingError, match="the noise is 1"):
        WeighedClues.learn(CHAIN, noise=1)


def test_a_clue_that_tells_mistakes_weighs_and_one_that_does_not_does_not() -> None:
    rng = np.random.default_rng(0)
    mistake = rng.random(4000) < 0.3
    clues = np.column_stack([mistake + rng.normal(size=4000), rng.normal(size=4000)])
    weights = fit_weights(clues, mistake, np.ones(4000))
    assert weights.slopes[0] == pytest.approx(1.0, abs=0.15)
    assert weights.slopes[1] == pytest.approx(0.0, abs=0.1)
    chance = 1 / (1 + np.exp(-weights.score(clues)))
    assert chance.mean() == pytest.approx(mistake.mean(), abs=1e-3)


def test_a_clue_that_never_varies_does_no_harm() -> None:
    clues = np.column_stack([np.ones(4), [0.0, 0.0, 1.0, 1.0]])
    weights = fit_weights(clues, np.array([False, False, True, True]), np.ones(4))
    assert np.isfinite(weights.score(clues)).all()


@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=15),
)
def test_no_other_threshold_gives_a_better_average_f1(rows: list[tuple[int, bool]]) -> None:
    scores = np.array([float(score) for score, _ in rows])
    mistake = np.array([wrong for _, wrong in rows])

    def f1(threshold: float) -> float:
        flagged = scores >= threshold
        found, alarms = (flagged & mistake).sum(), (flagged & ~mistake).sum()
        missed, passed = (~flagged & mistake).sum(), (~flagged & ~mistake).sum()
        first = 2 * found / (2 * found + alarms + missed) if found else 0.0
        second = 2 * passed / (2 * passed + alarms + missed) if passed else 0.0
        return float(first + second) / 2

    best = best_threshold(scores, mistake, np.ones(len(rows)))
    assert f1(best) == pytest.approx(max(f1(t) for t in (*np.arange(-0.5, 6.5), np.inf)))
