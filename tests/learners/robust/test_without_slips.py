from __future__ import annotations

from stepgraph.learners import get_learner
from stepgraph.learners.robust.learner import FEWEST, without_slips
from stepgraph.postprocess import to_graph
from stepgraph.sequences import Demonstrations


def test_recordings_without_a_slip_are_all_kept() -> None:
    recordings = Demonstrations.from_steps(["abcd", "acbd", "abcd", "acbd"])
    assert without_slips(recordings) == recordings


def test_some_recordings_are_kept_even_where_everybody_slips() -> None:
    orders = ["abcdefgh", "hgfedcba", "bahgdcfe", "efghabcd", "dcbahgfe"]
    assert len(without_slips(Demonstrations.from_steps(orders))) >= FEWEST


def test_protected_direct_optimization_keeps_the_order_that_one_bad_recording_spoils() -> None:
    recordings = Demonstrations.from_steps(["abcdef"] * 5 + ["abdcef"] * 3 + ["fedcba"])
    plain, protected = (
        to_graph(get_learner("do", protected=flag).learn(recordings).adjacency).graph
        for flag in (False, True)
    )
    assert protected.is_valid("abcdef", complete=True)
    assert "a" in protected.all_preconditions_of("f")
    assert "a" not in plain.all_preconditions_of("f")
