from __future__ import annotations

import pytest
from hypothesis import given, settings

import stepgraph.report.content
import stepgraph.report.relearning
from stepgraph.errors import GraphError
from stepgraph.formats.drawn_rules import drawn_rules
from stepgraph.graph import Choice, Constraints, Provenance, TaskGraph, Undoing, connect_ends
from stepgraph.graph.evidence import EdgeEvidence, StepAttributes
from stepgraph.pipeline import learn
from stepgraph.procedures import load_procedure
from stepgraph.report import make_report, relearn, to_html
from stepgraph.report.relearning import DRAWS, LEAST_DRAWS, usual_draws
from stepgraph.sequences import Demonstrations
from tests.strategies import graphs_with_rules

pytestmark = pytest.mark.filterwarnings("ignore::stepgraph.errors.LearningWarning")

BATTER = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "fry": ["mix"]}, procedure="batter")
RECORDINGS = Demonstrations.from_steps(
    {
        "right": ["egg", "milk", "mix", "fry"],
        "early": ["egg", "mix", "milk", "fry"],
        "short": ["egg", "milk", "mix"],
    }
)


def test_the_evidence_of_an_edge_is_counted_in_the_recordings() -> None:
    report = make_report(BATTER, demonstrations=RECORDINGS)
    mix = next(step for step in report.steps if step.name == "mix")
    facts = {need.name: need.facts for need in mix.needs}
    assert facts["egg"] == "in this order in 3 recordings, opposite in 0, undecided in 0"
    assert facts["milk"].startswith("in this order in 2 recordings, opposite in 1")
    assert facts["milk"].endswith("the opposite order: early")
    (fry,) = (step.needs for step in report.steps if step.name == "fry")
    assert fry[0].facts.endswith("undecided in 1")


def test_evidence_that_the_graph_holds_is_not_counted_again() -> None:
    graph = BATTER.replace(evidence={("mix", "egg"): EdgeEvidence(70, 0, 0)})
    report = make_report(graph, demonstrations=RECORDINGS)
    assert any("70 recordings" in need.facts for step in report.steps for need in step.needs)
    assert not report.notes


def test_deviations_are_those_of_the_monitor() -> None:
    report = make_report(BATTER, demonstrations=RECORDINGS)
    right, early, short = report.recordings
    assert (right.mistakes, early.mistakes, short.mistakes) == (0, 1, 1)
    assert not any(step.deviates for step in right.steps)
    assert [step.verdict for step in early.steps if step.deviates] == ["too early", "repaired"]
    assert early.explanation == (
        "moved: 'milk' is step 3; 'mix' (step 2), which needs it, came before",
    )
    assert not right.explanation
    assert right.fitness == 1
    assert short.never_done == ("'fry' was never done.",)


def test_steps_come_in_a_valid_order_with_their_marks() -> None:
    graph = BATTER.replace(attributes={"milk": StepAttributes(done=0.5, optional=True)})
    steps = make_report(graph).steps
    assert graph.is_valid([step.name for step in steps])
    (milk,) = (step for step in steps if step.name == "milk")
    assert milk.marks == ("optional",)
    assert milk.facts == "done in 50 % of the recordings"


def test_scores_stand_beside_controls() -> None:
    report = make_report(BATTER, demonstrations=RECORDINGS, truth=BATTER)
    assert report.scores[0].f1 == 1
    assert [score.name for score in report.scores[1:]] == [
        "control: no order",
        "control: the first recording as a chain",
    ]
    assert all(score.f1 < 1 for score in report.scores[1:])
    assert report.comparison


def test_the_score_of_a_learned_graph_has_an_interval_that_is_the_same_each_time() -> None:
    procedure = load_procedure("pancakes")
    graph = learn(procedure.demonstrations, "intersection")
    given = {"demonstrations": procedure.demonstrations, "truth": procedure.graph}
    report = make_report(graph, draws=20, **given)  # type: ignore[arg-type]
    own, no_order, chain = report.scores
    for (low, high), value in zip(own.intervals, (own.precision, own.recall, own.f1), strict=True):
        assert 0 <= low < high <= 1
        assert low <= value <= high + 0.05
    assert not no_order.intervals
    assert chain.intervals[2][0] < chain.intervals[2][1]
    assert make_report(graph, draws=20, **given).scores == report.scores  # type: ignore[arg-type]
    assert "the same graph comes out" in report.training_about
    assert not report.training  # there is nothing to train


