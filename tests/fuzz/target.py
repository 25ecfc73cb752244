"""What is fuzzed: a name, valid inputs to begin with, and what takes the bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Check = Callable[[bytes, Path], None]
"""Takes an input and a folder that it may write to; raises what the reader raises."""


class BrokenPromiseError(AssertionError):
    """What was read does not come back the same, or breaks another promise."""


@dataclass(frozen=True)
class Target:
    """A reader or a file format.

    Parameters
    ----------
    name
        What the command and its results call it.
    check
        Reads an input and puts what came of it to the test.
    seeds
        Gives valid inputs to begin with.
    modules
        The modules whose lines tell how much of the reader the inputs reach.
    words
        Texts that make inputs more interesting, such as the names of columns.
    share
        How much of the time it gets, compared with others.
    is_server
        Whether it starts a server that ends with the process.
    """

    name: str
    check: Check
    seeds: Callable[[], list[bytes]]
    modules: tuple[str, ...]
    words: tuple[str, ...] = ()
    share: float = 1.0
    is_server: bool = False


def put(folder: Path, name: str, data: bytes) -> Path:
    """Write an input to a file and return its path."""
    path = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def expect(holds: bool, promise: str) -> None:
    """Say which promise is broken, if one is."""
    if not holds:
        raise BrokenPromiseError(promise)


def by_name(*targets: Target) -> Mapping[str, Target]:
    """Return targets by their names."""
    return {target.name: target for target in targets}
