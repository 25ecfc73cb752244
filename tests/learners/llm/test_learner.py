from __future__ import annotations

import errno
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from stepgraph.errors import FileError, InputError, SettingError
from stepgraph.learners import get_learner
from stepgraph.learners.llm.learner import LanguageModel
from stepgraph.sequences import Demonstrations, Vocabulary
from tests.learners.llm.conftest import KEY, MakeLearner
from tests.learning import learn_all
from tests.llm_server import MODEL, Asked, Handler, LlmServer, chain, fails, says, slow

CABD = Demonstrations.from_steps(["cabd"], procedure="letters")
XY = Demonstrations.from_steps(["xy"])


def test_what_the_model_says_becomes_the_graph(make_learner: MakeLearner) -> None:
    learned = make_learner().learn(CABD)
    weights = {
        (words.name(row), words.name(column)): float(weight)
        for words in [learned.adjacency.vocabulary]
        for row, line in enumerate(learned.adjacency.matrix)
        for column, weight in enumerate(line)
        if weight
    }
    assert weights == {("a", "START"): 1, ("b", "a"): 1, ("c", "b"): 1, ("d", "c"): 1}
    assert learned.notes == (
        "test-model was asked about 4 steps; answers: 4 usable, 0 refused, 0 rubbish",
    )
    assert learned.facts["questions"] == learned.facts["answers_usable"] == 4
    assert learned.facts["answers_from_cache"] == 0


def test_the_order_of_the_recordings_is_not_told(
    make_learner: MakeLearner, server: LlmServer
) -> None:
    make_learner().learn(CABD)
    make_learner().learn(Demonstrations.from_steps(["dcba"]))
    assert server.steps == ["a", "b", "c", "d"]
    assert all(asked.options == sorted(asked.options) for asked in server.asked)


def test_everything_odd_is_handled_counted_and_named(
    make_learner: MakeLearner, server: LlmServer
) -> None:
    replies = {
        "boil water": '{"boil water": ["None of the above"]}',
        "add pasta": 'Of course: {"add pasta": ["boil waters", "boil water", "buy pasta"]}',
        "add salt": '```json\n{"add salt": ["add salt", "boil water"]}\n```',
        "drain": "I'm sorry, I can't help with that.",
        "eat": "yes",
    }
    server.usual = lambda handler, asked: handler.say(replies[asked.step])
    learned = make_learner().learn(Demonstrations.from_steps([list(replies)]))
    assert learned.adjacency.weight("add pasta", "boil water") == 1
    assert learned.adjacency.weight("add salt", "boil water") == 1
    assert learned.adjacency.weight("add salt", "add salt") == 0
    assert [learned.adjacency.weight(step, "START") for step in replies] == [1, 0, 0, 1, 1]
    assert learned.notes == (
        "test-model was asked about 5 steps; answers: 3 usable, 1 refused, 1 rubbish",
        "answers whose JSON was dug out of prose: 2",
        "names corrected: 'boil waters' -> 'boil water'",
        "unknown names dropped: 'buy pasta' (asked about 'add pasta')",
        "steps named as their own precondition, which was dropped: 'add salt'",
        "steps without a usable answer, taken to need nothing: 'drain', 'eat'",
    )
    assert learned.facts == {
        "questions": 5,
        "answers_usable": 3,
        "answers_refused": 1,
        "answers_rubbish": 1,
        "answers_from_cache": 0,
        "answers_dug_out_of_prose": 2,
        "names_corrected": 1,
        "names_unknown": 1,
        "names_of_the_step_itself": 1,
        "cache_files_damaged": 0,
    }


def test_notes_stay_readable_however_much_is_wrong(
    make_learner: MakeLearner, server: LlmServer
) -> None:
    names = ["y", *(f"{number} {'z' * 200}" for number in range(100))]
    server.usual = says(json.dumps({"STEP": names}))
    notes = make_learner().learn(XY).notes
    assert notes[1].endswith("and 188 more")
    assert all(len(note) < 2000 for note in notes)