def test_a_method_that_trains_shows_how_its_training_went() -> None:
    procedure = load_procedure("pancakes")
    graph = learn(procedure.demonstrations, "robust")
    report = make_report(graph, demonstrations=procedure.demonstrations, draws=1)
    assert "minus log likelihood" in report.training
    assert "<desc>" in report.training
    assert not report.scores


def test_a_graph_that_was_changed_by_hand_is_said_to_be_another() -> None:
    procedure = load_procedure("pancakes")
    graph = learn(procedure.demonstrations, "intersection")
    first = graph.steps[0]
    edges = [edge for edge in graph.edges if first not in edge]
    changed = graph.replace(edges=connect_ends(graph.steps, edges))
    report = make_report(changed, demonstrations=procedure.demonstrations, draws=1)
    assert "another graph comes out" in report.training_about


@pytest.mark.parametrize(
    "provenance",
    [
        Provenance(),
        Provenance("nobody knows"),
        Provenance("llm", {"base_url": "http://127.0.0.1:9"}),
        Provenance("tgt-text", {"save_model": "stolen.safetensors"}),
    ],
)
def test_a_graph_that_does_not_say_how_it_was_learned_is_not_learned_again(
    provenance: Provenance,
) -> None:
    graph = BATTER.replace(provenance=provenance)
    assert relearn(graph, RECORDINGS, truth=BATTER, draws=5) is None


def test_a_method_that_cannot_be_run_again_says_why() -> None:
    graph = BATTER.replace(provenance=Provenance("intersection", {"nonsense": 1}))
    report = make_report(graph, demonstrations=RECORDINGS, truth=BATTER)
    assert "could not be run again" in report.training_about
    assert "nonsense" in report.training_about
    assert not report.scores[0].intervals


@pytest.mark.parametrize("what", ["must", "never"])
def test_recordings_without_a_step_that_was_stated_are_said_to_lack_it(what: str) -> None:
    tea = Demonstrations.from_steps([["boil", "spoon", "pour"], ["spoon", "boil", "pour"]])
    graph = learn(tea, **{what: [("pour", "spoon")]})  # type: ignore[arg-type]
    other = Demonstrations.from_steps([["boil", "pour"]])
    report = make_report(graph, demonstrations=other)
    assert "was not run again: no recording shows 'spoon', which the" in report.training_about
    assert "did you mean" not in report.training_about


def test_one_recording_is_one() -> None:
    graph = learn(RECORDINGS, "intersection")
    one = Demonstrations.from_steps([RECORDINGS.names(RECORDINGS.sequences[0])])
    report = make_report(graph, demonstrations=one, draws=1)
    assert "from 1 recording, " in report.training_about


def test_the_larger_the_recordings_the_fewer_draws() -> None:
    def drawn(steps: int, recordings: int, method: str = "robust") -> int:
        names = [str(number) for number in range(steps)]
        return usual_draws(method, Demonstrations.from_steps([names] * recordings))

    assert drawn(10, 10) == DRAWS
    assert DRAWS > drawn(25, 20) >= LEAST_DRAWS
    assert drawn(25, 100) == 1
    assert drawn(100, 100) == 0
    assert drawn(25, 100, "intersection") > 1
    assert drawn(5, 5, "tgt-text") == 0


def test_intervals_that_would_take_long_are_left_out_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stepgraph.report.relearning, "_OTHER_WORK", 100)
    graph = learn(RECORDINGS, "intersection")
    report = make_report(graph, demonstrations=RECORDINGS, truth=BATTER)
    assert "on the command line --again 100" in report.training_about
    assert not report.scores[0].intervals
    asked = make_report(graph, demonstrations=RECORDINGS, truth=BATTER, draws=3)
    assert asked.scores[0].intervals


def test_learning_again_can_be_left_out() -> None:
    graph = learn(RECORDINGS, "intersection")
    report = make_report(graph, demonstrations=RECORDINGS, truth=BATTER, draws=0)
    assert not report.training_about
    assert not report.scores[0].intervals


