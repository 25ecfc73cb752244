"""A data set is completed, never damaged, and nothing is written beside it."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

import pytest

from benchmarks.datasets import DataSet, Evidence, State, examine, fetch
from benchmarks.datasets import catalogue as catalogue_module
from benchmarks.datasets.directory import inside
from benchmarks.datasets.download import DownloadError
from stepgraph.errors import FileError
from tests.benchmarks.datasets import server as answers
from tests.benchmarks.datasets.conftest import CONTENT, OTHER
from tests.benchmarks.datasets.server import Server


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_what_is_offered_comes_and_the_rest_is_named(
    server: Server, toys: DataSet, tmp_path: Path
) -> None:
    told: list[tuple[int, int, str]] = []
    report = fetch(
        toys,
        tmp_path / "new" / "data",
        settings=server.settings(),
        progress=lambda *what: told.append(what),
    )
    assert tree(tmp_path / "new" / "data") == {"toys/large.bin", "toys/below/short.csv"}
    assert [file.path for file in report.fetched] == ["toys/large.bin", "toys/below/short.csv"]
    assert [file.path for file in report.missing] == ["toys/private.txt"]
    assert report.present == ()
    total = len(CONTENT) + len(OTHER)
    assert {whole for _, whole, _ in told} == {total}
    assert told[-1] == (total, total, "toys/below/short.csv")


def test_a_second_run_asks_for_nothing(server: Server, toys: DataSet, tmp_path: Path) -> None:
    fetch(toys, tmp_path, settings=server.settings())
    request = len(server.requests)
    report = fetch(toys, tmp_path, settings=server.settings())
    assert len(server.requests) == request
    assert report.fetched == ()
    assert len(report.present) == 2


def test_a_failed_run_keeps_the_files_that_are_whole(
    server: Server, toys: DataSet, tmp_path: Path
) -> None:
    server.script += [answers.properly, answers.status(404)]
    with pytest.raises(DownloadError, match="404"):
        fetch(toys, tmp_path, settings=server.settings())
    assert tree(tmp_path) == {"toys/large.bin"}
    report = fetch(toys, tmp_path, settings=server.settings())
    assert [file.path for file in report.fetched] == ["toys/below/short.csv"]


def test_a_file_of_the_users_own_is_replaced_only_when_they_say_so(
    server: Server, toys: DataSet, tmp_path: Path
) -> None:
    (tmp_path / "toys").mkdir()
    (tmp_path / "toys" / "large.bin").write_bytes(b"mine")
    with pytest.raises(FileError, match=r"large.bin: there already, .* or use --replace"):
        fetch(toys, tmp_path, settings=server.settings())
    assert tree(tmp_path) == {"toys/large.bin"}
    assert server.requests == []
    fetch(toys, tmp_path, settings=server.settings(), replace=True)
    assert (tmp_path / "toys" / "large.bin").read_bytes() == CONTENT


@pytest.mark.parametrize(
    "path",
    ["../out.bin", "toys/../../out.bin", "/out.bin", "toys\\..\\out.bin", "C:out.bin", "", "."],
)
def test_a_path_that_leads_out_of_the_data_directory_is_refused(
    server: Server,
    toys: DataSet,
    tmp_path: Path,
    path: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = (dataclasses.replace(toys.files[0], path=path),)
    monkeypatch.setattr(catalogue_module, "_files", lambda: {"toys": files})
    with pytest.raises(FileError, match="not a path below the data directory"):
        fetch(toys, tmp_path / "data", settings=server.settings())
    assert tree(tmp_path) == set()
    assert server.requests == []


def test_a_link_that_leads_out_of_the_data_directory_is_refused(
    server: Server, toys: DataSet, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "data" / "toys").symlink_to(tmp_path / "outside")
    with pytest.raises(FileError, match="a link that leads out of the data directory"):
        fetch(toys, tmp_path / "data", settings=server.settings())
    assert tree(tmp_path / "outside") == set()


def test_a_data_directory_that_is_a_link_itself_will_do(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "data").symlink_to(tmp_path / "real")
    assert inside(tmp_path / "data", "toys/x.csv") == tmp_path / "data" / "toys" / "x.csv"


def test_each_file_is_present_missing_or_different(toys: DataSet, tmp_path: Path) -> None:
    assert set(examine(toys, tmp_path).states) == {State.MISSING}
    (tmp_path / "toys" / "below").mkdir(parents=True)
    (tmp_path / "toys" / "large.bin").write_bytes(CONTENT)
    (tmp_path / "toys" / "below" / "short.csv").write_bytes(OTHER.replace(b"\r\n", b"\n\n"))
    status = examine(toys, tmp_path)
    assert status.states == (State.PRESENT, State.DIFFERENT, State.MISSING)
    assert status.files(State.DIFFERENT) == (toys.files[1],)
    (tmp_path / "toys" / "private.txt").mkdir()
    assert examine(toys, tmp_path).states[2] is State.DIFFERENT


def test_a_file_that_cannot_be_read_is_a_file_error(
    toys: DataSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / "toys").mkdir()
    (tmp_path / "toys" / "large.bin").write_bytes(CONTENT)
    monkeypatch.setattr("benchmarks.datasets.directory.checksum", refuse)
    with pytest.raises(FileError, match=r"large.bin: cannot be read \(Permission denied\)"):
        examine(toys, tmp_path)


def test_a_file_that_is_not_offered_may_be_copied_by_hand(
    server: Server, toys: DataSet, tmp_path: Path
) -> None:
    (tmp_path / "toys").mkdir()
    (tmp_path / "toys" / "private.txt").write_bytes(b"elsewhere")
    assert hashlib.sha256(b"elsewhere").hexdigest() == toys.files[2].sha256
    report = fetch(toys, tmp_path, settings=server.settings())
    assert [file.evidence for file in report.present] == [Evidence.UNSEEN]
    assert report.missing == ()
