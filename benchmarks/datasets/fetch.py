"""A whole data set: what is missing is downloaded, what is there is left alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.datasets.catalogue import DataFile, DataSet
from benchmarks.datasets.directory import inside
from benchmarks.datasets.download import DownloadSettings, download
from benchmarks.datasets.status import State, examine
from stepgraph.errors import FileError
from stepgraph.files import make_folder

Progress = Callable[[int, int, str], None]
"""Told how many bytes of how many are there, and of which file the last ones are."""


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
        Told how far it is.

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
