"""The data directory: where it is, what it holds of each data set, and each file in it.

The setting is STEPGRAPH_DATA, or a directory given by hand.
"""

from __future__ import annotations

import enum
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchmarks.datasets.catalogue import DATASETS, DataFile, DataSet, get_dataset
from benchmarks.harness import MissingDataError
from stepgraph.errors import FileError

VARIABLE = "STEPGRAPH_DATA"


def data_directory(
    given: str | Path | None, *, needs: tuple[str, ...] = (), create: bool = False
) -> Path:
    """Return the data directory.

    Parameters
    ----------
    given
        The directory, or None for the one that STEPGRAPH_DATA names.
    needs
        The data sets that it is wanted for; the message says what they are.
    create
        Whether a directory that is not there yet will do; the writer creates it.

    Raises
    ------
    MissingDataError
        If neither is there.
    """
    if given is None:
        given = os.environ.get(VARIABLE)
        if not given:
            wanted = [f"{name} ({get_dataset(name).about})" for name in needs]
            what = f"the data sets {', '.join(wanted) or ', '.join(DATASETS)}"
            raise MissingDataError(
                f"no data directory: set the environment variable {VARIABLE}, or use --data DIR; "
                f"it holds {what}; python -m benchmarks data --json lists their files, and python "
                "-m benchmarks data fetch NAME downloads them"
            )
    path = Path(given)
    if not path.is_dir() and not (create and not path.exists()):
        raise MissingDataError(f"{path}: no such data directory ({VARIABLE} or --data names it)")
    return path


def inside(directory: Path, path: str) -> Path:
    """Return the place of a catalogue's path below a data directory.

    Raises
    ------
    FileError
        If it would be anywhere else, be it by ``..`` or by a link that leads out.

    Examples
    --------
    >>> inside(Path("data"), "../elsewhere")
    Traceback (most recent call last):
        ...
    stepgraph.errors.FileError: '../elsewhere': not a path below the data directory
    """
    parts = PurePosixPath(path).parts
    # A backslash or a colon means something to Windows, and nothing that we want.
    if not parts or parts[0] == "/" or ".." in parts or set(path) & set("\\:\0"):
        raise FileError(f"{path!r}: not a path below the data directory")
    target = directory.joinpath(*parts)
    # The file itself may be a link, it is replaced, not followed; its folder must be ours.
    if not target.parent.resolve().is_relative_to(directory.resolve()):
        raise FileError(
            f"{target}: its folder is a link that leads out of the data directory {directory}; "
            "remove the link, or use the place that it leads to as data directory"
        )
    return target


__all__ = ["VARIABLE", "data_directory", "data_file", "missing_file"]


def missing_file(path: Path, what: str) -> MissingDataError:
    """Return the error for a file that is in no catalogue and not there.

    Parameters
    ----------
    path
        Where it was looked for.
    what
        What it holds.
    """
    return MissingDataError(
        f"{path} is missing; it holds {what}: put it there, or point {VARIABLE} (or --data) at a "
        "directory that has it"
    )


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


class State(enum.Enum):
    """What is at a file's place."""

    PRESENT = "present"
    """The file, with the right checksum."""

    MISSING = "missing"
    """Nothing."""

    DIFFERENT = "different"
    """Something with another checksum."""


@dataclass(frozen=True)
class DataSetStatus:
    """What a data directory holds of a data set.

    Parameters
    ----------
    dataset
        The data set.
    states
        What is at the place of each of its files, in their order.
    """

    dataset: DataSet
    states: tuple[State, ...]

    def files(self, state: State) -> tuple[DataFile, ...]:
        """Return the files in a state."""
        pairs = zip(self.dataset.files, self.states, strict=True)
        return tuple(file for file, its in pairs if its is state)


def examine(dataset: DataSet, directory: str | Path) -> DataSetStatus:
    """Compare a data directory with what the catalogue says of a data set.

    Raises
    ------
    FileError
        If a file is there but cannot be read.
    """
    directory = Path(directory)
    states = tuple(examine_file(file, inside(directory, file.path)) for file in dataset.files)
    return DataSetStatus(dataset, states)


def examine_file(file: DataFile, path: Path) -> State:
    """Say what is at a file's place."""
    try:
        if not path.exists():
            return State.MISSING
        if not path.is_file() or path.stat().st_size != file.size:
            return State.DIFFERENT
        return State.PRESENT if checksum(path) == file.sha256 else State.DIFFERENT
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror})") from None


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file, as hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
