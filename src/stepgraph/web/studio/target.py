"""The file that the studio saves to, and whether somebody else wrote to it in the meantime."""

from __future__ import annotations

import hashlib
from pathlib import Path

from stepgraph.errors import FileError, InputError
from stepgraph.formats import save_graph
from stepgraph.graph import TaskGraph


class ChangedError(InputError):
    """The file holds what this sitting neither read nor wrote."""


class SaveTarget:
    """Where a graph is saved, without overwriting in silence what somebody else put there.

    Parameters
    ----------
    path
        The file.
    read
        Whether its content is what the studio shows, as it was read from it.
    """

    def __init__(self, path: Path, *, read: bool) -> None:
        self.path = path
        self._known = _digest(path) if read else None

    def save(self, graph: TaskGraph, *, overwrite: bool = False) -> None:
        """Write a graph, whole or not at all.

        Parameters
        ----------
        graph
            What to write.
        overwrite
            Whether content that is not from here may be lost.

        Raises
        ------
        ChangedError
            If there is such content.
        FileError
            If the file cannot be written.
        """
        now = _digest(self.path)
        if now is not None and now != self._known and not overwrite:
            what = "changed since it was opened" if self._known else "there already"
            raise ChangedError(
                f"{self.path.name} is {what}, with other content; save again to overwrite it, or "
                "stop the studio and give another file with -o"
            )
        save_graph(graph, self.path)
        self._known = _digest(self.path)


def _digest(path: Path) -> bytes | None:
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: cannot be read ({getattr(error, 'strerror', error)})") from None
