from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.graph import Provenance, TaskGraph
from stepgraph.graph.evidence import EdgeEvidence, StepAttributes
from stepgraph.monitoring import Monitor, UncertainMonitor, evidence, explain
from tests.strategies import STEP_NAMES, task_graphs

MIX = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "bake": ["mix", "milk"]})
CHAIN = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"]})
LAX = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": ["c"]}).replace(
    attributes={"b": StepAttributes(optional=True)}
)
LEARNED = TaskGraph(
    MIX.steps,
    MIX.edges,
    weights={("mix", "milk"): 0.876},
    provenance=Provenance("do", recordings=12),
)


@pytest.mark.parametrize(
    ("graph", "steps", "sentence"),
    [
        (MIX, ["egg"], "'egg' is right."),
        (MIX, ["mix"], "'mix' is done before 'egg' and 'milk', which it needs."),
        (MIX, ["egg", "egg"], "'egg' is done again, although it is done and not to be repeated."),
        (MIX, ["Egg"], "'Egg' is no step of this procedure; did you mean 'egg'?"),
        (MIX, ["drill a hole"], "'drill a hole' is no step of this procedure."),
        (
            MIX,
            ["egg", "mix", "bake"],
            "'bake' is done without 'milk', which it needs: skipped, as reported at step 2.",
        ),
        (
            MIX,
            ["egg", "mix", "milk"],
            "'milk' is done after all; 'mix' was done without it, the mistake of step 2.",
        ),
        (
            CHAIN,
            ["c", "a"],
            "'a' is done after 'c', which needs it through other steps: this follows from step 1.",
        ),
        (
            CHAIN.replace(steps="abcd", edges=[*CHAIN.edges, ("d", "b")]),
            ["c", "d", "a"],
            (
                "'a' is done after 'c' and 'd', which need it through other steps: "
                "this follows from step 1."
            ),
        ),
        (
            MIX,
            ["egg", "mix", "bake", "milk"],
            (
                "'milk' is done after all; 'mix' and 'bake' were done without it, "
                "the mistake of step 2."
            ),
        ),
        (
            LAX,
            ["a", "c", "b"],
            "'b' is done after 'c', which comes after it if it is done at all.",
        ),
        (
            LAX,
            ["a", "c", "d", "b"],
            "'b' is done after 'c' and 'd', which come after it if it is done at all.",
        ),
        (
            LAX,
            ["b"],
            "'b' is done before 'a', which it needs.",
        ),
        (
            LAX,
            ["c", "b"],
            (
                "'b' is done after 'c', which comes after it if it is done at all, "
                "and without 'a', which it needs."
            ),
        ),
        (
            CHAIN,
            ["c", "b"],
            "'b' is done before 'a', which it needs, and after 'c', which needs it.",
        ),
        (
            TaskGraph.from_preconditions({"c": ["b", "a"], "b": ["a"]}),
            ["c", "b"],
            (
                "'b' is done after all, but without 'a', which it needs; 'c' was done without it, "
                "the mistake of step 1."
            ),
        ),
        (
            TaskGraph.from_preconditions({"x": ["a"], "y": ["b"], "z": ["a", "b"]}),
            ["x", "y", "z"],
            (
                "'z' is done without 'a' and 'b', which it needs: "
                "skipped, as reported from step 1 on."
            ),
        ),
        (
            TaskGraph.from_preconditions({"x": ["a"], "c": ["b"], "d": ["c"], "b": ["a"]}),
            ["x", "d", "b"],
            (
                "'b' is done without 'a', which it needs, and after 'd', which needs it: "
                "skipped, as reported at step 1."
            ),
        ),
        (LEARNED, ["egg"], "'egg' is right."),
        (
            LEARNED,
            ["egg", "mix"],
            (
                "'mix' is done before 'milk', which it needs "
                "(weight of 'milk': 0.88; learned from 12 recordings with 'do')."
            ),
        ),
    ],
)
def test_each_kind_has_its_sentence(graph: TaskGraph, steps: list[str], sentence: str) -> None:
    monitor = Monitor(graph)
    *_, verdict = [monitor.observe(step) for step in steps]
    assert explain(verdict, graph) == sentence


