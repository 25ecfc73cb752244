"""tgml learns how a procedure works from recordings of people doing it.

`learn` turns demonstrations into a `TaskGraph`; the graph says what each step needs, what can
be done next and whether an order is allowed. Names are imported when they are first used, so
that the command line starts at once and nothing loads torch before it is needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from tgml import display
from tgml._version import __version__

if TYPE_CHECKING:
    from tgml.alignment import align
    from tgml.errors import TgmlError
    from tgml.graph import TaskGraph
    from tgml.insight.advice import advise
    from tgml.insight.audit import audit
    from tgml.logs import read_log
    from tgml.monitoring import Monitor, Verdict, find_violations
    from tgml.pipeline import learn, learn_all
    from tgml.procedures import load_procedure
    from tgml.readers import read_demonstrations, read_graph
    from tgml.runs import learn_run
    from tgml.sequences import Demonstrations
    from tgml.storage import save_graph

_HOMES = {
    "Demonstrations": "tgml.sequences",
    "Monitor": "tgml.monitoring",
    "TaskGraph": "tgml.graph",
    "TgmlError": "tgml.errors",
    "Verdict": "tgml.monitoring",
    "advise": "tgml.insight.advice",
    "align": "tgml.alignment",
    "audit": "tgml.insight.audit",
    "find_violations": "tgml.monitoring",
    "learn": "tgml.pipeline",
    "learn_all": "tgml.pipeline",
    "learn_run": "tgml.runs",
    "load_procedure": "tgml.procedures",
    "read_demonstrations": "tgml.readers",
    "read_graph": "tgml.readers",
    "read_log": "tgml.logs",
    "save_graph": "tgml.storage",
}

__all__ = [
    "Demonstrations",
    "Monitor",
    "TaskGraph",
    "TgmlError",
    "Verdict",
    "__version__",
    "advise",
    "align",
    "audit",
    "find_violations",
    "learn",
    "learn_all",
    "learn_run",
    "load_procedure",
    "read_demonstrations",
    "read_graph",
    "read_log",
    "save_graph",
]


# Who shows what in a notebook; see `tgml.display`.
display.SHOWN_BY["TaskGraph"] = "tgml.rendering.notebook:show_graph"


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'tgml' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
