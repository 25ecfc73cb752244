"""Data sets over HTTPS: each file resumed, compared with its checksum, moved into place.

What has come so far is kept in a file with the suffix ``.part`` beside the target. The target
itself appears only when all of its bytes are there and match. `fetch` downloads what a data set
lacks and leaves alone what is there.
"""

from __future__ import annotations

import errno
import http.client
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from ssl import SSLCertVerificationError
from typing import IO, Any

from benchmarks.datasets.catalogue import DataFile, DataSet
from benchmarks.datasets.directory import State, checksum, examine, inside
from stepgraph._version import __version__
from stepgraph.errors import FileError, SettingError, UnavailableError
from stepgraph.files import make_folder

BASE_URL = "https://raw.githubusercontent.com"
"""Where GitHub gives the files of a repository at a commit."""

BLOCK = 1 << 16
"""How many bytes are read at a time at the most."""

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_WORTH_ANOTHER_TRY = (408, 425, 429, 500, 502, 503, 504)
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


class DownloadError(UnavailableError):
    """A file does not come, or something else comes in its place."""


@dataclass(frozen=True)
class DownloadSettings:
    """From where files are downloaded, and with how much patience.

    Parameters
    ----------
    base_url
        The address before ``/owner/name/commit/path``: GitHub's, or that of a copy of it.
    timeout
        After how many seconds without any answer the connection is given up.
    seconds_per_file
        After how many seconds a file is given up, however steadily its bytes trickle in.
    attempts
        How often a file is asked for when the connection fails or the server is busy.
    pause
        How many seconds to wait before the second attempt; each further wait is twice as long.
    """

    base_url: str = BASE_URL
    timeout: float = 30.0
    seconds_per_file: float = 600.0
    attempts: int = 4
    pause: float = 1.0

    def __post_init__(self) -> None:
        parts = urllib.parse.urlsplit(self.base_url)
        if parts.scheme != "https" and not (parts.scheme == "http" and self.is_local):
            raise SettingError(f"{self.base_url!r}: expected an address that begins with https://")
        for name in ("timeout", "seconds_per_file", "attempts"):
            if getattr(self, name) <= 0:
                raise SettingError(f"{name} is {getattr(self, name)}; expected more than 0")

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this machine, where plain HTTP will do."""
        return urllib.parse.urlsplit(self.base_url).hostname in _LOOPBACK

    def url(self, file: DataFile) -> str:
        """Return the address of a file at its pinned commit."""
        path = f"{file.source.repository}/{file.source.commit}/{file.published}"
        return f"{self.base_url.rstrip('/')}/{urllib.parse.quote(path)}"


class _FailedAttemptError(Exception):
    """An attempt failed in a way that another one may not."""


def download(
    file: DataFile, target: Path, settings: DownloadSettings, told: Callable[[int], None]
) -> None:
    """Download a file.

    Parameters
    ----------
    file
        What to download.
    target
        Where to put it; its folder exists.
    settings
        From where, and with how much patience.
    told
        Called with the number of bytes that are there, again and again.

    Raises
    ------
    DownloadError
        If the file does not come, or something else comes in its place.
    FileError
        If it cannot be written.
    """
    part = target.with_name(f"{target.name}.part")
    url = settings.url(file)
    opener = _opener(settings)
    deadline = time.monotonic() + settings.seconds_per_file
    failures = 0
    while True:
        try:
            resumed = _transfer(opener, url, file, part, settings.timeout, deadline, told)
        except _FailedAttemptError as error:
            failures += 1
            if failures >= settings.attempts or time.monotonic() > deadline:
                raise DownloadError(f"{url}: {error}, {failures} times; {_AGAIN}") from None
            time.sleep(settings.pause * 2 ** (failures - 1))
            continue
        with _writing(part):
            actual = checksum(part)
            if actual == file.sha256:
                part.replace(target)
                return
            part.unlink()
        # What an earlier run left may have been the beginning of something else.
        if not resumed:
            raise DownloadError(
                f"{url}: refused, its SHA-256 is {actual}, expected {file.sha256}; "
                "nothing was kept of it"
            )


_AGAIN = "check the connection and run the same command again, it goes on where it stopped"


def _transfer(
    opener: urllib.request.OpenerDirector,
    url: str,
    file: DataFile,
    part: Path,
    timeout: float,
    deadline: float,
    told: Callable[[int], None],
) -> bool:
    """Bring the part to its full length; say whether it began with bytes of an earlier run."""
    have = _usable_length(part, file.size)
    if have == file.size:
        return True
    with _ask(opener, url, have, part, timeout) as response:
        begin = _first_byte(response)
        if begin not in (0, have):
            _drop(part)
            raise _FailedAttemptError(f"the server sent bytes from {begin} on, not from {have}")
        if response.length is not None and begin + response.length != file.size:
            _drop(part)
            raise DownloadError(
                f"{url}: refused, it has {begin + response.length} bytes, expected {file.size}"
            )
        with _writing(part):
            # Without a buffer, so that an interrupted run keeps every byte it was told of.
            stream = part.open("ab" if begin else "wb", buffering=0)
        with stream:
            length = begin
            while block := _read(response):
                length += len(block)
                if length > file.size:
                    _drop(part)
                    raise DownloadError(f"{url}: refused, it is longer than {file.size} bytes")
                with _writing(part):
                    _append(stream, block)
                told(length)
                if time.monotonic() > deadline:
                    raise DownloadError(f"{url}: {length} of {file.size} bytes in time; {_AGAIN}")
    if length < file.size:
        raise _FailedAttemptError(f"the connection ended after {length} of {file.size} bytes")
    return begin > 0


def _ask(
    opener: urllib.request.OpenerDirector, url: str, have: int, part: Path, timeout: float
) -> http.client.HTTPResponse:
    headers = {"User-Agent": f"stepgraph/{__version__}", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the settings are HTTPS
    try:
        response: http.client.HTTPResponse = opener.open(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            _drop(part)
            raise _FailedAttemptError("the server cannot send the rest of the file") from None
        answer = f"the server answered {error.code} {error.reason}".rstrip()
        if error.code in _WORTH_ANOTHER_TRY:
            raise _FailedAttemptError(answer) from None
        raise DownloadError(f"{url}: {answer}; the file may have been moved or removed") from None
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, SSLCertVerificationError):
            raise DownloadError(
                f"{url}: the server cannot prove who it is ({reason.verify_message})"
            ) from None
        raise _FailedAttemptError(_words(reason)) from None
    return response


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        # Whatever is there by now: to wait for a whole block would be to forget the deadline.
        return response.read1(BLOCK)
    except (OSError, http.client.HTTPException) as error:
        raise _FailedAttemptError(_words(error)) from None


def _first_byte(response: http.client.HTTPResponse) -> int:
    """Return the position of the first byte that an answer holds."""
    if response.status != http.client.PARTIAL_CONTENT:
        return 0
    unit, _, rest = (response.getheader("Content-Range") or "").partition(" ")
    first = rest.partition("-")[0]
    return int(first) if unit == "bytes" and first.isascii() and first.isdigit() else -1


def _usable_length(part: Path, size: int) -> int:
    """Return how much of a file an earlier run left; what cannot be its beginning is removed."""
    with _writing(part):
        if part.is_symlink():
            part.unlink()  # it might lead out of the data directory
        length = part.stat().st_size if part.exists() else 0
        if length > size:
            part.unlink()
            return 0
        return length


def _append(stream: FileIO | IO[bytes], block: bytes) -> None:
    rest = memoryview(block)
    while rest:
        rest = rest[stream.write(rest) :]


def _drop(part: Path) -> None:
    with _writing(part):
        part.unlink(missing_ok=True)


@contextmanager
def _writing(part: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_FULL:
            part.unlink(missing_ok=True)  # it would take room that others need
            raise FileError(
                f"{part.parent}: the disk is full, {part.stem} does not fit; make room and run "
                "the same command again"
            ) from None
        raise FileError(f"{part}: cannot be written ({error.strerror})") from None


def _words(error: object) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, http.client.IncompleteRead):
        return "the connection ended too early"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _opener(settings: DownloadSettings) -> urllib.request.OpenerDirector:
    # A proxy of the environment is for the world outside, not for a server on this machine.
    proxies = urllib.request.ProxyHandler({} if settings.is_local else None)
    return urllib.request.build_opener(proxies, _SameScheme())


class _SameScheme(urllib.request.HTTPRedirectHandler):
    """Follows to other addresses, but never from HTTPS to something weaker."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if urllib.parse.urlsplit(newurl).scheme != req.type:
            raise DownloadError(f"{req.full_url}: refused, it leads to {newurl}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


Progress = Callable[[int, int, str], None]
"""Called with the number of bytes that have come, their total, and the file that they belong to."""


@dataclass(frozen=True)
class FetchReport:
    """What `fetch` did.

    Parameters
    ----------
    fetched
        The files that it downloaded.
    present
        The files that were there before, with the right checksum.
    missing
        The files that are not there and cannot be downloaded; each one's ``by_hand`` says why.
    """

    fetched: tuple[DataFile, ...]
    present: tuple[DataFile, ...]
    missing: tuple[DataFile, ...]


def _no_progress(done: int, total: int, what: str) -> None:
    pass


def fetch(
    dataset: DataSet,
    directory: str | Path,
    *,
    settings: DownloadSettings | None = None,
    replace: bool = False,
    progress: Progress = _no_progress,
) -> FetchReport:
    """Download the files of a data set that a data directory lacks.

    A run that was interrupted leaves whole files, and of the last one a ``.part`` that the next
    run goes on with. Nothing is written outside the directory.

    Parameters
    ----------
    dataset
        Which data set; see `get_dataset`.
    directory
        The data directory; it is made if need be.
    settings
        From where, and with how much patience; by default from GitHub.
    replace
        Whether files that differ from the catalogue's are replaced.
    progress
        Called with the progress.

    Raises
    ------
    DownloadError
        If a file does not come, or something else comes in its place.
    FileError
        If a file differs and is not to be replaced, or cannot be written.
    """
    directory = Path(directory)
    settings = settings or DownloadSettings()
    status = examine(dataset, directory)
    different = [file for file in status.files(State.DIFFERENT) if file.downloadable]
    if different and not replace:
        more = f" (and {len(different) - 1} more)" if len(different) > 1 else ""
        raise FileError(
            f"{directory / different[0].path}: there already, but not the file that is pinned"
            f"{more}; move it away, or use --replace"
        )
    missing = status.files(State.MISSING)
    wanted = [*different, *(file for file in missing if file.downloadable)]
    total = sum(file.size for file in wanted)
    done = 0
    for file in wanted:
        target = inside(directory, file.path)
        make_folder(target.parent)

        def told(length: int, before: int = done, name: str = file.path) -> None:
            progress(before + length, total, name)

        download(file, target, settings, told)
        done += file.size
    return FetchReport(
        tuple(wanted),
        status.files(State.PRESENT),
        tuple(file for file in missing if not file.downloadable),
    )
