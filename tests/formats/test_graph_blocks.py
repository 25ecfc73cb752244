"""The blocks of a graph: exact, or none."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings

from stepgraph.formats.blocks import Loop, Step, in_sequence
from stepgraph.formats.graph_blocks import NoBlocksError, block_from_graph
from stepgraph.graph import Choice, StepAttributes, TaskGraph, Undoing
from tests.formats.languages import (
    graphs_of_blocks,
    sequences_of_block,
    sequences_of_graph,
)
from tests.strategies import graphs_with_rules


@given(graphs_with_rules(max_steps=4) | graphs_of_blocks())
@settings(max_examples=120)
def test_blocks_have_exactly_the_valid_sequences_of_the_graph(graph: TaskGraph) -> None:
    with suppress(NoBlocksError):
        block = block_from_graph(graph)
        assert sequences_of_block(block, 6) == sequences_of_graph(graph, 6)


def test_a_way_back_is_found_whether_or_not_it_is_called_optional() -> None:
    graph = TaskGraph.from_preconditions({"repair": ["test"], "pack": ["test"]}).replace(
        choices=[Choice([["repair"], ["pack"]])],
        undoings=[Undoing("repair", ["test"]), Undoing("test", ["repair"])],
    )
    expected = in_sequence(Loop(Step("test"), Step("repair")), Step("pack"))
    assert block_from_graph(graph) == expected
    about = {"repair": StepAttributes(optional=True)}
    assert block_from_graph(graph.replace(attributes=about)) == expected


def test_the_rule_that_makes_no_block_is_named() -> None:
    graph = TaskGraph.from_preconditions({"pack": ["test"], "ship": ["pack"], "call": []})
    for changes, named in (
        ({"undoings": [Undoing("call", ["test"])]}, "'call' undoes 'test'"),
        ({"choices": [Choice([["ship"], ["call"]])]}, "what '(ship|call)' needs|one of 'ship'"),
        ({"attributes": {"call": StepAttributes(goes_with=("ship",))}}, "'call' goes with 'ship'"),
    ):
        with pytest.raises(NoBlocksError, match=named):
            block_from_graph(graph.replace(**changes))
