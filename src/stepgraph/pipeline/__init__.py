"""Recordings in, task graphs out: for one procedure or many, here or on a cluster.

`learn` turns the recordings of one procedure into its graph. `learn_procedures` does so for any
number of them, in batches over processes or a cluster; a procedure that fails stops nothing else,
and the result is the same however many workers there are. `predict` asks a trained network for the
graph of a procedure without recordings.
"""

from stepgraph.pipeline.learning import Learning, learn, learn_together, learnable, predict
from stepgraph.pipeline.options import DEFAULT_METHOD, LearningOptions

__all__ = [
    "DEFAULT_METHOD",
    "Learning",
    "LearningOptions",
    "learn",
    "learn_together",
    "learnable",
    "predict",
]
