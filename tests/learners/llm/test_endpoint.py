from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph.errors import SettingError
from stepgraph.learners.llm.endpoint import Endpoint, find_cache, find_endpoint
from tests.learners.llm.conftest import KEY

URL = "http://127.0.0.1:8000/v1"


def test_settings_come_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STEPGRAPH_LLM_URL", "STEPGRAPH_LLM_MODEL", "STEPGRAPH_LLM_KEY"):
        monkeypatch.setenv(name, "not this")
    assert find_endpoint(URL, "m", "k") == Endpoint(URL, "m", "k")


def test_our_variables_come_before_those_of_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPGRAPH_LLM_MODEL", "m")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://127.0.0.1/openai")
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    assert find_endpoint("", "", "") == Endpoint("https://127.0.0.1/openai", "m", "theirs")
    monkeypatch.setenv("STEPGRAPH_LLM_URL", URL)
    monkeypatch.setenv("STEPGRAPH_LLM_KEY", "ours\n")
    assert find_endpoint("", "", "") == Endpoint(URL, "m", "ours")


def test_a_missing_address_or_model_says_what_to_set() -> None:
    with pytest.raises(SettingError, match=r"base_url.*STEPGRAPH_LLM_URL or OPENAI_BASE_URL"):
        find_endpoint("", "m", "")
    with pytest.raises(SettingError, match=r"model=.*STEPGRAPH_LLM_MODEL"):
        find_endpoint(URL, "", "")


@pytest.mark.parametrize("extra", ["", "/", "/chat/completions", "/chat/completions/"])
def test_the_address_may_be_that_of_the_whole_request(extra: str) -> None:
    assert find_endpoint(URL + extra, "m", "").base_url == URL


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000",
        "ftp://host/v1",
        "http://",
        "http://[::1",
        "http://h:99999/",
        "http://h/a b",
        "file:///etc/passwd",
        "http://hé/v1",
        "http://h\r\nX: y/",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(SettingError, match="expected an address"):
        find_endpoint(url, "m", "")


@pytest.mark.parametrize(
    "url", [f"http://me:{KEY}@h/v1", f"http://{KEY}@h/v1", f"http://h/v1?key={KEY}"]
)
def test_a_secret_in_the_address_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(SettingError, match="STEPGRAPH_LLM_KEY") as caught:
        find_endpoint(url, "m", "")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("key", [f"{KEY} {KEY}", f"{KEY}\r\nX: y", f"{KEY}é"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(SettingError, match="STEPGRAPH_LLM_KEY") as caught:
        find_endpoint(URL, "m", key)
    assert KEY not in str(caught.value)


def test_the_cache_is_the_given_folder_or_the_environments_or_the_users(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert find_cache("") == tmp_path / ".cache" / "stepgraph" / "llm"
    monkeypatch.setenv("STEPGRAPH_CACHE", "there")
    assert find_cache("") == Path("there")
    assert find_cache("here") == Path("here")
