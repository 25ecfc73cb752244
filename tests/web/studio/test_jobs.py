from __future__ import annotations

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
