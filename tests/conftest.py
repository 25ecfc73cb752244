"""What tests of several packages share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.llm_server import MODEL, LlmServer


@pytest.fixture
def data() -> Path:
    """Return the folder of public data sets, or skip the test where there is none."""
    folder = os.environ.get("TGML_DATA")
    if not folder:
        pytest.skip("TGML_DATA is not set: no public data sets to read")
    return Path(folder)


@pytest.fixture(scope="module")
def language_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let the environment name a language model on this computer, with an empty cache."""
    with LlmServer() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TGML_LLM_URL", server.url)
        patch.setenv("TGML_LLM_MODEL", MODEL)
        patch.setenv("TGML_CACHE", str(tmp_path_factory.mktemp("llm-cache")))
        yield
