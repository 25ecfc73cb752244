from __future__ import annotations

import email.utils
import json
import socket
import threading
import time

import pytest

from stepgraph.errors import InputError, SettingError
from stepgraph.learners.llm.client import Client, Reply, StoppedError
from stepgraph.learners.llm.questions import Question
from tests.learners.llm.conftest import KEY, MakeClient
from tests.llm_server import (
    MODEL,
    Behaviour,
    LlmServer,
    break_off,
    drip_body,
    drip_headers,
    endless,
    fails,
    hang_up,
    says,
    slow,
)

ASK = Question("b", ("a", "c")).messages
CHAINED = Reply('{"b": ["a"]}')


def test_a_question_is_posted_as_the_protocol_has_it(
    make_client: MakeClient, server: LlmServer
) -> None:
    assert make_client(key=KEY, temperature=0.5).ask(ASK) == CHAINED
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.authorization == f"Bearer {KEY}"
    assert asked.content == {"model": MODEL, "messages": ASK, "temperature": 0.5}


def test_without_a_key_none_is_sent(make_client: MakeClient, server: LlmServer) -> None:
    make_client().ask(ASK)
    assert server.asked[0].authorization is None


@pytest.mark.parametrize(
    "trouble",
    [
        fails(500),
        fails(503, "overloaded"),
        fails(429),
        hang_up,
        break_off,
        slow(60),
        drip_headers,
        drip_body,
        fails(200, "<html>"),
        fails(200, '"text"'),
        fails(200, "[" * 100_000),
        fails(200, '{"error": "later"}'),
        fails(200, '{"choices": []}'),
        fails(200, '{"choices": [{"message": {"content": 3}}]}'),
    ],
    ids=[
        "500",
        "503",
        "429",
        "hang up",
        "break off",
        "slow",
        "dripping headers",
        "dripping body",
        "HTML",
        "text",
        "deep",
        "error",
        "no choice",
        "number",
    ],
)
def test_what_may_pass_is_asked_again(
    trouble: Behaviour, make_client: MakeClient, server: LlmServer
) -> None:
    server.script = [trouble]
    assert make_client(timeout=2).ask(ASK) == CHAINED
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (fails(500, "out of memory"), "HTTP 500: out of memory"),
        (slow(60), r"did not answer within 0\.1 s"),
        (hang_up, "the connection broke"),
        (fails(200, "<html>no</html>"), "not JSON: <html>no</html>"),
        (fails(200, "{}"), r"no choices: \{\}"),
    ],
    ids=["500", "slow", "hang up", "not JSON", "no choices"],
)
def test_what_does_not_pass_is_one_clear_error(
    trouble: Behaviour, words: str, make_client: MakeClient, server: LlmServer
) -> None:
    server.usual = trouble
    with pytest.raises(InputError, match=rf"chat/completions: no usable .* 3 attempts.*{words}"):
        make_client(retries=2, timeout=0.1).ask(ASK)
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    "trouble", [slow(60), drip_headers, drip_body], ids=["slow", "headers", "body"]
)
def test_the_time_out_is_for_the_whole_request(
    trouble: Behaviour, make_client: MakeClient, server: LlmServer
) -> None:
    server.usual = trouble
    begin = time.monotonic()
    with pytest.raises(InputError, match="did not answer within"):
        make_client(retries=0, timeout=0.3).ask(ASK)
    assert time.monotonic() - begin > 0.25


def test_pauses_grow_and_have_an_end(
    make_client: MakeClient, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepgraph.learners.llm.client.FIRST_PAUSE", 0.5)
    pauses: list[float] = []
    server.usual = fails(500)
    with pytest.raises(InputError):
        make_client(retries=9, pause=pauses.append).ask(ASK)
    assert pauses == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]


@pytest.mark.parametrize(
    ("asked", "low", "high"),
    [
        ("7", 7, 7),
        ("86400", 60, 60),
        ("9" * 400, 60, 60),
        pytest.param(
            email.utils.formatdate(time.time() + 3600, usegmt=True), 60, 60, id="in an hour"
        ),
        pytest.param(
            email.utils.formatdate(time.time() - 3600, usegmt=True), 0, 0.01, id="an hour ago"
        ),
        ("soon", 0, 0.01),
        ("-3", 0, 0.01),
    ],
)
def test_a_server_may_ask_for_a_pause_within_reason(
    asked: str, low: float, high: float, make_client: MakeClient, server: LlmServer
) -> None:
    pauses: list[float] = []
    server.script = [fails(429, Retry_After=asked)]
    make_client(pause=pauses.append).ask(ASK)
    (pause,) = pauses
    assert low <= pause <= high


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 301, 307])
def test_what_will_not_pass_is_not_asked_again(
    status: int, make_client: MakeClient, server: LlmServer
) -> None:
    server.usual = fails(status, f"your key {KEY} is wrong", Location="http://127.0.0.1:9/")
    with pytest.raises(InputError, match=f"HTTP {status}") as caught:
        make_client(key=KEY).ask(ASK)
    assert len(server.asked) == 1
    assert KEY not in str(caught.value)


