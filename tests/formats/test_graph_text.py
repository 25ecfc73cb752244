"""What holds for every renderer of the registry."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.errors import UnknownNameError
from stepgraph.formats import GRAPH_WRITERS, graph_text
from stepgraph.formats.json_text import parse_json
from stepgraph.formats.stepgraph_json import graph_from_json
from stepgraph.graph import TaskGraph
from tests.drawing.strategies import task_graphs

every_renderer = pytest.mark.parametrize("suffix", GRAPH_WRITERS)
TEXT = st.text(st.characters(exclude_categories=("Cc", "Cs", "Cn")), max_size=20)


@every_renderer
@settings(deadline=None, max_examples=30)
@given(graph=task_graphs(endings=TEXT))
def test_the_same_graph_gives_the_same_bytes(suffix: str, graph: TaskGraph) -> None:
    text = graph_text(graph, suffix)
    again = graph_text(TaskGraph(graph.steps, reversed(graph.edges)), suffix)
    assert text.encode() == again.encode()
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@every_renderer
@settings(deadline=None, max_examples=30)
@given(graph=task_graphs(endings=TEXT))
def test_another_graph_gives_other_bytes(suffix: str, graph: TaskGraph) -> None:
    fewer = TaskGraph(graph.steps, graph.edges[1:])
    assert graph_text(graph, suffix) != graph_text(fewer, suffix)


@every_renderer
def test_a_renderer_says_what_it_writes(suffix: str) -> None:
    assert suffix.startswith(".")
    assert suffix == suffix.lower()
    assert GRAPH_WRITERS[suffix].description


def test_capitals_do_not_matter() -> None:
    graph = TaskGraph.from_preconditions({"mix": []})
    assert graph_text(graph, ".DOT") == graph_text(graph, ".dot") == graph_text(graph, ".gv")


def test_an_unknown_suffix_is_refused_with_those_that_exist() -> None:
    graph = TaskGraph.from_preconditions({"mix": []})
    with pytest.raises(UnknownNameError, match=r"unknown output format '\.graphm'.*'\.graphml'"):
        graph_text(graph, ".graphm")


def test_json_is_read_again() -> None:
    graph = TaskGraph.from_preconditions({"mix": ["crack egg"]}, procedure="pancakes")
    assert graph_from_json(parse_json(graph_text(graph, ".json"), "here")) == graph


def test_listing_the_formats_loads_no_heavy_package() -> None:
    code = (
        "import sys; import stepgraph.formats; "
        "print({'numpy', 'networkx', 'torch', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
