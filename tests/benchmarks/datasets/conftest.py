from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType

import pytest

from benchmarks.datasets import DataFile, DataSet, Evidence, Source
from benchmarks.datasets import catalogue as catalogue_module
from tests.benchmarks.datasets.server import Server

SOURCE = Source("owner/name", "0123456789abcdef0123456789abcdef01234567", "some folder")

CONTENT = bytes(range(256)) * 40
OTHER = b"short\r\n"

Publish = Callable[..., DataFile]


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that gives nothing yet."""
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def publish(server: Server) -> Publish:
    """Let the server give a file, and return its entry in a catalogue."""

    def put(
        path: str = "toys/large.bin",
        content: bytes = CONTENT,
        evidence: Evidence = Evidence.WHOLE,
    ) -> DataFile:
        digest = hashlib.sha256(content).hexdigest()
        file = DataFile(path, len(content), digest, SOURCE, evidence)
        server.content[server.settings().url(file).removeprefix(server.base_url)] = content
        return file

    return put


@pytest.fixture
def toys(publish: Publish, monkeypatch: pytest.MonkeyPatch) -> DataSet:
    """A data set of three files, one of which is not offered; the only one in the catalogue."""
    files = (
        publish("toys/large.bin", CONTENT),
        publish("toys/below/short.csv", OTHER),
        publish("toys/private.txt", b"elsewhere", Evidence.UNSEEN),
    )
    dataset = DataSet("toys", "toys to play with", "CC BY-NC 4.0", non_commercial=True)
    monkeypatch.setattr(catalogue_module, "_files", lambda: {"toys": files})
    known = MappingProxyType({"toys": dataset})
    monkeypatch.setattr(catalogue_module, "DATASETS", known)
    monkeypatch.setattr("benchmarks.datasets.DATASETS", known)
    return dataset


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """The place of the large file in an empty data directory."""
    (tmp_path / "toys").mkdir()
    return tmp_path / "toys" / "large.bin"
