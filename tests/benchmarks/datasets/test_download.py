"""A download brings exactly the pinned bytes or a clear error, whatever the server does."""

from __future__ import annotations

import errno
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.datasets import download as module
from benchmarks.datasets.download import DownloadError, DownloadSettings, download
from stepgraph.errors import FileError, SettingError
from tests.benchmarks.datasets import server as answers
from tests.benchmarks.datasets.conftest import CONTENT, Publish
from tests.benchmarks.datasets.server import Answer, Server


def ignore(length: int) -> None:
    pass


def part_of(target: Path) -> Path:
    return target.with_name(f"{target.name}.part")


def names(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir())


def test_the_file_is_put_in_place_and_nothing_else_is_left(
    server: Server, publish: Publish, target: Path
) -> None:
    told: list[int] = []
    download(publish(), target, server.settings(), told.append)
    assert target.read_bytes() == CONTENT
    assert names(target) == ["large.bin"]
    assert told == sorted(told)
    assert told[-1] == len(CONTENT)
    (request,) = server.requests
    assert request.path == (
        "/owner/name/0123456789abcdef0123456789abcdef01234567/some%20folder/large.bin"
    )
    assert request.range is None


def test_a_connection_that_is_cut_is_taken_up_where_it_ended(
    server: Server, publish: Publish, target: Path
) -> None:
    server.script += [answers.cut_after(1000), answers.cut_after(500)]
    download(publish(), target, server.settings(), ignore)
    assert target.read_bytes() == CONTENT
    assert [request.range for request in server.requests] == [None, "bytes=1000-", "bytes=1500-"]


def test_what_an_earlier_run_left_is_not_asked_for_again(
    server: Server, publish: Publish, target: Path
) -> None:
    part_of(target).write_bytes(CONTENT[:4000])
    download(publish(), target, server.settings(), ignore)
    assert target.read_bytes() == CONTENT
    assert [request.range for request in server.requests] == ["bytes=4000-"]
    assert names(target) == ["large.bin"]


def test_a_part_that_is_whole_is_only_compared(
    server: Server, publish: Publish, target: Path
) -> None:
    part_of(target).write_bytes(CONTENT)
    download(publish(), target, server.settings(), ignore)
    assert target.read_bytes() == CONTENT
    assert server.requests == []


@pytest.mark.parametrize(
    "answer",
    [answers.without_ranges, answers.from_another_place, answers.cannot_go_on],
    ids=lambda answer: answer.__name__,
)
def test_a_server_that_cannot_go_on_is_asked_for_the_whole_file(
    server: Server, publish: Publish, target: Path, answer: Answer
) -> None:
    part_of(target).write_bytes(CONTENT[:4000])
    server.script.append(answer)
    download(publish(), target, server.settings(), ignore)
    assert target.read_bytes() == CONTENT
    assert names(target) == ["large.bin"]


@pytest.mark.parametrize(
    "left",
    [b"?" * 4000, b"?" * len(CONTENT), CONTENT + b"more"],
    ids=["another beginning", "another file", "too long"],
)
def test_a_part_of_something_else_does_no_harm(
    server: Server, publish: Publish, target: Path, left: bytes
) -> None:
    part_of(target).write_bytes(left)
    download(publish(), target, server.settings(), ignore)
    assert target.read_bytes() == CONTENT
    assert server.requests[-1].range is None


def test_a_part_that_is_a_link_is_not_written_through(
    server: Server, publish: Publish, target: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_bytes(b"precious")
    part_of(target).symlink_to(outside)
    download(publish(), target, server.settings(), ignore)
    assert outside.read_bytes() == b"precious"
    assert target.read_bytes() == CONTENT
    assert not target.is_symlink()


def test_something_else_of_the_same_length_is_refused_with_both_checksums(
    server: Server, publish: Publish, target: Path
) -> None:
    file = publish()
    server.script.append(answers.instead(b"?" * len(CONTENT)))
    with pytest.raises(DownloadError, match=r"its SHA-256 is [0-9a-f]{64}, expected") as raised:
        download(file, target, server.settings(), ignore)
    assert file.sha256 in str(raised.value)
    assert server.base_url in str(raised.value)
    assert names(target) == []
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (answers.instead(CONTENT + b"more"), r"refused, it has 10244 bytes, expected 10240"),
        (answers.instead(CONTENT[:-1]), r"refused, it has 10239 bytes, expected 10240"),
        (answers.of_unknown_length(CONTENT + b"more"), r"refused, it is longer than 10240 bytes"),
        (answers.endless, r"refused, it is longer than 10240 bytes"),
        (answers.status(404), r"the server answered 404 Not Found; the file may have been moved"),
        (answers.status(403), r"the server answered 403 Forbidden"),
        (answers.leads_to("ftp://127.0.0.1/file"), r"refused, it leads to ftp://127.0.0.1/file"),
        (answers.leads_to("file:///etc/hostname"), r"to url 'file:///etc/hostname' is not allowed"),
    ],
    ids=["longer", "shorter", "longer, unannounced", "endless", "404", "403", "ftp", "file"],
)
def test_what_cannot_be_the_file_is_refused_at_once_and_nothing_is_kept(
    server: Server, publish: Publish, target: Path, answer: Answer, message: str
) -> None:
    server.script.append(answer)
    with pytest.raises(DownloadError, match=message):
        download(publish(), target, server.settings(), ignore)
    assert names(target) == []
    assert len(server.requests) == 1


