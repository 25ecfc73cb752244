"""What recordings tell beyond the graph: evidence, habits, doubts and blunders.

`edge_evidence` counts which recordings bear an edge out, `step_attributes` tells steps that may be
left out or repeated from slips. Nothing here changes which steps need which.
"""

from __future__ import annotations

from tgml.insight.evidence import edge_evidence
from tgml.insight.step_attributes import step_attributes

__all__ = [
    "edge_evidence",
    "step_attributes",
]
