"""From recordings without mistakes to detectors that flag mistakes step by step.

Plain rules and controls, a forecast of the next step, and clues weighed on mistakes that are
simulated in the training recordings. `Detector` is what they share; `stepgraph.evaluation` scores
what they flag.
"""

from benchmarks.mistakes.detectors.rules import (
    ALWAYS_CORRECT,
    ALWAYS_MISTAKE,
    AlwaysBefore,
    AtRandom,
    Detector,
    FromPosition,
    GraphRule,
    UnseenStep,
)
from benchmarks.mistakes.detectors.weighed import CLUES, LeftOut, SimulatedSegments, WeighedClues

__all__ = [
    "ALWAYS_CORRECT",
    "ALWAYS_MISTAKE",
    "CLUES",
    "AlwaysBefore",
    "AtRandom",
    "Detector",
    "FromPosition",
    "GraphRule",
    "LeftOut",
    "SimulatedSegments",
    "UnseenStep",
    "WeighedClues",
]
