"""stepgraph learns how a procedure works from recordings of people doing it.

`learn` turns demonstrations into a `TaskGraph`; the graph says what each step needs, what can
be done next and whether an order is allowed. Names are imported when they are first used, so
that the command line starts at once and nothing loads torch before it is needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from stepgraph._version import __version__
from stepgraph.graph.task_graph import SHOWN_BY

if TYPE_CHECKING:
    from stepgraph.alignment import align
    from stepgraph.errors import StepgraphError
    from stepgraph.formats import read_demonstrations, read_graph, save_graph
    from stepgraph.graph import TaskGraph
    from stepgraph.insight.advice import advise
    from stepgraph.insight.audit import audit
    from stepgraph.logs import read_log
    from stepgraph.monitoring import Monitor, find_violations
    from stepgraph.pipeline import LearningOptions, learn
    from stepgraph.pipeline.procedures import learn_procedures
    from stepgraph.procedures import load_procedure
    from stepgraph.sequences import Demonstrations

_HOMES = {
    "Demonstrations": "stepgraph.sequences",
    "LearningOptions": "stepgraph.pipeline",
    "Monitor": "stepgraph.monitoring",
    "TaskGraph": "stepgraph.graph",
    "StepgraphError": "stepgraph.errors",
    "advise": "stepgraph.insight.advice",
    "align": "stepgraph.alignment",
    "audit": "stepgraph.insight.audit",
    "find_violations": "stepgraph.monitoring",
    "learn": "stepgraph.pipeline",
    "learn_procedures": "stepgraph.pipeline.procedures",
    "load_procedure": "stepgraph.procedures",
    "read_demonstrations": "stepgraph.formats",
    "read_graph": "stepgraph.formats",
    "read_log": "stepgraph.logs",
    "save_graph": "stepgraph.formats",
}

__all__ = [
    "Demonstrations",
    "LearningOptions",
    "Monitor",
    "StepgraphError",
    "TaskGraph",
    "__version__",
    "advise",
    "align",
    "audit",
    "find_violations",
    "learn",
    "learn_procedures",
    "load_procedure",
    "read_demonstrations",
    "read_graph",
    "read_log",
    "save_graph",
]


# Who shows what in a notebook; see `stepgraph.graph.task_graph`.
SHOWN_BY["TaskGraph"] = "stepgraph.drawing:show_in_notebook"


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'stepgraph' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
