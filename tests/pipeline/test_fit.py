"""How well a graph explains recordings."""

from __future__ import annotations

import pytest
from hypothesis import given

from stepgraph.errors import LearningWarning
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Kind
from stepgraph.pipeline import fit as module
from stepgraph.pipeline.fit import fit_of
from stepgraph.pipeline.learning import learn, learn_together
from stepgraph.sequences import Demonstrations
from tests.strategies import demonstrations

TEA = TaskGraph.from_preconditions({"pour": ["boil"], "drink": ["pour"]})


def recorded(*texts: str) -> Demonstrations:
    return Demonstrations.from_steps([text.split() for text in texts])


def test_recordings_that_follow_the_graph_fit() -> None:
    found = fit_of(recorded(*["boil pour drink"] * 4), TEA)
    assert (found.valid, found.recordings, found.violations) == (4, 4, 0)
    assert (found.precision, found.warning) == (1.0, "")
    assert str(found) == "fits 4 of 4 recordings; 100 % of the next steps that it allows were seen"


def test_a_graph_that_allows_much_that_nobody_did_has_a_low_precision() -> None:
    free = TaskGraph("abc", [])
    assert fit_of(recorded("a b c"), free).precision == pytest.approx(4 / 7)


@pytest.mark.parametrize(
    ("recording", "kind", "said"),
    [
        ("pour boil drink", Kind.TOO_EARLY, "steps come in another order than in this graph"),
        ("boil boil pour drink", Kind.NEEDLESS, "steps recur in ways this graph cannot express"),
        ("boil pour", Kind.OPEN_AT_FINISH, "steps are left out that this graph requires"),
        ("boil drink", Kind.OPEN_AT_FINISH, "steps are left out that this graph requires"),
        (
            "boil pour drink spill",
            Kind.UNKNOWN_STEP,
            "steps are done that this graph does not have",
        ),
    ],
)
def test_a_graph_that_explains_few_recordings_warns_with_the_reason(
    recording: str, kind: Kind, said: str
) -> None:
    found = fit_of(recorded(*[recording] * 3, "boil pour drink"), TEA)
    assert found.kinds == {kind: 3.0}
    assert found.warning == f"in 75 % of the recordings {said}"


@given(demonstrations())
def test_shares_are_shares(given_ones: Demonstrations) -> None:
    (learning,) = learn_together([given_ones])
    assert learning.fit is not None
    assert 0 <= learning.fit.share <= 1
    assert learning.fit.precision is None or 0 < learning.fit.precision <= 1
    assert (learning.fit.violations == 0) == (learning.fit.share == 1)
    assert learning.facts["valid_share"] == learning.fit.share


def test_of_very_many_recordings_the_most_frequent_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STEPS", 5)
    assert fit_of(recorded(*["boil pour drink"] * 4), TEA).recordings == 2


def test_learning_warns_of_a_graph_that_fits_badly() -> None:
    few = recorded("a b d", "a c d")  # too few to call a step optional
    with pytest.warns(LearningWarning, match=r"in .* % of the recordings .* do not trust it"):
        graph = learn(few)
    assert any("do not trust it" in note for note in graph.provenance.notes)
