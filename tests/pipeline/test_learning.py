from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from stepgraph import __version__
from stepgraph.errors import (
    FormatError,
    LearningWarning,
    MissingExtraError,
    SettingError,
    StepgraphError,
    UnknownNameError,
)
from stepgraph.formats import read_demonstrations
from stepgraph.formats.json_text import dump_json, parse_json
from stepgraph.formats.stepgraph_json import graph_from_json, graph_to_json
from stepgraph.graph import Constraints, Provenance, TaskGraph
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.insight.evidence import doubts
from stepgraph.learners import LEARNERS, get_learner
from stepgraph.learners.precedence import precedence
from stepgraph.pipeline import LearningOptions, learn, learn_together
from stepgraph.postprocess import to_graph
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary
from tests.learning import learn_all
from tests.strategies import demonstrations

pytestmark = pytest.mark.filterwarnings("ignore::stepgraph.errors.LearningWarning")

ABC = Vocabulary(("a", "b", "c"))
MARKED = KeyStepSequence("bad", (2, 1, 3), mistakes=("order", None, None))
SKIPPING = KeyStepSequence("short", (3,), skipped=(1, 2))
CLEAN = KeyStepSequence("good", (1, 2, 3))


@pytest.fixture(params=[name for name, entry in LEARNERS.items() if not entry.needs_files])
def method(request: pytest.FixtureRequest) -> str:
    """Return each method that is installed."""
    name = str(request.param)
    if name == "llm":
        request.getfixturevalue("language_model")
    try:
        LEARNERS[name].load()
    except MissingExtraError as error:
        pytest.skip(str(error))
    return name


@pytest.fixture(params=["do", "intersection"])
def exact(request: pytest.FixtureRequest) -> str:
    """Return each method that gives the order which all recordings share."""
    return str(request.param)


def chain(*steps: str) -> TaskGraph:
    return TaskGraph.from_preconditions(
        {step: steps[max(place - 1, 0) : place] for place, step in enumerate(steps)}
    )


def test_a_single_demonstration_is_its_chain(exact: str) -> None:
    assert learn(Demonstrations.from_steps(["cab"]), exact) == chain("c", "a", "b")


def test_a_single_step_lies_between_start_and_end(exact: str) -> None:
    assert learn(Demonstrations.from_steps(["a"]), exact) == chain("a")


def test_duplicates_give_the_same_chain(exact: str) -> None:
    assert learn(Demonstrations.from_steps(["abc"] * 5), exact) == chain("a", "b", "c")


def test_two_orders_leave_free_what_they_disagree_about(exact: str) -> None:
    graph = learn(Demonstrations.from_steps(["abc", "bac"]), exact)
    assert graph.executable() == ("a", "b")
    assert graph.preconditions_of("c") == ("a", "b")


@given(demonstrations(omissions=False))
def test_every_recording_obeys_the_order_that_all_of_them_share(given_: Demonstrations) -> None:
    graph = learn(given_, "intersection").replace(undoings=())
    assert graph.steps == tuple(s for s in given_.vocabulary.steps if s not in given_.unseen_steps)
    for sequence in given_:
        assert graph.is_valid(dict.fromkeys(given_.names(sequence)))  # each step's first time


@given(demonstrations(repetitions=False, omissions=False, max_steps=6))
@settings(max_examples=20, deadline=None)
def test_direct_optimization_agrees_with_the_intersection_order(given_: Demonstrations) -> None:
    assert learn(given_, "do") == learn(given_, "intersection")


@given(demonstrations(repetitions=False, max_steps=6))
@settings(max_examples=20, deadline=None)
def test_where_recordings_leave_steps_out_direct_optimization_needs_what_always_came_first(
    given_: Demonstrations,
) -> None:
    always = precedence(given_, Repetitions.FIRST).always.astype(float)
    adjacency = WeightedAdjacency(given_.vocabulary, always).without(given_.unseen_steps)
    assert learn(given_, "do") == to_graph(adjacency).graph


def test_a_step_left_out_once_keeps_its_edges_in_the_intersection_order() -> None:
    graph = learn(Demonstrations.from_steps(["abc", "abc", "ac"]), "intersection")
    assert graph.preconditions_of("c") == ("b",)


