"""Nets that remember what counts as done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from stepgraph.errors import GraphError
from stepgraph.formats.nets import Transition
from stepgraph.formats.state_net import state_net
from stepgraph.graph import TaskGraph, Undoing
from tests.formats.languages import graphs_of_blocks, sequences_of_graph, sequences_of_tokens
from tests.formats.token_game import Firings, Marking
from tests.strategies import graphs_with_rules


def firings_of(net: list[Transition]) -> Firings:
    def firings(marking: Marking) -> Iterator[tuple[str | None, Marking]]:
        for one in net:
            if all(marking[place] for place in one.takes):
                yield one.step, marking - Counter(one.takes) + Counter(one.gives)

    return firings


def is_last(marking: Marking) -> bool:
    return marking == Counter({"sink": 1})


@given(graphs_with_rules(max_steps=4) | graphs_of_blocks(4))
@settings(max_examples=200)
def test_the_net_has_exactly_the_valid_sequences_of_the_graph(graph: TaskGraph) -> None:
    firings = firings_of(state_net(graph))
    found = sequences_of_tokens(Counter(["source"]), firings, is_last, 5)
    assert found == sequences_of_graph(graph, 5)


@given(graphs_with_rules(max_steps=4))
@settings(max_examples=100)
def test_no_place_has_two_tokens_and_whoever_ends_can_finish(graph: TaskGraph) -> None:
    firings = firings_of(state_net(graph))
    waiting = [Counter({"source": 1})]
    seen = {frozenset(waiting[0].items())}
    while waiting:
        marking = waiting.pop()
        assert max(marking.values()) == 1
        following = [after for _, after in firings(marking)]
        assert following or marking["running"] or is_last(marking)
        for after in following:
            if frozenset(after.items()) not in seen:
                seen.add(frozenset(after.items()))
                waiting.append(after)


def test_too_many_ways_to_do_a_step_are_refused_with_the_rules() -> None:
    graph = TaskGraph.from_preconditions({name: [] for name in "abcdefghij"})
    graph = graph.replace(undoings=[Undoing("a", list("bcdefgh"))])
    with pytest.raises(GraphError, match=r"'a' would need more than 64 .* 'a' undoes 'b', 'c'"):
        state_net(graph)
    assert state_net(graph.replace(undoings=[Undoing("a", list("bcdefg"))]))