def test_a_refused_key_names_the_variable_to_set(
    make_client: MakeClient, server: LlmServer
) -> None:
    server.usual = fails(401)
    with pytest.raises(SettingError, match=r"key was refused .*STEPGRAPH_LLM_KEY"):
        make_client(key=KEY).ask(ASK)
    with pytest.raises(SettingError, match=r"wants a key .*STEPGRAPH_LLM_KEY"):
        make_client().ask(ASK)


def test_an_unknown_model_names_the_settings(make_client: MakeClient, server: LlmServer) -> None:
    server.usual = fails(404, '{"error": "no such model"}')
    with pytest.raises(SettingError, match=r"'test-model'.*no such model.*base_url.*model"):
        make_client().ask(ASK)


def test_a_refused_connection_says_so_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(InputError, match=rf"{address}.*refused.*STEPGRAPH_LLM_URL"):
            Client(address, MODEL).ask(ASK)


def test_plain_text_where_tls_is_expected_says_so(server: LlmServer) -> None:
    with pytest.raises(InputError, match="no secure connection"):
        Client(server.url.replace("http:", "https:"), MODEL).ask(ASK)


def test_an_endless_reply_is_cut_off(make_client: MakeClient, server: LlmServer) -> None:
    server.usual = endless
    with pytest.raises(InputError, match="longer than 1048576 bytes and was cut off"):
        make_client().ask(ASK)
    assert len(server.asked) == 1


def test_a_proxy_is_not_used_for_this_computer(
    make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert make_client(retries=0).ask(ASK) == CHAINED


@pytest.mark.parametrize(
    "behaviour",
    [
        says("", refusal="I will not."),
        lambda handler, _: handler.say(None, refusal="I will not."),
        fails(
            200,
            json.dumps(
                {"choices": [{"finish_reason": "content_filter", "message": {"content": ""}}]}
            ),
        ),
    ],
    ids=["empty", "null", "filter"],
)
def test_a_refusal_that_the_protocol_marks_is_passed_on(
    behaviour: Behaviour, make_client: MakeClient, server: LlmServer
) -> None:
    server.usual = behaviour
    assert make_client().ask(ASK).refused


def test_a_server_that_echoes_the_key_does_not_bring_it_in(
    make_client: MakeClient, server: LlmServer
) -> None:
    server.usual = says(f"you sent {KEY}")
    assert make_client(key=KEY).ask(ASK).text == "you sent [key]"
    server.usual = says("you sent mix")
    assert make_client(key="mix").ask(ASK).text == "you sent mix"


def test_no_error_and_no_repr_shows_the_key(make_client: MakeClient, server: LlmServer) -> None:
    client = make_client(key=KEY, retries=0)
    assert KEY not in repr(client)
    for trouble in (fails(500, " " * 1990 + KEY), fails(400, KEY), fails(200, KEY), hang_up):
        server.usual = trouble
        with pytest.raises(InputError) as caught:
            client.ask(ASK)
        assert KEY[:6] not in f"{caught.getrepr(style='long', showlocals=False)}"
        assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    "trouble", [slow(60), drip_headers, fails(429)], ids=["slow", "headers", "pause"]
)
def test_stopping_ends_what_is_under_way(
    trouble: Behaviour,
    make_client: MakeClient,
    server: LlmServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    long = 60.0
    monkeypatch.setattr("stepgraph.learners.llm.client.FIRST_PAUSE", long)
    server.usual = trouble
    client = make_client(timeout=long)
    timer = threading.Timer(0.2, client.stop)
    timer.start()
    begin = time.monotonic()
    with pytest.raises(StoppedError):
        client.ask(ASK)
    assert time.monotonic() - begin < long  # it did not wait for the end
    timer.join()
    with pytest.raises(StoppedError):
        client.ask(ASK)