@pytest.mark.parametrize(
    ("odd", "marks"),
    [(MARKED, repr(next(filter(None, MARKED.mistakes or ())))), (SKIPPING, "skipped steps")],
    ids=["marked", "skipping"],
)
def test_recordings_with_marked_mistakes_are_left_out_and_noted(
    odd: KeyStepSequence, marks: str, exact: str
) -> None:
    learning = learn_all([Demonstrations(ABC, (CLEAN, odd))], exact)[0]
    assert learning.graph == chain("a", "b", "c")
    said = f"1 of 2 recordings has marked mistakes ({marks}) and was left out"
    assert learning.notes[0].startswith(said)
    assert learning.graph.provenance.recordings == 1


@pytest.mark.filterwarnings("error")
def test_whoever_learns_is_warned_of_what_is_left_out_and_finds_it_with_the_graph() -> None:
    with pytest.warns(LearningWarning, match="1 of 2 recordings has marked mistakes") as warned:
        graph = learn(Demonstrations(ABC, (CLEAN, MARKED)), "intersection")
    assert len(warned) == 1
    assert warned[0].filename == __file__
    assert str(warned[0].message) == graph.provenance.notes[0]
    kept = learn(Demonstrations(ABC, (CLEAN, MARKED)), "intersection", with_mistakes=True)
    assert not any("mistakes" in note for note in kept.provenance.notes)


def test_many_kinds_of_marks_are_not_listed() -> None:
    many = tuple(
        KeyStepSequence(str(number), (1, 2, 3), mistakes=(f"kind {number}", None, None))
        for number in range(4)
    )
    learning = learn_all([Demonstrations(ABC, (CLEAN, *many))], "intersection")[0]
    assert learning.notes[0].startswith("4 of 5 recordings have marked mistakes and were left out")


def test_a_threshold_above_all_weights_is_noted(exact: str) -> None:
    given_ = Demonstrations.from_steps(["abc", "acb"])
    note = "no edge weighs more than the threshold; the heaviest "
    assert any(said.startswith(note) for said in learn_all([given_], exact, threshold=5)[0].notes)
    assert not any(said.startswith(note) for said in learn_all([given_], exact)[0].notes)


