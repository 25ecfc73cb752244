"""Blocks: the graph that a structured process means."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings

from stepgraph.errors import FormatError, GraphError
from stepgraph.formats.blocks import (
    Block,
    Loop,
    OneOf,
    Order,
    Step,
    graph_from_block,
    in_sequence,
    one_of,
)
from stepgraph.graph import TaskGraph
from tests.formats.languages import (
    blocks,
    sequences_of_block,
    sequences_of_graph,
)

A, B, C, D, E = map(Step, "abcde")


def sequence(*parts: Block) -> Block:
    found = in_sequence(*parts)
    assert found is not None
    return found


def maybe(block: Block) -> Block:
    return OneOf((block,), optional=True)


def graph_of(block: Block) -> TaskGraph | None:
    """Return the graph of a block, or none if it is refused."""
    try:
        return graph_from_block(block, "")
    except (FormatError, GraphError):
        return None


@given(blocks(5))
@settings(max_examples=150)
def test_the_graph_of_a_block_has_exactly_its_sequences(block: Block) -> None:
    graph = graph_of(block)
    assume(graph is not None)
    assert graph is not None
    assert sequences_of_graph(graph, 7) == sequences_of_block(block, 7)


@given(blocks(6, loops=False))
@settings(max_examples=80)
def test_nothing_without_loops_is_refused(block: Block) -> None:
    graph = graph_from_block(block, "")
    assert set(graph.steps) == {step for steps in sequences_of_block(block, 6) for step in steps}


def test_so_it_has_if_choices_are_within_choices() -> None:
    block = OneOf((A, maybe(sequence(OneOf((B, C, D), optional=True), E))))
    assert sequences_of_graph(graph_from_block(block, ""), 5) == sequences_of_block(block, 5)


EXACT = {
    "one of two sequences": sequence(A, OneOf((sequence(B, C), D)), E),
    "a block that may be left out": sequence(A, maybe(sequence(B, C)), D),
    "a part of it that may be left out": sequence(A, maybe(sequence(B, maybe(C))), D),
    "two choices that are made or not": sequence(A, maybe(Order((OneOf((B, C)), D))), E),
    "a loop and what follows": sequence(A, Loop(B, C), D),
    "a loop at the end": sequence(A, Loop(B, C)),
    "a loop of several steps": sequence(A, Loop(sequence(B, C), D), E),
    "a way back of several steps": sequence(Loop(A, sequence(B, C)), D),
    "one of two ways back": sequence(Loop(A, OneOf((B, C))), D),
    "a loop beside a step": sequence(Order((Loop(A, B), C)), D),
    "a loop after a loop": sequence(Loop(A, B), Loop(C, D), E),
    "a loop that may be left out": sequence(maybe(Loop(A, B)), C),
    "a loop in an alternative": OneOf((sequence(A, Loop(B, C)), D)),
    "a step repeated at the end": sequence(A, Loop(B)),
    "steps in any order, any number of times": sequence(A, Loop(None, OneOf((B, C)))),
}


@pytest.mark.parametrize("case", EXACT)
def test_these_are_expressed_exactly(case: str) -> None:
    block = EXACT[case]
    found = sequences_of_graph(graph_from_block(block, ""), 8)
    assert found == sequences_of_block(block, 8)


REFUSED = {
    "a step repeated before another": (
        sequence(Loop(A), B),
        "'a' may be repeated until 'b' is done, not later; a repeatable step of a task graph",
    ),
    "several steps repeated as a whole": (
        Loop(sequence(A, B)),
        "a loop repeats 'a' and 'b' without a step on the way back",
    ),
    "a loop that begins with a choice": (
        sequence(Loop(OneOf((A, B)), C), D),
        "a loop begins with a choice, 'a' and 'b'",
    ),
    "something to leave out in a loop": (
        sequence(Loop(sequence(A, maybe(B)), C), D),
        "'b' may be left out within a loop",
    ),
    "a way back that may be left out": (
        sequence(Loop(A, maybe(B)), C),
        "'b' may be left out within a loop",
    ),
    "a way back without a last step": (
        sequence(Loop(A, Order((B, C))), D),
        "the way back in a loop, 'b' and 'c', has no single last step",
    ),
    "two steps of one name": (
        sequence(Step("a", "line 3"), Step("a", "line 4")),
        r"two steps are called 'a' \(line 3 and line 4\); a task graph has each step once",
    ),
    "nothing": (None, "no steps; expected at least one"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_graph_expresses_exactly_is_refused_by_name(case: str) -> None:
    block, message = REFUSED[case]
    with pytest.raises(FormatError, match=message):
        graph_from_block(block, "")


def test_a_loop_of_everything_is_refused_by_the_graph() -> None:
    with pytest.raises(GraphError, match="'c' is said to undo every other step"):
        graph_from_block(Loop(sequence(A, B), C), "")


def test_a_choice_between_nothing_and_nothing_is_nothing() -> None:
    assert one_of(None, None) is None
    assert one_of(None, A, B) == OneOf((A, B), optional=True)
    assert one_of(A, None) == maybe(A)


def test_blocks_may_not_be_nested_without_end() -> None:
    block: Block = A
    for _ in range(5000):
        block = maybe(block)
    with pytest.raises(FormatError, match="blocks nested more than 100 deep"):
        graph_from_block(block, "")


def test_a_long_sequence_is_one_order() -> None:
    block = sequence(sequence(A, B), Order((C, D)), E)
    assert block == Order((A, B, C, D, E), frozenset({(0, 1), (1, 2), (1, 3), (2, 4), (3, 4)}))
