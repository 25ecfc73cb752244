"""Graphs that nets, process diagrams and XML are tried with."""

from __future__ import annotations

from hypothesis import strategies as st

from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes
from tests.drawing.strategies import task_graphs as named_graphs
from tests.strategies import task_graphs

XML_TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff")
    | st.sampled_from("\t\n\r<>&'\"\u2028\x85"),
    max_size=12,
)


@st.composite
def small_graphs(draw: st.DrawFn) -> TaskGraph:
    graph = draw(task_graphs(max_steps=5) | named_graphs(max_steps=4, endings=st.just("")))
    some = draw(st.lists(st.sampled_from(graph.steps), unique=True, max_size=2))
    return graph.replace(attributes=dict.fromkeys(some, StepAttributes(optional=True)))


@st.composite
def large_graphs(draw: st.DrawFn) -> TaskGraph:
    graph = draw(task_graphs() | named_graphs(connected=False, endings=st.just("")))
    some = draw(st.lists(st.sampled_from(graph.steps), unique=True, max_size=3))
    return graph.replace(attributes=dict.fromkeys(some, StepAttributes(optional=True)))


GRAPHS = large_graphs() | named_graphs(endings=XML_TEXT)
