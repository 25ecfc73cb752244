from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.mistakes.detectors.next_step import LanguageModelForecast
from stepgraph.errors import SettingError
from stepgraph.sequences import Demonstrations, Vocabulary
from tests.llm_server import MODEL, Asked, Handler, LlmServer

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