def test_what_was_asked_for_beside_the_settings_is_kept_to_learn_a_graph_again() -> None:
    procedure = load_procedure("pancakes")
    graph = learn(procedure.demonstrations, "intersection", relaxed=True, with_mistakes=True)
    assert graph.provenance.relaxed
    assert graph.provenance.with_mistakes
    assert graph.provenance.threshold is None
    again = relearn(graph, procedure.demonstrations, draws=1)
    assert again is not None
    assert "the same graph" in again.about


def test_without_recordings_and_truth_there_is_the_graph_alone() -> None:
    report = make_report(BATTER)
    assert report.drawing
    for part in (report.recordings, report.scores, report.comparison, report.training):
        assert not part


def test_weights_that_differ_are_held_against_the_truth_in_a_chart() -> None:
    procedure = load_procedure("pancakes")
    weights = {edge: place / 100 for place, edge in enumerate(procedure.graph.edges)}
    graph = procedure.graph.replace(weights=weights)
    (chart,) = make_report(graph, truth=procedure.graph).charts
    assert "Edges in the known graph, by weight" in chart
    assert not make_report(BATTER, truth=BATTER).charts


def test_a_learned_graph_makes_a_whole_page_with_the_same_bytes_each_time() -> None:
    procedure = load_procedure("pancakes")
    graph = learn(procedure.demonstrations, "intersection")
    page, again = (
        to_html(make_report(graph, demonstrations=procedure.demonstrations, truth=procedure.graph))
        for _ in range(2)
    )
    assert page == again
    for step in graph.steps:
        assert step in page
    assert page.count("<svg") == 3  # the graph, the comparison, edges by weight


def test_a_truth_of_another_procedure_is_refused() -> None:
    with pytest.raises(GraphError, match="same procedure"):
        make_report(BATTER, truth=TaskGraph.from_preconditions({"drill": []}))


def test_marks_of_the_file_are_told_and_who_is_left_out_is_counted() -> None:
    recordings = load_procedure("pancakes").demonstrations
    report = make_report(learn(recordings), demonstrations=recordings, draws=1)
    marked = {entry.id: entry.marks for entry in report.recordings if entry.marks}
    assert len(marked) == 5
    assert ("order",) in marked.values()
    assert "from 15 recordings (without 5 with marked mistakes), the same" in report.training_about
    assert "; marked in the file: order" in to_html(report)


def test_stated_edges_that_the_method_cannot_obey_are_named() -> None:
    learned = learn(RECORDINGS, method="intersection")
    edge = next(edge for edge in learned.edges if "START" not in edge and "END" not in edge)
    pinned = learned.replace(constraints=Constraints(pinned=[edge]))
    again = relearn(pinned, RECORDINGS, draws=1)
    assert again is not None
    assert "'intersection' takes no constraints: 1 stated edge played no part" in again.about
    free = relearn(learned, RECORDINGS, draws=1)
    assert free is not None
    assert "constraints" not in free.about


def test_rules_are_stated_in_words_and_drawn() -> None:
    graph = BATTER.replace(
        choices=[Choice([["egg"], ["milk"]])],
        undoings=[Undoing("fry", ["mix"])],
        attributes={"fry": StepAttributes(optional=True)},
    )
    report = make_report(graph, demonstrations=RECORDINGS, truth=BATTER)
    assert report.rules == ("one of 'egg' or 'milk'", "'fry' undoes 'mix'")
    page = to_html(report)
    assert '<h2 id="rules">Choices, undoing and what goes with what</h2>' in page
    assert "<li>&#x27;fry&#x27; undoes &#x27;mix&#x27;</li>" in page
    assert ">one of</text>" in page
    assert "second alternative" in page
    assert 'id="rules"' not in to_html(make_report(BATTER))


@settings(deadline=None, max_examples=20)
@given(graphs_with_rules())
def test_any_graph_with_rules_has_a_report(graph: TaskGraph) -> None:
    recordings = Demonstrations.from_steps([graph.steps, graph.steps[::-1]])
    report = make_report(graph, demonstrations=recordings, draws=0)
    assert len(report.rules) == len(drawn_rules(graph))
    assert to_html(report).count('<h2 id="rules">') == bool(report.rules)
