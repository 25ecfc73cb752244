"""What recordings tell beyond the graph: evidence, habits, doubts and blunders.

`edge_evidence` counts which recordings bear an edge out, `step_attributes` tells steps that may be
left out or repeated from slips, `audit` says which recordings are wrong, and where, and `advise`
what to record next. Nothing here changes which steps need which.
"""

from __future__ import annotations

from tgml.insight.advice import Advice, Question, advise
from tgml.insight.audit import Audit, AuditedRecording, Finding, Slip, audit
from tgml.insight.consequences import consequences
from tgml.insight.evidence import edge_evidence
from tgml.insight.step_attributes import step_attributes
from tgml.insight.why import why

__all__ = [
    "Advice",
    "Audit",
    "AuditedRecording",
    "Finding",
    "Question",
    "Slip",
    "advise",
    "audit",
    "consequences",
    "edge_evidence",
    "step_attributes",
    "why",
]
