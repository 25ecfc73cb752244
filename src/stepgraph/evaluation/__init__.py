"""The quality of a graph: against a known graph, against sequences, and against controls.

Edge scores, sequence measures, intervals and paired tests are pure functions. The controls are
graphs that need no learning; a score is meaningful only beside theirs.
"""

from stepgraph.evaluation.graph_scores import (
    EdgeScores,
    compare_edges,
    graph_sequence_accuracy,
    macro_average,
    sequence_log_likelihood,
)
from stepgraph.evaluation.intervals import (
    Interval,
    PairedTest,
    Range,
    bootstrap_interval,
    mean_interval,
    paired_test,
    paper_width,
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
    "PairedTest",
    "Range",
    "average_precision",
    "bootstrap_interval",
    "brier_score",
    "calibration_error",
    "compare_edges",
    "graph_sequence_accuracy",
    "macro_average",
    "mean_interval",
    "paired_test",
    "paper_width",
    "reliability",
    "sequence_log_likelihood",
]
