"""Where the data sets are: the one setting STEPGRAPH_DATA, or a directory given by hand."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from benchmarks.datasets.catalogue import DATASETS, get_dataset
from stepgraph.errors import FileError, MissingDataError

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
        Whether a directory that is not there yet will do; whoever writes to it makes it.

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
