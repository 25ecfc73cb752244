"""The rules that recordings show, in the graph that is learned from them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.formats import read_graph, save_graph
from stepgraph.graph import Choice, Constraints, StepAttributes, TaskGraph, Undoing
from stepgraph.graph.rules import rules_in_words
from stepgraph.insight import with_rules
from stepgraph.pipeline import learn
from stepgraph.sequences import Demonstrations
from tests.strategies import annotated_demonstrations, demonstrations

from .recordings import ACCEPTED, BENCH, CASES, INSPECTIONS, REJECTED, forgetful, recorded

ALTERNATIVES = {frozenset(ACCEPTED[1:]), frozenset(REJECTED[1:])}
CHEAP = ("robust", "intersection", "count-based", "msg2")


def alternatives(graph: TaskGraph) -> list[set[frozenset[str]]]:
    return [set(map(frozenset, choice.alternatives)) for choice in graph.choices]


def rules(graph: TaskGraph) -> set[object]:
    """Return the rules of a graph without the order in which they name steps."""
    return {
        *((frozenset(map(frozenset, own.alternatives)), own.optional) for own in graph.choices),
        *((own.step, frozenset(own.undone)) for own in graph.undoings),
        *((step, "with", frozenset(own.goes_with)) for step, own in graph.attributes.items()),
        *((step, own.optional, own.repeatable) for step, own in graph.attributes.items()),
    }


def test_cases_that_are_accepted_or_rejected_give_one_choice() -> None:
    graph = learn(recorded(CASES))
    assert rules_in_words(graph) == [
        "one of 'accept', 'pack' and 'ship', or 'reject', 'rework' and 'scrap'"
    ]
    assert graph.optional_steps == ()
    assert all(graph.is_valid(case, complete=True) for case in CASES)
    assert not graph.is_valid([*ACCEPTED, *REJECTED[1:]]), "both"
    assert not graph.is_valid(["check"], complete=True), "neither"
    (choice,) = graph.choices
    assert choice.evidence is not None
    assert (choice.evidence.held, choice.evidence.broken) == ((86.0, 14.0), 0)
    assert choice.evidence.recordings == 100


def test_what_is_tested_again_after_a_repair_is_undone_by_it() -> None:
    graph = learn(recorded(BENCH))
    assert Undoing("repair", ["test"]) in [replace(own, evidence=None) for own in graph.undoings]
    assert all(graph.is_valid(own, complete=True) for own in BENCH)
    assert not graph.is_valid(["build", "test", "repair", "pack"])
    assert not graph.is_valid(["build", "test", "test"])
    assert not graph.attributes["test"].repeatable


@pytest.mark.parametrize("seed", range(5))
def test_a_choice_is_found_among_forgotten_steps(seed: int) -> None:
    graph = learn(recorded(forgetful(CASES * 2, seed)))
    assert alternatives(graph) == [ALTERNATIVES]
    assert not graph.choices[0].optional
    assert graph.is_valid(ACCEPTED, complete=True)
    assert graph.is_valid(REJECTED, complete=True)
    assert not graph.is_valid([*ACCEPTED, *REJECTED[1:]])


def test_undoing_is_found_among_forgotten_steps_in_most_samples() -> None:
    graphs = [learn(recorded(forgetful(BENCH * 10, seed))) for seed in range(20)]
    found = [
        graph
        for graph in graphs
        if ("repair", ("test",)) in [(own.step, tuple(own.undone)) for own in graph.undoings]
    ]
    assert len(found) >= 17
    for graph in found:
        assert not graph.is_valid(["build", "test", "repair", "pack"])


def test_one_who_does_both_neither_hides_a_choice_nor_orders_its_alternatives() -> None:
    both = ["check", "accept", "pack", "reject", "ship"]
    graph = learn(recorded([*[ACCEPTED] * 86, *[REJECTED] * 40, both]))
    assert alternatives(graph) == [ALTERNATIVES]
    assert graph.preconditions_of("reject") == ("check",)
    assert graph.preconditions_of("ship") == ("pack",)
    assert ("ship", "pack") in graph.evidence
    (note,) = (note for note in graph.provenance.notes if "alternatives" in note)
    assert note == (
        "left out, as these steps are alternatives: 'ship' needs 'reject', 'reject' needs 'pack'"
    )


def test_a_choice_that_arises_with_a_step_is_optional_and_goes_with_it() -> None:
    graph = learn(recorded(INSPECTIONS * 5))
    (choice,) = graph.choices
    assert (set(choice.steps), choice.optional) == ({"good", "bad"}, True)
    assert graph.optional_steps == ("inspect",)
    assert set(graph.attributes["inspect"].goes_with) == {"good", "bad"}
    assert all(graph.is_valid(visit, complete=True) for visit in INSPECTIONS)
    assert not graph.is_valid(["arrive", "inspect", "leave"], complete=True)
    assert not graph.is_valid(["arrive", "inspect", "good", "bad"])


def test_nothing_optional_goes_with_what_everybody_does() -> None:
    recordings = [*["abcde"] * 18, *["abde"] * 2]
    graph = TaskGraph("abcde", [], constraints=Constraints(optional=["c"]))
    found = with_rules(Demonstrations.from_steps(recordings), graph)
    assert not any(own.goes_with for own in found.attributes.values())


def test_what_was_skipped_by_mistake_is_no_evidence_for_a_choice() -> None:
    plain = recorded(CASES)
    every = range(1, len(plain.vocabulary) + 1)
    marked = replace(
        plain,
        sequences=tuple(
            replace(own, skipped=tuple(node for node in every if node not in own.steps))
            for own in plain
        ),
    )
    graph = TaskGraph(plain.vocabulary.steps, [])
    assert with_rules(plain, graph).choices
    assert not with_rules(marked, graph).choices


@pytest.mark.filterwarnings("ignore::stepgraph.errors.LearningWarning")
def test_two_recordings_that_share_no_step_show_no_rule() -> None:
    assert not rules_in_words(learn(Demonstrations.from_steps(["abc", "def"])))


@pytest.mark.parametrize("recordings", [CASES, BENCH, INSPECTIONS * 5])
def test_a_weight_counts_as_many_equal_recordings(recordings: list[list[str]]) -> None:
    kinds = sorted({tuple(own) for own in recordings}, key=list(map(tuple, recordings)).index)
    short = recorded(kinds)
    weighted = replace(
        short,
        sequences=tuple(
            replace(own, weight=float(recordings.count(list(kind))))
            for own, kind in zip(short, kinds, strict=True)
        ),
    )
    assert rules_in_words(learn(weighted)) == rules_in_words(learn(recorded(recordings)))


@given(st.sampled_from([CASES, BENCH, INSPECTIONS * 5]), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=25)
def test_the_order_of_steps_and_recordings_does_not_matter(
    recordings: list[list[str]], rng: random.Random
) -> None:
    steps = sorted({step for own in recordings for step in own})
    expected = with_rules(recorded(recordings), TaskGraph(steps, []))
    mixed = rng.sample(recordings, len(recordings))
    found = with_rules(recorded(mixed), TaskGraph(rng.sample(steps, len(steps)), []))
    assert rules(found) == rules(expected)


def test_the_same_recordings_give_the_same_rules_with_the_same_evidence() -> None:
    one, other = (learn(recorded(forgetful(CASES, 7))) for _ in range(2))
    assert (one.choices, one.undoings, one.attributes) == (
        other.choices,
        other.undoings,
        other.attributes,
    )


@settings(deadline=None, max_examples=50)
@given(demonstrations(omissions=False, repetitions=False))
def test_recordings_in_which_everybody_does_everything_once_show_no_rule(
    given_ones: Demonstrations,
) -> None:
    assert not rules_in_words(learn(given_ones))


@pytest.mark.filterwarnings("ignore::stepgraph.errors.LearningWarning")
@settings(deadline=None, max_examples=60)
@given(annotated_demonstrations(), st.sampled_from(CHEAP), st.integers(1, 9))
def test_whatever_is_learned_is_a_graph_that_a_file_keeps(
    tmp_path_factory: pytest.TempPathFactory,
    given_ones: Demonstrations,
    method: str,
    weight: int,
) -> None:
    heavy = tuple(replace(own, weight=float(weight)) for own in given_ones)
    graph = learn(replace(given_ones, sequences=heavy), method, with_mistakes=True)
    path = tmp_path_factory.mktemp("graphs") / "graph.json"
    save_graph(graph, path)
    again = read_graph(path)
    assert (again, again.choices, again.undoings) == (graph, graph.choices, graph.undoings)
    for step, known in graph.attributes.items():
        kept = again.attributes.get(step, StepAttributes())
        assert (kept.optional, kept.repeatable) == (known.optional, known.repeatable)
        assert kept.goes_with == known.goes_with


@pytest.mark.parametrize(
    "constraints",
    [
        Constraints(mandatory=["accept"]),
        Constraints(optional=["scrap"]),
        Constraints(must=[("reject", "ship")]),
    ],
)
def test_people_overrule_learned_choices(constraints: Constraints) -> None:
    given_ones = recorded(CASES)
    graph = TaskGraph(given_ones.vocabulary.steps, [], constraints=constraints)
    assert not with_rules(given_ones, graph).choices


def test_a_stated_choice_stands_beside_learned_ones_with_other_steps() -> None:
    given_ones = recorded(
        [[*case, "bill" if number % 2 else "pay"] for number, case in enumerate(CASES)]
    )
    stated = Constraints(one_of=[("bill", "pay")])
    found = with_rules(given_ones, TaskGraph(given_ones.vocabulary.steps, [], constraints=stated))
    assert found.choices[0] == Choice([["bill"], ["pay"]])
    assert alternatives(found)[1:] == [ALTERNATIVES]


def test_a_step_that_is_undone_and_also_repeated_by_habit_stays_repeatable() -> None:
    knocking = [["build", "test", "test", "pack"]] * 10
    graph = TaskGraph.from_preconditions(
        {"test": ["build"], "repair": ["test"], "pack": ["test", "repair"]}
    )
    found = with_rules(recorded([*BENCH, *knocking]), graph)
    assert found.attributes["test"].repeatable
