"""Insight from recordings beyond the graph: evidence, habits, doubts and mistakes.

`edge_evidence` counts the recordings for and against an edge, `with_rules` finds optional and
repeatable steps, choices and steps that undo others, `audit` finds the mistakes in recordings, and
`advise` says what to record next. Nothing here changes the edges of a graph, except that the
alternatives of a choice do not need each other.
"""

from __future__ import annotations

from stepgraph.insight.advice import Advice, Question, advise
from stepgraph.insight.audit import Audit, AuditedRecording, Finding, Slip, audit
from stepgraph.insight.evidence import consequences, edge_evidence, why
from stepgraph.insight.rules import with_rules

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
    "why",
    "with_rules",
]