@pytest.mark.parametrize(
    ("text", "words"), [("I'm sorry.", "2 refused"), ("yes", "2 rubbish")], ids=["refused", "odd"]
)
def test_without_any_usable_answer_there_is_no_graph(
    text: str, words: str, make_learner: MakeLearner, server: LlmServer
) -> None:
    server.usual = says(text)
    with pytest.raises(InputError, match=rf"no usable answer about any of 2 steps \({words}\)"):
        make_learner().learn(XY)


def test_a_step_that_no_recording_shows_is_not_asked_about(
    make_learner: MakeLearner, server: LlmServer
) -> None:
    words = Vocabulary(("a", "b", "never"))
    learned = make_learner().learn(Demonstrations.from_steps(["ab"], vocabulary=words))
    assert server.steps == ["a", "b"]
    assert all("never" not in asked.options for asked in server.asked)
    assert learned.adjacency.weight("never", "START") == 1


def test_a_step_without_others_is_not_asked_about(
    make_learner: MakeLearner, server: LlmServer
) -> None:
    learned = make_learner().learn(Demonstrations.from_steps(["a"]))
    assert learned.adjacency.weight("a", "START") == 1
    assert (server.asked, learned.notes) == ([], ())


@pytest.mark.parametrize("parallel", [1, 3])
def test_no_more_questions_are_open_than_allowed(
    parallel: int, make_learner: MakeLearner, server: LlmServer
) -> None:
    server.usual = slow(0.05)
    make_learner(parallel=parallel).learn_many([CABD, Demonstrations.from_steps(["klmno"])])
    assert server.most_at_once == parallel
    assert len(server.asked) == 9


def test_progress_is_told_with_every_answer(make_learner: MakeLearner) -> None:
    told: list[tuple[int, int]] = []
    make_learner().learn_many(
        [CABD, XY], progress=lambda done, total, _: told.append((done, total))
    )
    assert told == [*((done, 6) for done in range(7)), (6, 6)]


def test_a_second_run_costs_nothing(make_learner: MakeLearner, server: LlmServer) -> None:
    first = make_learner().learn(CABD)
    server.usual = fails(500)
    second = make_learner(key="another").learn(CABD)
    assert len(server.asked) == 4
    assert (second.adjacency.matrix == first.adjacency.matrix).all()
    assert second.notes == first.notes
    assert second.facts["answers_from_cache"] == 4


def test_the_same_question_is_asked_once(make_learner: MakeLearner, server: LlmServer) -> None:
    make_learner().learn_many([CABD, CABD], seeds=[0, 1, 2])
    assert len(server.asked) == 4


def test_another_temperature_asks_anew(make_learner: MakeLearner, server: LlmServer) -> None:
    make_learner().learn(XY)
    make_learner(temperature=0).learn(XY)
    make_learner(temperature=0.7).learn(XY)
    assert len(server.asked) == 4


def test_a_run_that_an_error_ended_goes_on_where_it_was(
    make_learner: MakeLearner, server: LlmServer
) -> None:
    server.script = [chain, chain, fails(400, "bad day")]
    with pytest.raises(InputError, match="bad day"):
        make_learner(parallel=1).learn(CABD)
    asked = [request.step for request in server.asked]
    server.asked.clear()
    make_learner().learn(CABD)
    assert server.steps == sorted({"a", "b", "c", "d"} - set(asked[:2]))


def test_a_run_that_somebody_interrupted_goes_on_where_it_was(
    make_learner: MakeLearner, server: LlmServer
) -> None:
    def interrupt(done: int, total: int, what: str) -> None:  # noqa: ARG001
        if done == 2:
            raise KeyboardInterrupt

    server.script = [chain, chain]
    server.usual = slow(60)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        make_learner(timeout=60, parallel=2).learn_many([CABD], progress=interrupt)
    assert time.monotonic() - begin < 60  # it did not wait for the answers
    server.usual = chain
    server.asked.clear()
    learned = make_learner().learn(CABD)
    assert len(set(server.steps)) == 2  # one of the first run may still have come in
    assert learned.facts["answers_from_cache"] == 2


