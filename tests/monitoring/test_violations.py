from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.graph import Choice, StepAttributes, TaskGraph, Undoing
from stepgraph.monitoring import Kind, Violation, find_violations
from stepgraph.monitoring.violations import judge_with_reversals, reversals
from stepgraph.sequences import END, START
from tests.strategies import STEP_NAMES, graphs_with_rules, task_graphs, valid_orders

MIX = TaskGraph.from_preconditions({"mix": ["egg", "milk"]})
STEPS = st.lists(st.sampled_from([*STEP_NAMES, "unknown", START]), max_size=12)


@given(task_graphs(max_steps=6), STEPS)
def test_each_prefix_gives_the_verdicts_that_the_whole_gives(
    graph: TaskGraph, steps: list[str]
) -> None:
    whole = find_violations(graph, steps)
    for length in range(len(steps) + 1):
        so_far = tuple(violation for violation in whole if violation.position <= length)
        assert find_violations(graph, steps[:length]) == so_far


@given(task_graphs(max_steps=6), STEPS)
def test_a_violation_is_exactly_a_step_without_what_it_needs(
    graph: TaskGraph, steps: list[str]
) -> None:
    expected = {}
    for place, step in enumerate(steps):
        if step not in graph.steps:
            expected[place + 1] = set[str]()
        elif missing := set(graph.preconditions_of(step)) - set(steps[:place]):
            expected[place + 1] = missing
    found = [v for v in find_violations(graph, steps) if v.kind is not Kind.NEEDLESS]
    assert {violation.position: set(violation.missing) for violation in found} == expected
    assert all(steps[violation.position - 1] == violation.step for violation in found)


@given(graphs_with_rules(), st.data(), st.booleans())
def test_no_violation_means_valid_and_valid_means_no_violation(
    graph: TaskGraph, data: st.DataObject, complete: bool
) -> None:
    steps = data.draw(st.lists(st.sampled_from(graph.steps), max_size=12))
    found = find_violations(graph, steps, complete=complete)
    assert (found == ()) is graph.is_valid(steps, complete=complete)


@given(graphs_with_rules(), STEPS)
def test_what_is_never_done_is_named_once(graph: TaskGraph, steps: list[str]) -> None:
    whole = find_violations(graph, steps, complete=True)
    assert whole[: len(find_violations(graph, steps))] == find_violations(graph, steps)
    never = [v for v in whole if v.kind is Kind.OPEN_AT_FINISH]
    names = [name for v in never for name in (v.step, *v.others)]
    assert len(set(names)) == len(names)
    assert not {v.step for v in never if not v.others} & {m for v in whole for m in v.missing}


BENCH = TaskGraph.from_preconditions(
    {"test": ["build"], "repair": ["test"], "pack": ["test", "repair"], "scrap": ["test"]}
).replace(
    attributes={"repair": StepAttributes(optional=True, repeatable=True)},
    choices=[Choice([["pack"], ["scrap"]])],
    undoings=[Undoing("repair", ["test"])],
)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (["build", "test", "pack"], []),
        (["build", "test", "repair", "pack"], ["step 4, 'pack': done before 'test'"]),
        (
            ["build", "test", "scrap", "pack"],
            ["step 4, 'pack': done although 'scrap' was chosen instead of it"],
        ),
        (["build", "test"], ["never done: one of 'pack' or 'scrap'"]),
        (
            ["build", "test", "test", "pack"],
            ["step 3, 'test': done again, although it is done and not to be repeated"],
        ),
        (
            ["build", "test", "pack", "repair", "test"],
            ["step 4, 'repair': done after 'pack', too late"],
        ),
        (["build"], ["never done: one of 'pack' or 'scrap'", "never done: 'test'"]),
    ],
)
def test_each_kind_of_violation_has_its_words(steps: list[str], said: list[str]) -> None:
    assert list(map(str, find_violations(BENCH, steps, complete=True))) == said


def test_doing_again_what_was_done_too_early_repairs_it() -> None:
    assert [v.position for v in find_violations(MIX, ["mix", "egg", "milk", "mix", "mix"])] == [
        1,
        5,
    ]


@given(task_graphs(), st.data())
def test_an_unknown_step_changes_no_other_verdict(graph: TaskGraph, data: st.DataObject) -> None:
    steps = data.draw(st.lists(st.sampled_from(graph.steps), max_size=8))
    place = data.draw(st.integers(0, len(steps)))
    found = find_violations(graph, [*steps[:place], "unknown", *steps[place:]])
    others = [(v.step, v.missing) for v in found if v.kind is not Kind.UNKNOWN_STEP]
    assert others == [(v.step, v.missing) for v in find_violations(graph, steps)]
    assert [v.position for v in found if v.kind is Kind.UNKNOWN_STEP] == [place + 1]


def test_an_unknown_step_is_reported_with_the_nearest_names() -> None:
    found = find_violations(MIX, ["Egg", "milk", "mix"])
    assert found == (
        Violation(1, "Egg", kind=Kind.UNKNOWN_STEP, nearest=("egg",)),
        Violation(3, "mix", ("egg",)),
    )
    assert str(found[0]) == "step 1, 'Egg': not in the graph (did you mean 'egg'?)"


def test_what_was_never_done_is_told_apart_once_the_recording_is_over() -> None:
    (found,) = find_violations(MIX, ["mix", "milk"])
    assert found.describe({"mix", "milk"}) == "step 1, 'mix': done before 'milk' and without 'egg'"
    assert found.describe({"mix"}) == "step 1, 'mix': done without 'egg', 'milk'"
    assert found.describe({"mix", "egg", "milk"}) == str(found)
    (unknown,) = find_violations(MIX, ["Egg"])
    assert unknown.describe(set()) == str(unknown)


def test_an_unknown_step_like_no_other_is_reported_without_advice() -> None:
    (found,) = find_violations(MIX, ["sweep the floor"])
    assert str(found) == "step 1, 'sweep the floor': not in the graph"


@pytest.mark.parametrize("name", [START, END])
def test_start_and_end_are_no_steps_that_anybody_does(name: str) -> None:
    (found,) = find_violations(MIX, [name])
    assert found.kind is Kind.UNKNOWN_STEP


def test_a_violation_says_what_was_missing() -> None:
    (found,) = find_violations(MIX, ["mix"])
    assert str(found) == "step 1, 'mix': done before 'egg', 'milk'"


def test_a_repeated_step_is_checked_each_time() -> None:
    assert [v.position for v in find_violations(MIX, ["mix", "egg", "mix", "milk", "mix"])] == [
        1,
        3,
    ]


def test_a_stream_is_read_once() -> None:
    assert find_violations(MIX, iter(["mix"])) == find_violations(MIX, ["mix"])


CAR = TaskGraph.from_preconditions(
    {"attach-roof": ["attach-cabin"], "attach-cabin": ["attach-bed"]}
)
LETTERS = {
    "B": "attach-bed",
    "C": "attach-cabin",
    "R": "attach-roof",
    "b": "detach-bed",
    "c": "detach-cabin",
    "r": "detach-roof",
}
UNDO = reversals(LETTERS.values(), {"detach": "attach"})


def judge(letters: str) -> str:
    """Return the letters of the steps that are mistakes."""
    verdicts = judge_with_reversals(CAR, [LETTERS[letter] for letter in letters], UNDO)
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
