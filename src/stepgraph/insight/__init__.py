"""What recordings tell beyond the graph: evidence, habits, doubts and blunders.

`edge_evidence` counts which recordings bear an edge out, `step_attributes` finds the steps that may
be left out or repeated, `audit` the recordings that are wrong, and where, and `advise` what to
record next. Nothing here changes which steps need which.
"""

from __future__ import annotations

from stepgraph.insight.advice import Advice, Question, advise
from stepgraph.insight.attributes import step_attributes
from stepgraph.insight.audit import Audit, AuditedRecording, Finding, Slip, audit
from stepgraph.insight.evidence import consequences, edge_evidence, why

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