def test_a_fatal_error_does_not_wait_for_the_rest(
    make_learner: MakeLearner, server: LlmServer
) -> None:
    first = threading.Event()

    def one_fails(handler: Handler, asked: Asked) -> None:
        if not first.is_set():
            first.set()
            handler.server.closing.wait(0.2)  # let the others begin
            handler.send(401, b"")
        else:
            slow(60)(handler, asked)

    server.usual = one_fails
    begin = time.monotonic()
    with pytest.raises(SettingError, match="STEPGRAPH_LLM_KEY"):
        make_learner(timeout=60).learn_many([CABD, Demonstrations.from_steps(["klmno"])])
    assert time.monotonic() - begin < 60  # it did not wait for the answers
    assert len(server.asked) <= 5
    assert not any(thread.name.startswith("stepgraph-llm") for thread in threading.enumerate())


def test_a_damaged_file_of_the_cache_is_asked_again_and_noted(
    make_learner: MakeLearner, server: LlmServer, tmp_path: Path
) -> None:
    first = make_learner().learn(CABD)
    broken = min((tmp_path / "cache").iterdir())
    whole = broken.read_text()
    broken.write_text(whole[:50])
    server.asked.clear()
    second = make_learner().learn(CABD)
    assert len(server.asked) == 1
    assert second.notes == (
        *first.notes,
        f"damaged files of the cache, asked again: {broken.name}",
    )
    assert second.facts["cache_files_damaged"] == 1
    assert broken.read_text() == whole


def test_a_cache_that_cannot_be_made_is_told_before_anything_is_asked(
    make_learner: MakeLearner, server: LlmServer, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be made"):
        make_learner(cache=tmp_path / "file" / "cache").learn(CABD)
    assert server.asked == []


def test_a_full_disk_is_one_clear_error(
    make_learner: MakeLearner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(FileError, match=r"cannot be written \(No space left"):
        make_learner().learn(CABD)
    assert list((tmp_path / "cache").iterdir()) == []


def test_the_key_is_written_nowhere(
    make_learner: MakeLearner, server: LlmServer, tmp_path: Path
) -> None:
    server.usual = lambda handler, asked: handler.say(
        f"{asked.authorization} " + json.dumps({asked.step: []})
    )
    learner = make_learner()
    settings: dict[str, Any] = {
        "base_url": server.url,
        "model": MODEL,
        "key": KEY,
        "cache": tmp_path / "cache",
    }
    (learning,) = learn_all([CABD], "llm", **settings)
    assert server.asked[0].authorization == f"Bearer {KEY}"
    kept = [path.read_text() for path in (tmp_path / "cache").iterdir()]
    assert len(kept) == 4
    for text in (repr(learner), repr(learning), *kept):
        assert KEY not in text
    assert learning.graph.provenance.settings == {
        "base_url": server.url,
        "cache": str(tmp_path / "cache"),
        "model": MODEL,
    }


def test_the_key_of_the_environment_is_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPGRAPH_LLM_KEY", KEY)
    assert get_learner("llm").key == ""  # type: ignore[attr-defined]


def test_endpoint_and_model_may_come_from_the_environment(
    server: LlmServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STEPGRAPH_LLM_URL", server.url)
    monkeypatch.setenv("STEPGRAPH_LLM_MODEL", "another")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("STEPGRAPH_CACHE", str(tmp_path / "there"))
    LanguageModel().learn(XY)
    assert server.asked[0].content["model"] == "another"
    assert server.asked[0].authorization == f"Bearer {KEY}"
    assert len(list((tmp_path / "there").iterdir())) == 2


def test_without_an_endpoint_learning_says_what_to_set() -> None:
    with pytest.raises(SettingError, match="STEPGRAPH_LLM_URL"):
        LanguageModel().learn(XY)


@pytest.mark.parametrize(
    "settings",
    [
        {"parallel": 0},
        {"timeout": 0},
        {"timeout": 1e9},
        {"retries": -1},
        {"retries": 1.5},
        {"temperature": -0.1},
        {"base_url": 3},
        {"model": None},
        {"cache": 3},
        {"cache": "a\0b"},
        {"key": 12345678},
    ],
    ids=str,
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=next(iter(settings))) as caught:
        LanguageModel(**settings)
    assert "12345678" not in str(caught.value)
