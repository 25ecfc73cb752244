"""The quality of a graph: against a known graph, against sequences, and against controls.

Edge scores, sequence measures and intervals are pure functions. The controls are graphs that
need no learning; a score is meaningful only beside theirs.
"""

from stepgraph.evaluation.graph_scores import (
    EdgeScores,
    Interval,
    compare_edges,
    graph_sequence_accuracy,
    macro_average,
    mean_interval,
    sequence_log_likelihood,
)
from stepgraph.evaluation.probabilities import (
    Bin,
    average_precision,
    brier_score,
    calibration_error,
    reliability,
)

__all__ = [
    "Bin",
    "EdgeScores",
    "Interval",
    "average_precision",
    "brier_score",
    "calibration_error",
    "compare_edges",
    "graph_sequence_accuracy",
    "macro_average",
    "mean_interval",
    "reliability",
    "sequence_log_likelihood",
]