def test_an_older_file_is_kept_when_a_download_is_refused(
    server: Server, publish: Publish, target: Path
) -> None:
    target.write_bytes(b"old")
    server.script.append(answers.instead(b"?" * len(CONTENT)))
    with pytest.raises(DownloadError):
        download(publish(), target, server.settings(), ignore)
    assert target.read_bytes() == b"old"


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_busy_server_is_asked_again(
    server: Server, publish: Publish, target: Path, code: int
) -> None:
    server.script += [answers.status(code), answers.hang_up]
    download(publish(), target, server.settings(), ignore)
    assert target.read_bytes() == CONTENT
    assert len(server.requests) == 3


def test_each_wait_is_twice_as_long_and_the_last_failure_is_told(
    server: Server, publish: Publish, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    server.script += [answers.status(503)] * 9
    with pytest.raises(DownloadError, match=r"answered 503 Service Unavailable, 4 times; check"):
        download(publish(), target, server.settings(pause=1.0), ignore)
    assert waits == [1.0, 2.0, 4.0]


def test_a_server_that_always_hangs_up_leaves_what_came_for_the_next_run(
    server: Server, publish: Publish, target: Path
) -> None:
    file = publish()
    server.script += [answers.cut_after(100)] * 3
    with pytest.raises(DownloadError, match=r"ended after 300 of 10240 bytes, 3 times; .* goes on"):
        download(file, target, server.settings(attempts=3), ignore)
    assert part_of(target).read_bytes() == CONTENT[:300]
    assert names(target) == ["large.bin.part"]
    download(file, target, server.settings(), ignore)
    assert server.requests[-1].range == "bytes=300-"
    assert target.read_bytes() == CONTENT


def test_a_server_that_says_nothing_is_given_up(
    server: Server, publish: Publish, target: Path
) -> None:
    server.script += [answers.silent] * 2
    with pytest.raises(DownloadError, match="no answer in time, 2 times"):
        download(publish(), target, server.settings(timeout=0.1, attempts=2), ignore)
    assert names(target) == []


def test_a_trickle_is_given_up_after_the_time_for_a_file(
    server: Server, publish: Publish, target: Path
) -> None:
    server.script.append(answers.trickling)
    with pytest.raises(DownloadError, match=r"\d+ of 10240 bytes in time; .* goes on"):
        download(publish(), target, server.settings(seconds_per_file=0.2), ignore)
    came = part_of(target).read_bytes()
    assert 0 < len(came) < 100
    assert came == CONTENT[: len(came)]


def test_nobody_there_is_one_clear_message(server: Server, publish: Publish, target: Path) -> None:
    file, settings = publish(), server.settings()
    server.stop()
    with pytest.raises(DownloadError, match="Connection refused, 4 times; check the connection"):
        download(file, target, settings, ignore)


def test_an_interrupted_run_leaves_only_a_part_that_the_next_one_goes_on_with(
    server: Server, publish: Publish, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(length: int) -> None:
        if length >= 3000:
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "BLOCK", 1000)
    file = publish()
    with pytest.raises(KeyboardInterrupt):
        download(file, target, server.settings(), interrupt)
    assert names(target) == ["large.bin.part"]
    length = part_of(target).stat().st_size
    assert length >= 3000
    download(file, target, server.settings(), ignore)
    assert server.requests[-1].range == f"bytes={length}-"
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_one_clear_message_and_takes_no_room(
    server: Server, publish: Publish, target: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def full(*_: object) -> None:
        raise OSError(code, "No space left on device")

    monkeypatch.setattr(module, "_append", full)
    with pytest.raises(FileError, match=r"toys: the disk is full, large.bin does not fit"):
        download(publish(), target, server.settings(), ignore)
    assert names(target) == []


def test_a_place_that_cannot_be_written_is_a_file_error(
    server: Server, publish: Publish, target: Path
) -> None:
    target.mkdir()
    with pytest.raises(FileError, match=re.escape(f"{part_of(target)}: cannot be written")):
        download(publish(), target, server.settings(), ignore)


@pytest.mark.parametrize(
    "url", ["http://example.org", "ftp://127.0.0.1", "file:///tmp", "example.org", ""]
)
def test_only_https_or_this_machine_will_do(url: str) -> None:
    with pytest.raises(SettingError, match="expected an address that begins with https://"):
        DownloadSettings(base_url=url)


@pytest.mark.parametrize("name", ["timeout", "seconds_per_file", "attempts"])
def test_patience_is_more_than_nothing(name: str) -> None:
    settings: dict[str, Any] = {name: 0}
    with pytest.raises(SettingError, match=f"{name} is 0"):
        DownloadSettings(**settings)


def test_by_default_files_come_from_github_over_https(publish: Publish) -> None:
    url = DownloadSettings().url(publish())
    assert url.startswith("https://raw.githubusercontent.com/owner/name/0123456789abcdef")
