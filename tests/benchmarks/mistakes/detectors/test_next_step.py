from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.mistakes.detectors.next_step import LanguageModelForecast, NextStepModel, choose_n
from stepgraph.errors import SettingError
from stepgraph.sequences import Demonstrations, Vocabulary
from tests.llm_server import MODEL, Asked, Handler, LlmServer

STEPS = st.lists(st.integers(1, 4), min_size=1, max_size=6)


@given(st.lists(STEPS, min_size=1, max_size=5), STEPS, st.integers(1, 4))
def test_the_chances_of_all_steps_add_up_to_one(
    recordings: list[list[int]], history: list[int], n: int
) -> None:
    model = NextStepModel.learn(recordings, 4, n)
    chances = [model.probability(step, history) for step in range(1, 5)]
    assert sum(chances) == pytest.approx(1.0)
    assert min(chances) > 0


def test_what_always_followed_is_most_likely() -> None:
    model = NextStepModel.learn([(1, 2, 3), (1, 2, 3), (2, 3)], 3, 3)
    assert model.probability(3, [1, 2]) > 0.6
    assert model.probability(1, []) > model.probability(3, [])


def test_a_history_never_seen_backs_off_to_a_shorter_one() -> None:
    model = NextStepModel.learn([(1, 2, 3), (1, 2, 3)], 3, 3)
    assert model.probability(3, [3, 2]) == pytest.approx(
        NextStepModel.learn([(1, 2, 3), (1, 2, 3)], 3, 2).probability(3, [3, 2])
    )


def test_n_is_what_forecasts_a_left_out_recording_best() -> None:
    assert (
        choose_n([(1, 2, 1, 3, 1, 2, 1, 3)] * 4, 3) > 2
    )  # what follows 1 depends on what came before
    assert choose_n([(1,), (2,), (3,), (1,), (2,), (3,)], 3) == 1


def test_n_is_at_least_one() -> None:
    with pytest.raises(SettingError, match="n is 0"):
        NextStepModel.learn([(1,)], 1, 0)


TEA = Demonstrations.from_steps(
    [["boil", "pour", "drink"]], vocabulary=Vocabulary(("boil", "pour", "drink", "spill"))
)


def follower(handler: Handler, asked: Asked) -> None:
    """Expect what the recording did after the last step, and rubbish after pouring."""
    text = str(asked.content["messages"][-1]["content"])
    done = text.split("Done so far: ")[1].splitlines()[0].split(", ")[-1]
    following = {"nothing yet": ["boil"], "boil": ["pour"]}.get(done)
    handler.say("no idea" if following is None else json.dumps({"next key step": following}))


def test_what_the_model_did_not_expect_is_flagged_and_replies_are_kept(tmp_path: Path) -> None:
    with LlmServer() as server:
        server.usual = follower
        detector = LanguageModelForecast.learn(
            TEA, base_url=server.url, model=MODEL, cache=tmp_path
        )
        assert detector.flags(["boil", "pour"]) == (False, False)
        assert detector.flags(["boil", "drink"]) == (False, True)
        assert len(server.asked) == 2


def test_a_step_nobody_did_is_flagged_unasked_and_rubbish_flags_nothing(tmp_path: Path) -> None:
    with LlmServer() as server:
        server.usual = follower
        detector = LanguageModelForecast.learn(
            TEA, base_url=server.url, model=MODEL, cache=tmp_path
        )
        assert detector.flags(["spill"]) == (True,)
        assert not server.asked
        assert detector.flags(["boil", "pour", "boil"]) == (False, False, False)


def test_without_an_endpoint_the_message_says_how_to_name_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("STEPGRAPH_LLM_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SettingError, match="STEPGRAPH_LLM_URL"):
        LanguageModelForecast.learn(TEA)
