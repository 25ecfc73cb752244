"""The size limits of the studio."""

from __future__ import annotations

from dataclasses import dataclass

from stepgraph.errors import FormatError
from stepgraph.graph import TaskGraph
from stepgraph.sequences import Demonstrations


@dataclass(frozen=True, slots=True)
class StudioLimits:
    """The limits of the studio, which keep the page fast.

    Parameters
    ----------
    body_bytes
        The size of a request's body.
    upload_bytes
        The size of an uploaded file.
    columns
        Columns of an uploaded table.
    steps, edges
        The size of a graph.
    recordings, observations
        Number of recordings, and of steps in all of them together.
    body_seconds
        Time for a body to arrive.
    work_seconds
        Time for reading, learning or advising.
    """

    body_bytes: int = 16 * 1024
    upload_bytes: int = 8 * 1024 * 1024
    columns: int = 500
    steps: int = 500
    edges: int = 5_000
    recordings: int = 20_000
    observations: int = 500_000
    body_seconds: float = 30.0
    work_seconds: float = 300.0

    def check_graph(self, graph: TaskGraph, where: str) -> None:
        """Check the size of a graph.

        Raises
        ------
        FormatError
            If it is too large.
        """
        _check(len(graph.steps), self.steps, "steps", where)
        _check(len(graph.edges), self.edges, "edges", where)

    def check_demonstrations(self, demonstrations: Demonstrations, where: str) -> None:
        """Check the size of recordings.

        Raises
        ------
        FormatError
            If there are too many.
        """
        _check(len(demonstrations), self.recordings, "recordings", where)
        _check(len(demonstrations.vocabulary), self.steps, "different steps", where)
        total = sum(len(recording.steps) for recording in demonstrations)
        _check(total, self.observations, "steps in all recordings", where)


def _check(count: int, most: int, what: str, where: str) -> None:
    if count > most:
        raise FormatError(f"{where}: {count:,} {what}; the studio takes at most {most:,}")
