from __future__ import annotations

import io
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import CycleError, FormatError, StepgraphError
from stepgraph.formats import read_adjacency, read_graph
from stepgraph.formats.adjlist import parse_adjacency_list

from .conftest import Put


@given(st.sets(st.tuples(st.sampled_from("abcd"), st.sampled_from("wxyz")), min_size=1))
def test_what_networkx_writes_is_read_edge_for_edge(edges: set[tuple[str, str]]) -> None:
    stream = io.BytesIO()
    nx.write_multiline_adjlist(nx.DiGraph(sorted(edges)), stream, delimiter=";")
    _, found = parse_adjacency_list(stream.getvalue().decode())
    assert set(found) == edges


@given(st.text())
def test_any_text_is_read_or_refused_with_an_error_of_ours(text: str) -> None:
    try:
        steps, edges = parse_adjacency_list(text)
    except StepgraphError:
        return
    assert {name for edge in edges for name in edge} - {"START", "END"} <= set(steps)


def test_numbers_before_names_are_dropped_if_all_have_one() -> None:
    assert parse_adjacency_list("1_a;1\n2_b;{}")[0] == ("a", "b")
    assert parse_adjacency_list("1_a;1\nb;{}")[0] == ("1_a", "b")
    assert parse_adjacency_list("1_a;1\n2_a;{}")[0] == ("1_a", "2_a")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b", "line 1: 'a b' has no ';'"),
        ("a;x", "line 1: 'x' after the node"),
        ("a;-1", "line 1: -1 edges"),
        ("a;2\nb;{}", "1 more edges of 'a'"),
    ],
)
def test_a_line_that_does_not_fit_is_named(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_adjacency_list(text)


def test_a_graph_is_read_with_its_file_named_where_steps_need_each_other(put: Put) -> None:
    graph = read_graph(put("tea.adjlist", "pour;1\nboil;{}\nboil;1\nSTART;{}\nEND;1\npour;{}\n"))
    assert graph.preconditions_of("pour") == ("boil",)
    with pytest.raises(CycleError, match=r"round\.adjlist"):
        read_graph(put("round.adjlist", "a;1\nb;{}\nb;1\na;{}\n"))


def test_weights_of_a_cyclic_list_can_be_read_for_post_processing(put: Put) -> None:
    adjacency = read_adjacency(put("round.adjlist", "a;1\nb;{}\nb;1\na;{}\n"))
    assert adjacency.weight("a", "b") == adjacency.weight("b", "a") == 1.0


@pytest.mark.real_data
def test_every_published_answer_is_read(data: Path) -> None:
    paths = sorted((data / "llm-graphs").glob("*.adjlist"))
    assert paths
    assert all(len(read_adjacency(path).vocabulary) >= 7 for path in paths)
