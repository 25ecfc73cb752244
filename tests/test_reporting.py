from __future__ import annotations

import pytest

import tgml.reporting
from tgml.attributes import EdgeEvidence, StepAttributes
from tgml.errors import GraphError, MissingExtraError
from tgml.graph import TaskGraph
from tgml.pipeline import learn
from tgml.procedures import load_procedure
from tgml.rendering.report import to_html
from tgml.reporting import make_report
from tgml.sequences import Demonstrations

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


def test_without_recordings_and_truth_there_is_the_graph_alone() -> None:
    report = make_report(BATTER)
    assert report.drawing
    for part in (report.recordings, report.scores, report.comparison, report.charts):
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
    assert page.count("<svg") == 2


def test_without_the_extra_the_graph_is_shown_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> str:
        raise MissingExtraError("drawing a graph", "draw")

    monkeypatch.setattr(tgml.reporting, "draw_graph", missing)
    report = make_report(BATTER)
    assert not report.drawing
    assert "mix" in report.text
    assert "pip install 'tgml[draw]'" in report.notes[0]


def test_a_truth_of_another_procedure_is_refused() -> None:
    with pytest.raises(GraphError, match="same procedure"):
        make_report(BATTER, truth=TaskGraph.from_preconditions({"drill": []}))
