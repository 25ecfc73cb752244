from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(autouse=True)
def _own_cache(_cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep embeddings apart from the user's own."""
    monkeypatch.setenv("STEPGRAPH_CACHE", _cache)
