"""From a task graph and steps as they happen to verdicts; nothing here needs torch.

`Monitor` judges one session step by step: each `Verdict` says whether the step is right, what
is missing, what it follows from and what can be done now, and `explain` says so in a sentence.
`find_violations` replays a whole recording by the paper's plain rule.
"""

from tgml.monitoring.explain import evidence, explain
from tgml.monitoring.monitor import Monitor
from tgml.monitoring.verdict import Kind, Report, Verdict
from tgml.monitoring.violations import Violation, find_violations

__all__ = [
    "Kind",
    "Monitor",
    "Report",
    "Verdict",
    "Violation",
    "evidence",
    "explain",
    "find_violations",
]