def test_what_was_never_done_has_a_sentence() -> None:
    monitor = Monitor(CHAIN)
    monitor.observe("b")
    assert [explain(verdict, CHAIN) for verdict in monitor.finish().verdicts] == [
        "'a' was never done, passed over at step 1.",
        "'c' was never done.",
    ]


def test_a_step_never_done_has_the_share_of_recordings_that_have_it() -> None:
    graph = LEARNED.replace(attributes={"egg": StepAttributes(done=0.75)})
    monitor = Monitor(graph)
    assert [explain(verdict, graph) for verdict in monitor.finish().verdicts] == [
        (
            "'egg' was never done (75 % of the recordings have it; "
            "learned from 12 recordings with 'do')."
        ),
        "'milk' was never done.",
        "'mix' was never done.",
        "'bake' was never done.",
    ]
    monitor.observe("mix")
    assert explain(monitor.finish().verdicts[0], graph) == (
        "'egg' was never done, passed over at step 1."
    )


def test_an_optional_step_that_comes_late_has_the_evidence_of_the_order() -> None:
    graph = LAX.replace(
        evidence={("c", "b"): EdgeEvidence(3, 0, 0), ("d", "c"): EdgeEvidence(9, 0, 0)}
    )
    monitor = Monitor(graph)
    *_, late = [monitor.observe(step) for step in "acdb"]
    assert explain(late, graph) == (
        "'b' is done after 'c' and 'd', which come after it if it is done at all "
        "('b' came before 'c' in 3 of 3 recordings)."
    )
    graph = graph.replace(weights={("b", "a"): 0.75}, provenance=Provenance(recordings=4))
    monitor = Monitor(graph)
    *_, late = [monitor.observe(step) for step in "cb"]
    assert explain(late, graph) == (
        "'b' is done after 'c', which comes after it if it is done at all, and without 'a', which "
        "it needs ('b' came before 'c' in 3 of 3 recordings, weight of 'a': 0.75; "
        "learned from 4 recordings)."
    )


def test_a_probable_mistake_has_the_evidence_of_the_step_that_was_done() -> None:
    monitor = UncertainMonitor(LEARNED, error_rate=0.0)
    monitor.observe("egg", time=2)
    assert explain(monitor.observe("mix", time=1), LEARNED) == (
        "'mix' seems to be done before 'milk', which it needs (100%) "
        "(weight of 'milk': 0.88; learned from 12 recordings with 'do'; "
        "time runs backwards: 1 after 2)."
    )
    assert explain(monitor.observe("egg"), LEARNED) == (
        "'egg' is probably done again (a mistake with 0%)."
    )


def test_a_late_optional_step_has_its_evidence_behind_a_recogniser_too() -> None:
    counted = LAX.replace(evidence={("c", "b"): EdgeEvidence(3, 1, 0, (), ("anna",))})
    monitor = UncertainMonitor(counted, error_rate=0.0)
    for step in "ac":
        monitor.observe(step)
    assert explain(monitor.observe("b"), counted) == (
        "'b' seems to be done after 'c', which comes after it if it is done at all (100%) "
        "('b' came before 'c' in 3 of 4 recordings, not in 'anna')."
    )


def test_times_of_a_clock_are_told_in_full() -> None:
    monitor = Monitor(MIX)
    monitor.observe("egg", time=1700000007.5)
    assert monitor.observe("milk", time=1700000001).note == (
        "time runs backwards: 1700000001 after 1700000007.5"
    )


def test_time_that_runs_backwards_is_part_of_the_sentence() -> None:
    monitor = Monitor(MIX)
    monitor.observe("egg", time=4)
    assert explain(monitor.observe("milk", time=2), MIX) == (
        "'milk' is right (time runs backwards: 2 after 4)."
    )


