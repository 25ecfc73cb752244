"""Many procedures at once: in batches of similar size, over processes or a cluster.

`learn_run` cuts procedures into batches, hands them to joblib, keeps what is finished on disk and
goes on where a run was interrupted. A procedure that fails is reported and stops nothing else, and
the result is the same however many workers there are.
"""

from __future__ import annotations

from stepgraph.runs.batches import Batch, cut_batches
from stepgraph.runs.outcome import Outcome
from stepgraph.runs.run import RunReport, learn_run
from stepgraph.runs.workers import Workers

__all__ = ["Batch", "Outcome", "RunReport", "Workers", "cut_batches", "learn_run"]
