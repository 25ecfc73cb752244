from __future__ import annotations

from pathlib import Path

import pytest

from tgml.errors import FileError, FormatError
from tgml.files import write_bytes, write_into_folder, write_texts


def test_several_files_are_written_or_none(tmp_path: Path) -> None:
    good, bad = tmp_path / "a.txt", tmp_path / "missing" / "b.txt"
    with pytest.raises(FileError, match=r"b\.txt"):
        write_texts({good: "one", bad: "two"})
    assert list(tmp_path.iterdir()) == []
    write_texts({good: "one", tmp_path / "b.txt": "two"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]


def test_a_failed_write_leaves_older_files_as_they_were(tmp_path: Path) -> None:
    old = tmp_path / "a.txt"
    old.write_text("old")
    with pytest.raises(FormatError, match="UTF-8"):
        write_texts({old: "new", tmp_path / "b.txt": "\ud800"})
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


def test_a_folder_made_for_files_that_fail_is_removed_again(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "deep"
    with pytest.raises(FormatError):
        write_into_folder(folder, {"a.txt": "fine", "b.txt": "\ud800"})
    assert list(tmp_path.iterdir()) == []
    assert write_into_folder(folder, {"a.txt": "fine"}) == (folder / "a.txt",)


def test_a_folder_that_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    with pytest.raises(FormatError):
        write_into_folder(tmp_path / "kept", {"a.txt": "\ud800"})
    assert (tmp_path / "kept").is_dir()


def test_bytes_are_written_as_they_are_or_not_at_all(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a.png", b"\x89PNG\xff\x00")
    assert (tmp_path / "a.png").read_bytes() == b"\x89PNG\xff\x00"
    with pytest.raises(FileError, match="missing"):
        write_bytes(tmp_path / "missing" / "b.png", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]
