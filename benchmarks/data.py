"""The files that benchmarks read, or an error that says how to get them."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from benchmarks.datasets.catalogue import get_dataset
from benchmarks.datasets.directory import VARIABLE, data_directory
from stepgraph.errors import MissingDataError

__all__ = ["VARIABLE", "data_directory", "data_file"]


def data_file(directory: Path, folder: str, name: str) -> Path:
    """Return a file or folder of a data set.

    Parameters
    ----------
    directory
        The data directory.
    folder
        The data set, which is a folder of it.
    name
        The file or folder in that.

    Raises
    ------
    MissingDataError
        If it is not there; the message says what it is, where it comes from and where to put it.
    """
    path = directory / folder / name
    if path.exists():
        return path
    dataset = get_dataset(folder)
    wanted = PurePosixPath(folder, name)
    files = [file for file in dataset.files if PurePosixPath(file.path).is_relative_to(wanted)]
    what = f" ({len(files)} files)" if len(files) > 1 else ""
    ways = [f"put it there, or point {VARIABLE} (or --data) at a directory that has it"]
    if any(file.downloadable for file in files):
        fetch = f"python -m benchmarks data fetch {folder} --data {directory}"
        ways.insert(0, f"{fetch} downloads what is public")
    raise MissingDataError(
        f"{path}{what} is missing; it belongs to {dataset.about}: {'; or '.join(ways)}"
    )
