"""Graphs and streams of steps that tests of the uncertain monitor share."""

from __future__ import annotations

from hypothesis import strategies as st

from stepgraph.graph import TaskGraph
from tests.strategies import STEP_NAMES

CHAIN = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": ["c"], "e": ["d"], "f": ["e"]})
OTHER = TaskGraph.from_preconditions({"b": ["a"]})
STREAMS = st.lists(st.sampled_from((*STEP_NAMES, "fly")), max_size=10)
RATES = st.sampled_from([0.0, 0.05, 0.3])
