from __future__ import annotations

from hypothesis import given

from stepgraph.graph import Constraints, TaskGraph
from stepgraph.insight import consequences
from stepgraph.insight.consequences import NAMED
from tests.strategies import task_graphs


def chain() -> TaskGraph:
    needs = {"b": ["a"], "c": ["b"]}
    return TaskGraph.from_preconditions(needs)


@given(task_graphs())
def test_what_changes_nothing_has_no_consequences(graph: TaskGraph) -> None:
    assert consequences(graph, graph) == ()


def test_the_edge_that_was_stated_is_not_named() -> None:
    never = Constraints(never=[("c", "b")])
    told = TaskGraph.from_preconditions({"b": ["a"], "c": ["a"]}, constraints=never)
    assert consequences(chain(), told) == ()
    must = Constraints(must=[("d", "c")])
    told = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": ["c"]}, constraints=must)
    free = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": []})
    assert consequences(free, told) == ()


def test_what_goes_and_what_comes_is_named_and_what_follows_is_not() -> None:
    told = TaskGraph.from_preconditions({"b": [], "a": ["b"], "c": ["b"]})
    assert consequences(chain(), told) == (
        "stated so, there goes too: 'b' needs 'a'",
        "stated so, there comes too: 'a' needs 'b'",
    )


def test_many_are_counted() -> None:
    names = [f"s{number}" for number in range(NAMED + 2)]
    before = TaskGraph.from_preconditions({name: ["a"] for name in names})
    after = TaskGraph.from_preconditions({name: [] for name in ["a", *names]})
    (note,) = consequences(before, after)
    assert note.endswith("'s4' needs 'a'; 2 more")
