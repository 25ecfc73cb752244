"""The outcome of an alignment: moves, and what they add up to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from stepgraph.alignment.costs import Kind


@dataclass(frozen=True, slots=True)
class Move:
    """One step of the explanation.

    Parameters
    ----------
    kind
        ``"done"``: the recording has the step where the graph allows it. ``"skipped"``: the
        graph wants the step here, the recording lacks it. ``"inserted"``: the recording has
        the step here, the graph has no place for it.
    step
        Its name.
    position
        Where the recording has it, from 1 on; None for a skipped step.
    cost
        What the move costs.
    """

    kind: Kind
    step: str
    position: int | None
    cost: float


@dataclass(frozen=True)
class Alignment:
    """The cheapest explanation of a recording by a graph.

    Parameters
    ----------
    recording
        What the recording is called.
    moves
        All moves in order: without the skipped ones they are the recording, without the
        inserted ones, and the optional ones that were skipped, a complete valid order of the
        graph.
    worst
        What it costs to insert the whole recording and to skip the whole graph.
    """

    recording: str
    moves: tuple[Move, ...]
    worst: float

    @property
    def cost(self) -> float:
        """The sum of the moves' costs; no other explanation has a smaller one."""
        return math.fsum(move.cost for move in self.moves)

    @property
    def fitness(self) -> float:
        """How well the recording fits, from 0 (nothing could stay) to 1 (as the graph says)."""
        return fitness(self.cost, self.worst)

    @property
    def done(self) -> tuple[Move, ...]:
        """The moves of steps that stay where the recording has them."""
        return tuple(move for move in self.moves if move.kind == "done")

    @property
    def skipped(self) -> tuple[Move, ...]:
        """The moves of steps that the recording lacks where the graph wants them."""
        return tuple(move for move in self.moves if move.kind == "skipped")

    @property
    def inserted(self) -> tuple[Move, ...]:
        """The moves of steps that the recording has where the graph has no place for them."""
        return tuple(move for move in self.moves if move.kind == "inserted")

    @property
    def moved(self) -> tuple[str, ...]:
        """The steps that were done, but not where the graph allows: skipped and inserted."""
        inserted = {move.step for move in self.inserted}
        return tuple(move.step for move in self.skipped if move.step in inserted)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "recording": self.recording,
            "cost": self.cost,
            "worst_cost": self.worst,
            "fitness": self.fitness,
            "moved": list(self.moved),
            "moves": [
                {
                    "kind": move.kind,
                    "step": move.step,
                    "position": move.position,
                    "cost": move.cost,
                }
                for move in self.moves
            ],
        }


def fitness(cost: float, worst: float) -> float:
    """Return 1 - cost / worst cost; where nothing can cost anything, all fits."""
    return 1.0 - cost / worst if worst > 0 else 1.0