def test_one_procedure_of_a_file_is_learned(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("procedure,recording,step\ntea,1,boil\ntea,1,pour\nsoup,1,chop\n")
    assert learn(path, procedure="tea").steps == ("boil", "pour")
    assert learn(read_demonstrations(path), procedure="soup").steps == ("chop",)
    with pytest.raises(UnknownNameError, match="unknown procedure 'tee'; did you mean 'tea'"):
        learn(path, procedure="tee")


def test_recordings_with_marked_mistakes_are_kept_when_asked_for(exact: str) -> None:
    learning = learn_all([Demonstrations(ABC, (CLEAN, MARKED))], exact, with_mistakes=True)[0]
    assert learning.graph.preconditions_of("c") == ("a", "b")
    assert not any("mistakes" in note for note in learning.notes)
    assert learning.graph.provenance.recordings == 2


@pytest.mark.parametrize(
    ("procedure", "about"), [("tea", "procedure 'tea'"), ("", "these demonstrations")]
)
def test_recordings_that_all_have_mistakes_are_refused_with_advice(
    procedure: str, about: str
) -> None:
    given_ = Demonstrations(ABC, (MARKED, SKIPPING), procedure)
    with pytest.raises(FormatError, match=f"^{about}: all 2 recordings have.*with_mistakes=True"):
        learn(given_, "intersection")
    assert learn(given_, "intersection", with_mistakes=True).steps == ABC.steps


def test_steps_that_no_recording_shows_are_left_out_and_noted(exact: str) -> None:
    words = Vocabulary(("never", "a", "b", "nor this"))
    given_ = Demonstrations.from_steps(["ab"], vocabulary=words)
    learning = learn_all([given_], exact)[0]
    assert learning.graph == chain("a", "b")
    assert learning.adjacency.vocabulary.steps == ("a", "b")
    assert learning.notes[0] == "steps that no recording shows were left out: never, nor this"


def test_steps_that_no_recording_shows_hide_no_edge_of_the_others(exact: str) -> None:
    words = Vocabulary(tuple("abcdefgh"))
    graph = learn(Demonstrations.from_steps(["fde"], vocabulary=words), exact)
    assert graph == chain("f", "d", "e")


def test_a_step_shown_only_with_a_mistake_counts_as_not_shown(exact: str) -> None:
    short = KeyStepSequence("good", (1, 2))
    learning = learn_all([Demonstrations(ABC, (short, MARKED))], exact)[0]
    assert learning.graph == chain("a", "b")
    assert [note.split()[0] for note in learning.notes] == ["1", "steps", "there"]


def test_who_counts_every_recording_says_nothing_of_equal_ones() -> None:
    given_ = Demonstrations.from_steps(["abca", "abc"])
    learning = learn_all([given_], "robust")[0]
    assert learning.notes == (
        "1 of 2 recordings repeats steps; the first time counts (repetitions=WHICH changes that)",
        *doubts(given_, learning.graph),
    )


def test_merged_repetitions_and_duplicates_are_noted() -> None:
    given_ = Demonstrations.from_steps(["abca", "abc"])
    learning = learn_all([given_], "do")[0]
    assert learning.notes == (
        "1 of 2 recordings repeats steps; the first time counts (repetitions=WHICH changes that)",
        "1 of 2 sequences is the same as another one; equal ones are taken together",
        *doubts(given_, learning.graph),
    )


@pytest.mark.parametrize(
    ("policy", "expected"), [("first", chain("a", "b")), ("last", chain("b", "a"))]
)
def test_settings_reach_the_learner(policy: str, expected: TaskGraph, exact: str) -> None:
    graph = learn(Demonstrations.from_steps(["aba"]), exact, repetitions=policy)
    assert graph == expected
    assert graph.provenance.settings == {"repetitions": policy}


def test_the_number_of_epochs_is_a_fact_of_the_run() -> None:
    given_ = Demonstrations.from_steps(["abc", "bac"])
    learning = learn_all([given_], "do", epochs=3, stopping="never")[0]
    assert learning.facts["epochs"] == 3


def test_the_threshold_reaches_post_processing() -> None:
    given_ = Demonstrations.from_steps(["abc"])
    assert learn(given_, "intersection", threshold=1.0).preconditions_of("c") == ()
    with pytest.raises(SettingError, match="threshold"):
        learn(given_, "intersection", threshold=float("nan"))


def test_the_relaxed_variant_reaches_post_processing() -> None:
    given_ = Demonstrations.from_steps(["ab"])
    assert learn(given_, "intersection").preconditions_of("b") == ("a",)
    assert learn(given_, "intersection", relaxed=True).preconditions_of("b") == ()


def test_an_unknown_method_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'intersectoin'; did you mean 'intersection'\?"):
        learn(Demonstrations.from_steps(["a"]), "intersectoin")


def test_an_unknown_setting_names_the_nearest(method: str) -> None:
    with pytest.raises(UnknownNameError, match=r"'repetition'; did you mean 'repetitions'\?"):
        learn(Demonstrations.from_steps(["a"]), method, repetition="first")


@pytest.mark.parametrize(
    "setting", [{"repetitions": "sometimes"}, {"repetitions": None}, {"seed": -1}, {"seed": 2**32}]
)
def test_a_setting_that_cannot_be_is_refused(setting: Any, method: str) -> None:
    with pytest.raises(SettingError, match=f"{next(iter(setting))} is"):
        learn(Demonstrations.from_steps(["a"]), method, **setting)


def test_the_graph_says_how_it_was_learned(method: str) -> None:
    graph = learn(Demonstrations.from_steps(["ab"], procedure="tea"), method, seed=7)
    assert graph.procedure == "tea"
    assert replace(graph.provenance, notes=()) == Provenance(
        method, seed=7, recordings=1, version=__version__
    )


@given(demonstrations())
def test_a_learned_graph_survives_its_file(given_: Demonstrations) -> None:
    graph = learn(given_, "intersection")
    again = graph_from_json(parse_json(dump_json(graph_to_json(graph)), "here"))
    assert (again, again.provenance) == (graph, graph.provenance)
    assert again.weights == pytest.approx(dict(graph.weights), abs=1e-6)


def test_several_procedures_give_a_graph_each_in_order(exact: str) -> None:
    given_ = [
        Demonstrations.from_steps(["abc"], procedure="one"),
        Demonstrations.from_steps(["ba"], procedure="two"),
    ]
    learned = [learning.graph for learning in learn_all(given_, exact)]
    assert [graph.procedure for graph in learned] == ["one", "two"]
    assert learned == [chain("a", "b", "c"), chain("b", "a")]


def test_no_procedures_give_no_graphs(method: str) -> None:
    assert learn_all([], method) == []


def test_progress_is_told_until_all_is_done(method: str) -> None:
    told: list[tuple[int, int]] = []
    learn_all(
        [Demonstrations.from_steps(["abc"])],
        method,
        progress=lambda done, total, what: told.append((done, total)),  # noqa: ARG005
    )
    assert told[-1][0] == told[-1][1]
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_a_path_is_read(tmp_path: Path) -> None:
    (tmp_path / "tea.csv").write_text("recording,step\n1,boil\n1,pour\n")
    graph = learn(tmp_path / "tea.csv", "intersection")
    assert graph == chain("boil", "pour")
    assert learn(str(tmp_path / "tea.csv"), "intersection") == graph


def test_a_path_that_cannot_be_read_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(StepgraphError, match="no such file"):
        learn(tmp_path / "missing.csv", "intersection")


def test_a_setting_of_another_method_is_not_taken() -> None:
    with pytest.raises(UnknownNameError, match="the method 'intersection': unknown setting 'beta'"):
        learn(Demonstrations.from_steps(["a"]), "intersection", beta=0.1)


@given(demonstrations())
@settings(max_examples=50, deadline=None)
def test_evidence_and_attributes_change_no_edge(given_: Demonstrations) -> None:
    (learning,) = learn_all([given_], "intersection")
    shown = [given_.names(sequence) for sequence in given_]
    seen = Vocabulary(learning.graph.steps)  # of cycles, the order of the steps decides
    learned = get_learner("intersection").learn(Demonstrations.from_steps(shown, vocabulary=seen))
    assert learning.graph == to_graph(learned.adjacency).graph


@pytest.mark.parametrize("given", ["tea.csv", Path("tea.csv"), 3, ["tea.csv"], [[1, 2]]])
def test_what_is_no_list_of_demonstrations_is_refused_with_what_to_give(given: Any) -> None:
    with pytest.raises(SettingError, match=r"learning got .*\[read_demonstrations\(FILE\)\.only"):
        learn_all(given, "intersection")


TEA = Demonstrations.from_steps([["boil", "warm", "pour"], ["warm", "boil", "pour"]])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seed": 0.5}, "the seed is 0.5"),
        ({"threshold": -1}, "the threshold is -1"),
        ({"threshold": "high"}, "the threshold is 'high'"),
        ({"relaxed": "yes"}, "relaxed is 'yes'; expected True or False"),
        ({"with_mistakes": "no"}, "with_mistakes is 'no'; expected True or False"),
        ({"constraints": [("pour", "boil")]}, "expected Constraints"),
        (
            {"method": "intersection", "constraints": Constraints(must=[("pour", "boil")])},
            "'intersection' takes no must or never; use method='robust' or method='fusion'",
        ),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_learned(
    wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        LearningOptions(**wrong)


def test_unknown_methods_and_settings_name_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'robust'"):
        LearningOptions("robst")
    with pytest.raises(UnknownNameError, match="did you mean 'errors'"):
        LearningOptions("robust", {"error": 1})


def test_every_method_takes_marks_of_steps() -> None:
    marked = LearningOptions("intersection", constraints=Constraints(optional=["warm"]))
    (learning,) = learn_all([TEA], "intersection")
    assert not learning.graph.optional_steps
    (learning,) = learn_together([TEA], marked)
    assert learning.graph.optional_steps == ("warm",)


@pytest.mark.parametrize("method", ["robust", "fusion"])
def test_a_graph_says_the_options_that_it_was_learned_with(method: str) -> None:
    prior = TaskGraph.from_preconditions({"pour": ["warm"]})
    graph = learn(TEA, method, seed=3, relaxed=True, prior=prior, must=[("pour", "boil")])
    again = LearningOptions.of_graph(graph)
    assert again.settings["prior"] == prior
    assert replace(again, settings={}) == LearningOptions(
        method, seed=3, relaxed=True, constraints=Constraints(must=[("pour", "boil")])
    )
    (learning,) = learn_all([TEA], method, prior=prior, relaxed=True, must=[("pour", "boil")])
    assert learning.graph == graph


def test_pins_are_left_out_for_a_method_that_takes_none() -> None:
    pinned = Constraints(pinned=[("warm", "boil")], optional=["warm"])
    graph = learn(TEA, "intersection").replace(constraints=pinned)
    assert LearningOptions.of_graph(graph).constraints == Constraints(optional=["warm"])


@pytest.mark.parametrize("method", ["robust", "fusion"])
@pytest.mark.parametrize("kind", ["must", "never"])
def test_what_else_a_stated_edge_changes_is_noted_by_the_same_learning(
    method: str, kind: str
) -> None:
    given = Demonstrations.from_steps([["a", "b", "c"]] * 4)
    (untold,) = learn_all([given], method)
    stated = [("a", "b")] if kind == "must" else [("c", "a")]
    (told,) = learn_all([given], method, **{kind: stated})
    assert untold.graph.preconditions_of("c") == ("b",)
    assert any(note.startswith("the constraints also remove") for note in told.notes)
    assert not any(note.startswith("the constraints also") for note in untold.notes)
