"""How good a graph is: against a known graph, against sequences, and against chance.

Edge scores, sequence measures and intervals are pure functions. The controls are graphs that
anybody could have drawn without learning: a score means something only beside theirs.
"""

from stepgraph.evaluation.calibration import Bin, brier_score, calibration_error, reliability
from stepgraph.evaluation.edges import EdgeScores, compare_edges, macro_average
from stepgraph.evaluation.intervals import Interval, mean_interval
from stepgraph.evaluation.ranking import average_precision
from stepgraph.evaluation.sequences import graph_sequence_accuracy, sequence_log_likelihood

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
