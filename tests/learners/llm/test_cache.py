from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from stepgraph.errors import FileError
from stepgraph.learners.llm.cache import Cache, DamagedError
from stepgraph.learners.llm.client import Reply
from stepgraph.learners.llm.questions import Question

ASK = Question("b", ("a", "c")).messages
OTHER = Question("c", ("a", "b")).messages


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    cache = Cache(tmp_path / "some" / "where", "m", 0.0)
    cache.open()
    return cache


@pytest.mark.parametrize("reply", [Reply("text"), Reply("", refused=True), Reply("half \ud83d é")])
def test_what_was_saved_is_found_again(cache: Cache, reply: Reply) -> None:
    assert cache.load(ASK) is None
    cache.save(ASK, reply)
    assert cache.load(ASK) == reply
    assert cache.load(OTHER) is None


def test_another_model_or_temperature_is_another_answer(cache: Cache) -> None:
    cache.save(ASK, Reply("text"))
    assert Cache(cache.folder, "n", 0.0).load(ASK) is None
    assert Cache(cache.folder, "m", 0.5).load(ASK) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda _: b"{",
        lambda _: b"[]",
        lambda _: b"\xff",
        lambda content: content[: len(content) // 2],
        lambda content: content.replace(b'"text": "text"', b'"text": 3'),
        lambda content: content.replace(b'"refused": false', b'"refused": null'),
        lambda content: content.replace(b"stepgraph-llm-answer", b"stepgraph-graph"),
        lambda content: content.replace(b'"model": "m"', b'"model": "n"'),
    ],
)
def test_a_damaged_file_is_told(cache: Cache, damage: Any) -> None:
    cache.save(ASK, Reply("text"))
    path = cache.path(ASK)
    before = path.read_bytes()
    path.write_bytes(damage(before))
    assert path.read_bytes() != before
    with pytest.raises(DamagedError, match=path.name):
        cache.load(ASK)


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be made"):
        Cache(tmp_path / "file" / "cache", "m", 0.0).open()


def test_a_full_disk_leaves_nothing_half_written(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(FileError, match=r"cannot be written \(No space left"):
        cache.save(ASK, Reply("text"))
    assert list(cache.folder.iterdir()) == []
