from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepgraph.errors import FileError, FormatError
from stepgraph.files import (
    make_folder,
    reading_arrays,
    write_bytes,
    write_into_folder,
    write_text,
    write_texts,
)
from stepgraph.formats import save_graph
from stepgraph.graph import TaskGraph
from tests.formats.wrong import names_in


def test_an_older_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    path.write_text("old")
    write_text(path, "new\n")
    assert path.read_bytes() == b"new\n"
    assert names_in(tmp_path) == ["g.json"]


@pytest.mark.parametrize("interruption", [OSError(errno.ENOSPC, "No space"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    interruption: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.json"
    path.write_text("old")

    def fail(_self: Path, _target: Path) -> Path:
        # By now the new content is in a file beside the old one.
        assert len(names_in(tmp_path)) == 2
        raise interruption

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises((FileError, KeyboardInterrupt)):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["g.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_named_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def open_full(self: Path, *args: Any, **kwargs: Any) -> Any:
        opened(self, *args, **kwargs).close()
        return opened(Path("/dev/full"), "wb")

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(FileError, match="No space left on device"):
        write_text(tmp_path / "g.json", "new")
    assert names_in(tmp_path) == []


def test_half_of_a_character_is_refused_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    path.write_text("old")
    with pytest.raises(FormatError, match="UTF-8"):
        save_graph(TaskGraph(["a\ud800"], []), path)
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["g.json"]


def test_a_folder_that_does_not_exist_is_not_written_to(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        write_text(tmp_path / "no" / "g.json", "text")


def test_a_file_in_place_of_a_folder_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(FileError, match="cannot be written"):
        write_text(tmp_path / "file" / "g.json", "text")
    assert (tmp_path / "file").read_text() == "old"


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="a folder, expected a file name"):
        write_text(tmp_path, "text")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_device_or_pipe_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(FileError, match="not a plain file"):
        write_text(path, "text")
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert names_in(tmp_path) == ["pipe"]


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "elsewhere")
    (folder / "target").write_text("old")
    (tmp_path / "link").symlink_to(folder / "target")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (folder / "target").read_text() == "new"
    assert names_in(folder) == ["target"]


def test_the_longest_name_that_the_file_system_takes_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_text(path, "text")
    assert path.read_text() == "text"


def test_line_ends_are_the_same_on_every_system(tmp_path: Path) -> None:
    write_text(tmp_path / "x", "a\nb\r\n")
    assert (tmp_path / "x").read_bytes() == b"a\nb\r\n"


def test_a_folder_is_made_with_those_above_it_and_kept_if_it_is_there(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "a" / "b")
    assert folder.is_dir()
    assert make_folder(folder) == folder


def test_a_folder_where_a_file_is_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(FileError, match="the folder cannot be made"):
            make_folder(path)


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


def test_a_header_of_an_array_that_cannot_be_sorted_is_none() -> None:
    header = b"{b'descr': '<f4', 'fortran_order': False, 'shape': (1,)}\n"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(4)
    with pytest.raises(ValueError, match="not supported between"), reading_arrays():
        np.load(io.BytesIO(content), allow_pickle=False)
