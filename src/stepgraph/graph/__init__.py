"""The task graph: which steps need which, as an immutable directed acyclic graph.

An edge goes from a step to its precondition, as in the paper. Questions a person would ask
(what does this step need, what can be done now, is this order allowed) are methods of
`TaskGraph`. Importing this package loads neither numpy nor networkx, so that monitors start at
once.
"""

from stepgraph.graph.constraints import NO_CONSTRAINTS, Constraints
from stepgraph.graph.edges import Edge, connect_ends
from stepgraph.graph.evidence import EdgeEvidence, Provenance, StepAttributes
from stepgraph.graph.rules import Choice, RuleEvidence, Undoing
from stepgraph.graph.task_graph import TaskGraph

__all__ = [
    "NO_CONSTRAINTS",
    "Choice",
    "Constraints",
    "Edge",
    "EdgeEvidence",
    "Provenance",
    "RuleEvidence",
    "StepAttributes",
    "TaskGraph",
    "Undoing",
    "connect_ends",
]
