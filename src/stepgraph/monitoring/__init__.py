"""From a task graph and steps as they happen to verdicts; nothing here needs torch.

`Monitor` judges one session step by step: each `Verdict` says whether the step is right, what
is missing, what it follows from and what can be done now, and `explain` says so in a sentence.
`UncertainMonitor` does so for a recogniser that errs, `FrameSmoother` makes key-steps of its
frames, and `OrderWatch` tells which steps of a recording are out of order. `find_violations`
replays a whole recording by the paper's plain rule.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from stepgraph.monitoring.explain import evidence, explain
from stepgraph.monitoring.monitor import Monitor
from stepgraph.monitoring.verdict import Kind, Report, Verdict
from stepgraph.monitoring.violations import Violation, find_violations

if TYPE_CHECKING:
    from stepgraph.monitoring.calibration import Calibration, calibrate
    from stepgraph.monitoring.confusion import Confusion
    from stepgraph.monitoring.order import OrderVerdict, OrderWatch, out_of_order
    from stepgraph.monitoring.smoother import FrameSmoother, KeyStep
    from stepgraph.monitoring.uncertain import UncertainMonitor, mistake_probabilities
    from stepgraph.monitoring.uncertain_verdict import UncertainReport, UncertainVerdict

# Commands that only check recordings need not wait for these.
_LATER = {
    "Calibration": "calibration",
    "Confusion": "confusion",
    "FrameSmoother": "smoother",
    "KeyStep": "smoother",
    "OrderVerdict": "order",
    "OrderWatch": "order",
    "UncertainMonitor": "uncertain",
    "UncertainReport": "uncertain_verdict",
    "UncertainVerdict": "uncertain_verdict",
    "calibrate": "calibration",
    "mistake_probabilities": "uncertain",
    "out_of_order": "order",
}

__all__ = [
    "Calibration",
    "Confusion",
    "FrameSmoother",
    "KeyStep",
    "Kind",
    "Monitor",
    "OrderVerdict",
    "OrderWatch",
    "Report",
    "UncertainMonitor",
    "UncertainReport",
    "UncertainVerdict",
    "Verdict",
    "Violation",
    "calibrate",
    "evidence",
    "explain",
    "find_violations",
    "mistake_probabilities",
    "out_of_order",
]


def __getattr__(name: str) -> object:
    if name in _LATER:
        return getattr(importlib.import_module(f"stepgraph.monitoring.{_LATER[name]}"), name)
    raise AttributeError(f"module 'stepgraph.monitoring' has no attribute {name!r}")
