"""Petri nets played with tokens, and the processes that are given as nets."""

from __future__ import annotations

import random
import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.datasets.contest import traces
from benchmarks.datasets.petri_nets import PetriNet, read_processes
from benchmarks.harness import MissingDataError
from stepgraph.errors import FormatError
from stepgraph.formats.pnml import to_pnml
from stepgraph.graph import TaskGraph
from tests.benchmarks.net_files import CHOICE_AND_LOOP, net_text, write_net
from tests.formats.strategies import small_graphs

NET = PetriNet.from_pnml(net_text(CHOICE_AND_LOOP))


def test_a_net_accepts_what_its_choice_and_loop_permit() -> None:
    pattern = re.compile(r"a[bc]+d")
    for length in range(6):
        for letters in product("abcd", repeat=length):
            assert NET.accepts(letters) == bool(pattern.fullmatch("".join(letters)))
    assert not NET.accepts("abxd")


def test_both_parts_of_a_net_with_concurrency_are_done_in_any_order() -> None:
    net = PetriNet.from_pnml(net_text(["s  pq", "p a t", "q b u", "tu  e"]))
    accepted = {word for word in map("".join, product("ab", repeat=2)) if net.accepts(word)}
    assert accepted == {"ab", "ba"}
    assert not net.accepts("a")


def test_a_transition_marked_as_invisible_is_silent_whatever_its_name() -> None:
    net = PetriNet.from_pnml(net_text(["s a p", "p skip e", "p b e"], silent="skip"))
    assert net.labels == ("a", "b")
    assert net.accepts("a")
    assert net.accepts("ab")


def test_without_a_final_marking_a_run_ends_at_the_only_place_that_nothing_leaves() -> None:
    assert PetriNet.from_pnml(net_text(CHOICE_AND_LOOP, final=None)) == NET
    with pytest.raises(FormatError, match="2 places that nothing takes tokens from"):
        PetriNet.from_pnml(net_text(["s a e", "s b f"], final=None))


@given(st.integers())
@settings(deadline=None)
def test_every_run_that_is_drawn_is_accepted_and_short_enough(seed: int) -> None:
    drawn = NET.play(random.Random(seed), 6)
    assert NET.accepts(drawn)
    assert len(drawn) <= 6
    assert drawn == NET.play(random.Random(seed), 6)


def test_a_net_that_cannot_end_in_time_is_refused() -> None:
    with pytest.raises(FormatError, match="none of 1,000 runs of the net is complete within 2"):
        NET.play(random.Random(0), 2)


def test_a_net_without_bounds_is_refused() -> None:
    unbounded = PetriNet.from_pnml(net_text(["s  sp", "p a e"]))
    with pytest.raises(FormatError, match="expected a bounded net"):
        unbounded.accepts("a")


@given(small_graphs(), st.data())
@settings(deadline=None, max_examples=60)
def test_the_net_of_a_graph_accepts_its_valid_orders_and_no_other(
    graph: TaskGraph, data: st.DataObject
) -> None:
    order = data.draw(st.lists(st.sampled_from(graph.steps), max_size=6))
    net = PetriNet.from_pnml(to_pnml(graph))
    assert net.accepts(order) == graph.is_valid(order, complete=True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<pnml>", "not XML"),
        ("<pnml/>", "0 places have 0 ids"),
        (net_text(["s a e"]).replace('target="e"', 'target="x"'), "an arc leads from 't0' to 'x'"),
        (
            net_text(["s a e"]).replace('idref="e"', 'idref="x"'),
            "the final marking has a place 'x'",
        ),
        (net_text(["s a e"]).replace("<text>1</text>", "<text>one</text>"), "'one'; expected a"),
    ],
)
def test_what_is_no_net_is_refused(text: str, why: str) -> None:
    with pytest.raises(FormatError, match=re.escape(why)):
        PetriNet.from_pnml(text)


def test_processes_come_with_their_logs_where_there_is_one(tmp_path: Path) -> None:
    write_net(tmp_path, "02", CHOICE_AND_LOOP, None)
    write_net(tmp_path, "01", CHOICE_AND_LOOP, ["abd", "acd"])
    first, second = read_processes(tmp_path)
    assert (first.name, second.name) == ("01", "02")
    assert first.training is not None
    assert traces(first.training) == (("a", "b", "d"), ("a", "c", "d"))
    assert second.training is None


def test_a_bad_net_is_named(tmp_path: Path) -> None:
    write_net(tmp_path, "01", CHOICE_AND_LOOP, None)
    (tmp_path / "powl" / "nets" / "01.pnml").write_text("no net", encoding="utf-8")
    with pytest.raises(FormatError, match=r"01\.pnml: .*not XML"):
        read_processes(tmp_path)
    with pytest.raises(MissingDataError, match=r"01\.pnml is missing; it holds a process"):
        read_processes(tmp_path / "elsewhere")


@pytest.mark.real_data
def test_every_trace_of_a_log_is_a_run_of_its_net(data: Path) -> None:
    processes = read_processes(data)
    assert len(processes) == 20
    assert sum(process.training is not None for process in processes) == 18
    for process in processes:
        if process.training is not None:
            assert set(process.training.vocabulary.steps) == set(process.net.labels)
            assert all(map(process.net.accepts, traces(process.training)))
