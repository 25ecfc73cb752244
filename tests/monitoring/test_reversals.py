from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stepgraph.graph import TaskGraph
from stepgraph.monitoring.reversals import judge_with_reversals, reversals
from tests.strategies import task_graphs, valid_orders

CAR = TaskGraph.from_preconditions(
    {"attach-roof": ["attach-cabin"], "attach-cabin": ["attach-bed"]}
)
STEPS = {
    "B": "attach-bed",
    "C": "attach-cabin",
    "R": "attach-roof",
    "b": "detach-bed",
    "c": "detach-cabin",
    "r": "detach-roof",
}
UNDO = reversals(STEPS.values(), {"detach": "attach"})


def judge(letters: str) -> str:
    """Return the letters of the steps that are mistakes."""
    verdicts = judge_with_reversals(CAR, [STEPS[letter] for letter in letters], UNDO)
    return "".join(letter for letter, wrong in zip(letters, verdicts, strict=True) if wrong)


def test_taking_back_a_mistake_is_none_and_what_was_taken_back_is_missing_again() -> None:
    assert judge("CcBC") == "C"
    assert judge("BCcR") == "cR"


def test_taking_back_what_was_right_is_a_mistake() -> None:
    assert judge("BCRr") == "r"


def test_what_stands_on_a_mistake_may_be_taken_back_as_well() -> None:
    assert judge("CRrcBCR") == "CR"


def test_an_unknown_step_is_a_mistake() -> None:
    assert judge_with_reversals(CAR, ["attach-wing"], UNDO) == (True,)


def test_only_whole_verbs_take_back() -> None:
    assert reversals(["detached", "detach wheel"], {"detach": "attach"}) == {
        "detach wheel": "attach wheel"
    }


@given(task_graphs().flatmap(lambda graph: st.tuples(st.just(graph), valid_orders(graph))))
def test_a_valid_order_has_no_mistake(drawn: tuple[TaskGraph, tuple[str, ...]]) -> None:
    graph, steps = drawn
    assert not any(judge_with_reversals(graph, steps, {}))
