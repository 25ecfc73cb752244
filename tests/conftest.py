"""What tests of several packages share."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.llm_server import MODEL, LlmServer

# A first example pays for imports, and a machine may have other work: what is to be fast has a test
# that measures it.
settings.register_profile("stepgraph", deadline=None)
settings.load_profile("stepgraph")


class LeftTheComputerError(RuntimeError):
    """A test tried to reach another computer."""


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Let nothing in this process talk to another computer, so that all tests pass without one."""

    def at_home(plain: Callable[..., Any]) -> Callable[..., Any]:
        def connect(self: socket.socket, address: Any) -> Any:
            # To connect a datagram socket sends nothing; Dask does so to learn its own address.
            streams = self.family != socket.AF_UNIX and self.type == socket.SOCK_STREAM
            if streams and address[0] not in ("127.0.0.1", "::1"):
                raise LeftTheComputerError(f"a test connects to {address}")
            return plain(self, address)

        return connect

    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, at_home(getattr(socket.socket, name)))
        yield


@pytest.fixture
def data() -> Path:
    """Return the folder of public data sets, or skip the test where there is none."""
    folder = os.environ.get("STEPGRAPH_DATA")
    if not folder:
        pytest.skip("STEPGRAPH_DATA is not set: no public data sets to read")
    return Path(folder)


@pytest.fixture(scope="module")
def language_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let the environment name a language model on this computer, with an empty cache."""
    with LlmServer() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEPGRAPH_LLM_URL", server.url)
        patch.setenv("STEPGRAPH_LLM_MODEL", MODEL)
        patch.setenv("STEPGRAPH_CACHE", str(tmp_path_factory.mktemp("llm-cache")))
        yield
