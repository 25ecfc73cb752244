"""Whatever is asked about a recording, the answer is the same."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stepgraph
from benchmarks.datasets.petri_nets import PetriNet
from stepgraph.errors import GraphError
from stepgraph.formats import graph_text
from stepgraph.graph import TaskGraph
from tests.strategies import graphs_with_rules


def answers(graph: TaskGraph, steps: list[str]) -> dict[str, bool]:
    """Return whether each tool says that a recording is right and complete."""
    monitor = stepgraph.Monitor(graph)
    for step in steps:
        monitor.observe(step)
    found = {
        "valid": graph.is_valid(steps, complete=True),
        "monitor": monitor.finish().is_clean,
        "check": not stepgraph.find_violations(graph, steps, complete=True),
    }
    try:
        found["align"] = stepgraph.align(graph, steps).cost == 0
    except GraphError:  # no order finishes the graph
        found["align"] = False
    with suppress(GraphError):  # it would need too many transitions
        found["net"] = PetriNet.from_pnml(graph_text(graph, ".pnml")).accepts(steps)
    return found


@given(graphs_with_rules(max_steps=5), st.data())
@settings(max_examples=40, deadline=None)
def test_every_tool_gives_the_same_answer(graph: TaskGraph, data: st.DataObject) -> None:
    steps = data.draw(st.lists(st.sampled_from(graph.steps), max_size=7))
    assert len(set(answers(graph, steps).values())) == 1


@given(graphs_with_rules(max_steps=5), st.data())
@settings(max_examples=40, deadline=None)
def test_every_tool_accepts_what_follows_the_graph(graph: TaskGraph, data: st.DataObject) -> None:
    steps: list[str] = []
    while possible := [
        step for step in graph.steps if len(steps) < 9 and graph.is_valid([*steps, step])
    ]:
        steps.append(data.draw(st.sampled_from(possible)))
    assert len(set(answers(graph, steps).values())) == 1


@pytest.mark.parametrize("steps", [["test", "pack"], ["test", "repair", "test", "pack"]])
def test_learned_rules_have_one_answer(steps: list[str]) -> None:
    bench = [["test", "pack"]] * 30 + [["test", "repair", "test", "pack"]] * 10
    graph = stepgraph.learn(stepgraph.Demonstrations.from_steps(bench))
    assert set(answers(graph, steps).values()) == {True}
    assert set(answers(graph, ["test", "repair", "pack"]).values()) == {False}
