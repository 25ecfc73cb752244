"""Judges steps against a task graph as they happen; nothing here needs torch.

`Monitor` judges one session step by step: each `Verdict` says whether the step is right, what is
missing, which earlier mistake it follows from and what can be done now. `explain` puts a verdict in
a sentence. `UncertainMonitor` does the same behind a recogniser that errs, and `OrderWatch` finds
the steps of a recording that are out of order. `find_violations` replays a whole recording by the
paper's rule.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from stepgraph.monitoring.explain import evidence, explain
from stepgraph.monitoring.monitor import Kind, Monitor, Report, Verdict
from stepgraph.monitoring.violations import Violation, find_violations

if TYPE_CHECKING:
    from stepgraph.monitoring.calibration import Calibration, calibrate
    from stepgraph.monitoring.confusion import Confusion
    from stepgraph.monitoring.order import OrderVerdict, OrderWatch, out_of_order
    from stepgraph.monitoring.uncertain import UncertainMonitor, mistake_probabilities
    from stepgraph.monitoring.uncertain_verdict import UncertainReport, UncertainVerdict

# Loaded on first use, because commands that only check recordings need none of these.
_LATER = {
    "Calibration": "calibration",
    "Confusion": "confusion",
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