def test_a_graph_that_knows_nothing_of_its_edges_gives_no_evidence() -> None:
    assert evidence(MIX, "mix", ["egg"]) == ""


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (EdgeEvidence(1, 0, 0), "'egg' came first in 1 of 1 recording"),
        (EdgeEvidence(2, 0, 0), "'egg' came first in 2 of 2 recordings"),
        (EdgeEvidence(2, 0, 0, tuple("ab")), "'egg' came first in 2 of 2 recordings"),
        (
            EdgeEvidence(2, 0, 1, tuple("ab")),
            "'egg' came first in 2 of 2 recordings ('a', 'b')",
        ),
        (
            EdgeEvidence(5, 1, 2, tuple("abcde"), ("f",)),
            "'egg' came first in 5 of 6 recordings ('a', 'b', 'c', 2 more), not in 'f'",
        ),
        (EdgeEvidence(1, 1, 0), "'egg' came first in 1 of 2 recordings"),
        (EdgeEvidence(0, 0, 3), "no recording has both 'egg' and 'mix'"),
        (
            EdgeEvidence(2, 1, 0, (), tuple("a")),
            "'egg' came first in 2 of 3 recordings, not in 'a'",
        ),
        (
            EdgeEvidence(2, 3, 0, (), tuple("abc")),
            "'egg' came first in 2 of 5 recordings, not in 'a', 'b', 'c'",
        ),
        (
            EdgeEvidence(2, 5, 0, (), tuple("abcde")),
            "'egg' came first in 2 of 7 recordings, not in 'a', 'b', 'c', 2 more",
        ),
    ],
)
def test_evidence_counts_recordings_and_names_up_to_three_of_them(
    found: EdgeEvidence, said: str
) -> None:
    assert evidence(MIX.replace(evidence={("mix", "egg"): found}), "mix", ["egg"]) == said


def test_evidence_says_how_doubtful_an_edge_is() -> None:
    doubted = EdgeEvidence(3, 1, 0, broken_in=("anna",), probability=0.274)
    assert evidence(MIX.replace(evidence={("mix", "egg"): doubted}), "mix", ["egg"]) == (
        "'egg' came first in 3 of 4 recordings, not in 'anna', doubtful: 27 % probable"
    )


@pytest.mark.parametrize(
    ("provenance", "said"),
    [
        (Provenance(recordings=1), "learned from 1 recording"),
        (Provenance(recordings=2.5), "learned from 2.50 recordings"),
        (Provenance("do", recordings=2), "learned from 2 recordings with 'do'"),
        (Provenance("do"), ""),
    ],
)
def test_evidence_tells_what_a_graph_was_learned_from(provenance: Provenance, said: str) -> None:
    assert evidence(MIX.replace(provenance=provenance), "mix", ["egg"]) == said


@given(task_graphs(weighted=True), st.lists(st.sampled_from([*STEP_NAMES, "x"]), max_size=8))
def test_every_verdict_is_a_sentence_with_its_step(graph: TaskGraph, steps: list[str]) -> None:
    monitor = Monitor(graph)
    verdicts = [monitor.observe(step) for step in steps]
    for verdict in (*verdicts, *monitor.finish().verdicts):
        sentence = explain(verdict, graph)
        assert verdict.step in sentence
        assert sentence[-1] in ".?"
        assert all(name in sentence for name in verdict.missing if verdict in verdicts)


def test_a_need_through_optional_steps_is_told_as_such() -> None:
    graph = TaskGraph.from_preconditions(
        {"wipe": ["open"], "dust": ["open"], "insert": ["wipe", "dust"]}
    )
    attributes = {name: StepAttributes(done=0.5, optional=True) for name in ("wipe", "dust")}
    assert evidence(graph, "insert", ["open"]) == ""
    one = graph.replace(attributes={"wipe": attributes["wipe"]})
    assert evidence(one, "insert", ["open"]) == "through 'wipe', which may be left out"
    both = graph.replace(attributes=attributes)
    assert evidence(both, "insert", ["open"]) == (
        "through 'wipe' and 'dust', which may all be left out"
    )
    longer = TaskGraph.from_preconditions(
        {"oil": ["open"], "turn": ["open"], "wipe": ["turn"], "insert": ["oil", "wipe"]}
    ).replace(attributes={"oil": attributes["wipe"], "wipe": attributes["wipe"]})
    assert evidence(longer, "insert", ["open"]) == "through 'oil', which may be left out"
    through = longer.replace(attributes=dict.fromkeys(("wipe", "turn"), attributes["wipe"]))
    assert evidence(through, "insert", ["open"]) == "through 'wipe', which may be left out"
    direct = one.replace(edges=[*one.edges, ("insert", "open")])
    assert evidence(direct, "insert", ["open"]) == ""
    verdict = Monitor(one).observe("insert")
    assert evidence(one, "no step", verdict.missing) == ""
