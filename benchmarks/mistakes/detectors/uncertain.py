"""Detection behind a recogniser that errs: a learned graph, its alarms calibrated in training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Confusion, calibrate, mistake_probabilities

BUDGET = 0.5
"""How many false alarms a training recording are allowed."""


@dataclass(frozen=True)
class UncertainRule:
    """Flags what is probably a mistake and not an error of the recogniser.

    Parameters
    ----------
    graph
        The procedure's graph; a step that it does not have is a mistake.
    confusion
        The recogniser's errors.
    threshold
        The probability from which a step is flagged.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"]})
    >>> rule = UncertainRule.learn(graph, ["abc", "abc"], error_rate=0.2)
    >>> rule.flags("abc"), rule.flags("x")
    ((False, False, False), (True,))
    """

    graph: TaskGraph
    confusion: Confusion
    threshold: float

    @classmethod
    def learn(
        cls,
        graph: TaskGraph,
        recordings: Sequence[Sequence[str]],
        error_rate: float,
        *,
        seed: int = 0,
    ) -> UncertainRule:
        """Calibrate the threshold on training recordings that a simulated recogniser sees.

        Parameters
        ----------
        graph
            A graph that knows every step of the recordings.
        recordings
            Training recordings, without mistakes.
        error_rate
            How often the recogniser is expected to err.
        seed
            Other seeds simulate other errors.
        """
        found = calibrate(
            graph,
            recordings,
            Confusion.even(graph.steps, error_rate),
            budget=BUDGET,
            copies=1,
            seed=seed,
        )
        return cls(graph, found.confusion, found.threshold)

    def flags(self, steps: Sequence[str]) -> tuple[bool, ...]:
        """Return for each step whether it is flagged."""
        probabilities = mistake_probabilities(self.graph, steps, confusion=self.confusion)
        return tuple(probability >= self.threshold for probability in probabilities)
