"""Where the public data sets are: the one setting TGML_DATA, or a directory given by hand."""

from __future__ import annotations

import os
from pathlib import Path

from tgml.errors import MissingDataError

VARIABLE = "TGML_DATA"

SOURCES = {
    "captaincook4d": "CaptainCook4D's annotations and the paper's split of them, MIT licence",
    "assembly101": "Assembly101's mistake annotations and the Assembly101-O split, CC BY-NC 4.0",
}
"""What each folder of a data directory holds, and under which licence."""


def data_directory(given: str | Path | None) -> Path:
    """Return the data directory.

    Parameters
    ----------
    given
        The directory, or None for the one that TGML_DATA names.

    Raises
    ------
    MissingDataError
        If neither is there.
    """
    if given is None:
        given = os.environ.get(VARIABLE)
        if not given:
            raise MissingDataError(
                f"no data directory: set the environment variable {VARIABLE}, or use --data DIR; "
                f"it holds the folders {', '.join(SOURCES)}"
            )
    path = Path(given)
    if not path.is_dir():
        raise MissingDataError(f"{path}: no such data directory ({VARIABLE} or --data names it)")
    return path


def data_file(directory: Path, folder: str, name: str) -> Path:
    """Return a file or folder of a data set.

    Raises
    ------
    MissingDataError
        If it is not there; the message says what it is and where to put it.
    """
    path = directory / folder / name
    if not path.exists():
        raise MissingDataError(
            f"{path} is missing; it belongs to {SOURCES[folder]}: put it there, or point "
            f"{VARIABLE} (or --data) at a directory that has it"
        )
    return path
