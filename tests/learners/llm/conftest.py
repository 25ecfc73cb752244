from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stepgraph.learners.llm.client import Client
from stepgraph.learners.llm.learner import LanguageModel
from tests.llm_server import MODEL, LlmServer

MakeLearner = Callable[..., LanguageModel]
MakeClient = Callable[..., Client]
KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test depend on somebody's own endpoint, nor wait long between attempts."""
    for name in (
        "STEPGRAPH_LLM_URL",
        "STEPGRAPH_LLM_MODEL",
        "STEPGRAPH_LLM_KEY",
        "STEPGRAPH_CACHE",
        "OPENAI_BASE_URL",
        "OPENAI_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("stepgraph.learners.llm.client.FIRST_PAUSE", 0.001)


@pytest.fixture
def server() -> Iterator[LlmServer]:
    """Run a language model."""
    with LlmServer() as running:
        yield running


@pytest.fixture
def make_learner(server: LlmServer, tmp_path: Path) -> MakeLearner:
    """Make learners that ask the server."""

    def make(**settings: Any) -> LanguageModel:
        usual = {
            "base_url": server.url,
            "model": MODEL,
            "key": KEY,
            "cache": tmp_path / "cache",
            "timeout": 5.0,
        }
        return LanguageModel(**{**usual, **settings})

    return make


@pytest.fixture
def make_client(server: LlmServer) -> MakeClient:
    """Make clients of the server."""

    def make(**settings: Any) -> Client:
        return Client(**{"base_url": server.url, "model": MODEL, "timeout": 5.0, **settings})

    return make
