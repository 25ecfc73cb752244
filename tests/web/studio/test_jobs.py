from __future__ import annotations

from stepgraph.pipeline import learn
from stepgraph.sequences import Demonstrations
from stepgraph.web.studio.jobs import relearn
from tests.web.studio.running import ORDERS, TEA


def test_the_bar_moves_with_the_learner_not_only_by_stages() -> None:
    told: list[tuple[float, str]] = []
    given = Demonstrations.from_steps(ORDERS, procedure="tea")
    relearn(lambda done, what: told.append((done, what)), given, "tea.csv", TEA, False)
    shares = [done for done, _ in told]
    assert shares == sorted(shares)
    assert shares[-1] <= 1
    learning = {done for done, what in told if what == "learning from 6 recordings of 6 steps"}
    assert len(learning) > 10
    assert 0.25 <= min(learning) <= max(learning) <= 0.9


def test_what_was_stated_when_a_graph_was_learned_holds_when_it_is_learned_again() -> None:
    given = Demonstrations.from_steps(ORDERS, procedure="tea")
    must, never = [("warm pot", "boil water")], [("steep", "add leaves")]
    graph = learn(given, must=must, never=never, least_probable=0.3)
    assert "boil water" not in learn(given).all_preconditions_of("warm pot")
    source = relearn(lambda *_: None, given, "tea.csv", graph, False)
    assert source.graph == graph
    assert source.graph.constraints == graph.constraints
    assert source.graph.provenance.settings == {"least_probable": 0.3}


def test_a_graph_of_another_method_is_learned_again_with_the_studios_own() -> None:
    given = Demonstrations.from_steps(ORDERS, procedure="tea")
    graph = learn(given, "intersection", repetitions="last")
    source = relearn(lambda *_: None, given, "tea.csv", graph, False)
    assert source.graph.provenance.method == "robust"
    assert source.graph.provenance.settings == {}
