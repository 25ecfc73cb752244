"""The alarm threshold of an uncertain monitor, found on recordings without mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepgraph.errors import FormatError, InputError, SettingError
from stepgraph.files import write_text
from stepgraph.formats.json_text import VERSION, dump_json, expect_format, read_json
from stepgraph.graph import TaskGraph
from stepgraph.monitoring.confusion import Confusion
from stepgraph.monitoring.session import fingerprint
from stepgraph.monitoring.uncertain import MISTAKE_RATE, UncertainMonitor, mistake_probabilities

CALIBRATION_FORMAT = "stepgraph-calibration"
COPIES = 20
"""Default number of simulated recognitions of each recording."""


@dataclass(frozen=True)
class Calibration:
    """An alarm threshold, with the settings and the graph that it holds for.

    Parameters
    ----------
    threshold
        The probability from which a step is called a mistake.
    budget
        Allowed false alarms per recording.
    false_alarms
        False alarms per recording in the calibration.
    recordings
        Number of recordings behind it, simulated copies included.
    confusion
        The recogniser's errors.
    mistake_rate
        The share of steps that are mistakes.
    graph
        A fingerprint of the graph.
    """

    threshold: float
    budget: float
    false_alarms: float
    recordings: int
    confusion: Confusion
    mistake_rate: float
    graph: str

    def monitor(self, graph: TaskGraph) -> UncertainMonitor:
        """Return a monitor with these settings.

        Raises
        ------
        FormatError
            If the calibration was made for another graph.
        """
        if fingerprint(graph) != self.graph:
            raise FormatError(
                "the calibration was made for another graph; calibrate again with this one"
            )
        return UncertainMonitor(
            graph,
            confusion=self.confusion,
            mistake_rate=self.mistake_rate,
            threshold=self.threshold,
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "format": CALIBRATION_FORMAT,
            "version": VERSION,
            "graph": self.graph,
            "threshold": self.threshold,
            "budget": self.budget,
            "false_alarms": self.false_alarms,
            "recordings": self.recordings,
            "mistake_rate": self.mistake_rate,
            "confusion": self.confusion.to_json(),
        }

    def save(self, path: str | Path) -> None:
        """Write it to a versioned JSON file."""
        write_text(path, dump_json(self.to_json()))

    @classmethod
    def read(cls, path: str | Path) -> Calibration:
        """Read it from a file that `save` wrote.

        Raises
        ------
        FileError
            If the file cannot be read.
        FormatError
            If it holds no calibration, or one of a newer version.
        """
        content = read_json(path)
        expect_format(content, CALIBRATION_FORMAT, str(path))
        numbers = {}
        for name in ("threshold", "budget", "false_alarms", "recordings", "mistake_rate"):
            value = content.get(name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise FormatError(f"{path}: {name!r} is {value!r:.40}; expected a number")
            numbers[name] = value
        for name in ("threshold", "mistake_rate"):
            if not 0 < numbers[name] < 1:
                raise FormatError(
                    f"{path}: {name!r} is {numbers[name]}; expected a number between 0 and 1"
                )
        return cls(
            numbers["threshold"],
            numbers["budget"],
            numbers["false_alarms"],
            int(numbers["recordings"]),
            Confusion.from_json(content.get("confusion"), f"{path}: 'confusion'"),
            numbers["mistake_rate"],
            str(content.get("graph")),
        )


def calibrate(
    graph: TaskGraph,
    recordings: Sequence[Sequence[str]],
    confusion: Confusion,
    *,
    budget: float = 0.5,
    mistake_rate: float = MISTAKE_RATE,
    copies: int = COPIES,
    seed: int = 0,
    recognised: bool = False,
) -> Calibration:
    """Find the lowest threshold that keeps false alarms within a budget.

    Parameters
    ----------
    graph
        The procedure's graph.
    recordings
        Step names of recordings without mistakes, so that every alarm is a false one.
    confusion
        The recogniser's errors.
    budget
        Allowed false alarms per recording, on average.
    mistake_rate
        The share of steps that are mistakes; the threshold is never below this prior.
    copies
        Number of simulated recognitions of each recording.
    seed
        The same seed gives the same threshold.
    recognised
        Whether the recordings are a recogniser's output; calibration then simulates none.

    Raises
    ------
    SettingError
        If the budget is negative or infinite, or there is nothing to calibrate on.
    InputError
        If no threshold keeps the budget, because the graph contradicts the recordings.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "bake": ["mix"]})
    >>> confusion = Confusion.even(graph.steps, 0.2)
    >>> found = calibrate(graph, [["egg", "milk", "mix", "bake"]], confusion, budget=0.2)
    >>> found.false_alarms <= 0.2
    True
    """
    import random  # slow to load, and only calibration needs it

    if not 0 <= budget < float("inf"):
        raise SettingError(f"the budget is {budget}; expected 0 or more false alarms per recording")
    if copies < 1 or not recordings:
        raise SettingError(
            f"{len(recordings)} recordings, {copies} times each: there is nothing to calibrate on"
        )
    own = confusion.for_graph(graph)
    rng = random.Random(f"calibrate {seed}")
    streams = (
        list(recordings)
        if recognised
        else [own.recognise(steps, rng) for steps in recordings for _ in range(copies)]
    )
    judged = [
        mistake_probabilities(graph, stream, confusion=own, mistake_rate=mistake_rate)
        for stream in streams
    ]
    probabilities = [probability for found in judged for probability in found]
    threshold = lowest_threshold(judged, budget, mistake_rate)
    if threshold is None:
        certain = sum(probability >= _HIGHEST for probability in probabilities)
        raise InputError(
            f"no threshold keeps {budget:g} false alarms per recording: {certain} steps of "
            f"{len(streams)} recordings are mistakes for certain by this graph; learn the graph "
            "from these recordings, or allow for errors of the recogniser"
        )
    alarms = sum(probability >= threshold for probability in probabilities)
    return Calibration(
        threshold,
        float(budget),
        alarms / len(streams),
        len(streams),
        own,
        mistake_rate,
        fingerprint(graph),
    )


_HIGHEST = 1 - 1e-9


def lowest_threshold(
    probabilities: Sequence[Sequence[float]], budget: float, lowest: float
) -> float | None:
    """Return the lowest threshold that keeps false alarms within a budget.

    Parameters
    ----------
    probabilities
        For each recording without mistakes, the probabilities of its steps.
    budget
        Maximum number of steps per recording that reach the threshold, on average.
    lowest
        Minimum threshold.

    Returns
    -------
    float or None
        None if too many are certain.

    Examples
    --------
    >>> lowest_threshold([[0.1, 0.6], [0.2, 0.8]], 0.5, 0.05)
    0.7
    """
    falling = sorted((value for found in probabilities for value in found), reverse=True)
    allowed = int(min(budget * len(probabilities), len(falling)))
    if allowed == len(falling) or falling[allowed] < lowest:
        return lowest
    excluded = falling[allowed]
    above = min((value for value in falling if value > excluded), default=1.0)
    threshold = (excluded + above) / 2
    if threshold == excluded:  # there is no number between the two
        threshold = above
    return threshold if threshold < _HIGHEST else None
