"""From a file that somebody names to what the studio begins with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stepgraph.errors import FileError, FormatError, InputError
from stepgraph.formats import graph_text, save_graph
from stepgraph.web.studio.files import open_path
from stepgraph.web.studio.limits import StudioLimits
from tests.web.studio.running import ORDERS, TEA, as_csv


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "tea.csv"
    path.write_text(as_csv(ORDERS))
    return path


def test_recordings_are_learned_from_and_saved_beside_them(table: Path) -> None:
    opened = open_path(table)
    assert opened.source.graph.preconditions_of("serve") == ("steep",)
    assert opened.source.demonstrations is not None
    assert opened.target.path == table.with_name("tea.graph.json")
    assert not opened.saved


def test_columns_are_taken_as_the_user_names_them(table: Path) -> None:
    content = table.read_text().replace("recording", "who", 1).replace("step", "what", 1)
    table.write_text(content)
    with pytest.raises(FormatError, match=r"columns=\{'recording': NAME, 'step': NAME\}"):
        open_path(table)
    opened = open_path(table, columns={"recording": "who", "step": "what"})
    assert opened.source.graph.preconditions_of("serve") == ("steep",)


def test_a_graph_is_shown_as_it_is_and_saved_to_its_file(tmp_path: Path) -> None:
    path = tmp_path / "tea.json"
    save_graph(TEA, path)
    opened = open_path(path)
    assert opened.source.graph == TEA
    assert opened.target.path == path
    assert opened.saved


def test_a_graph_takes_recordings_as_evidence(tmp_path: Path, table: Path) -> None:
    path = tmp_path / "tea.json"
    save_graph(TEA, path)
    opened = open_path(path, recordings=table)
    assert opened.source.graph.evidence["pour", "warm pot"].broken_in == ("fay",)


@pytest.mark.parametrize("suffix", [".graphml", ".bpmn"])
def test_a_graph_of_another_format_is_saved_beside_it(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"tea{suffix}"
    path.write_text(graph_text(TEA, suffix))
    opened = open_path(path)
    assert opened.target.path == tmp_path / "tea.graph.json"
    assert not opened.saved


def test_a_graph_file_that_is_not_one_says_why(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"format": "stepgraph-graph", "version": 1, "steps": "many"}))
    with pytest.raises(FormatError, match="expected a list of step names"):
        open_path(path)
    path.write_text("{")
    with pytest.raises(FormatError, match="not JSON"):
        open_path(path)
    with pytest.raises(FileError, match="no such file"):
        open_path(tmp_path / "nothing.json")


def test_recordings_are_not_overwritten(table: Path) -> None:
    with pytest.raises(InputError, match="would overwrite the recordings"):
        open_path(table, output=table)


def test_recordings_of_another_procedure_are_refused(tmp_path: Path, table: Path) -> None:
    path = tmp_path / "other.json"
    save_graph(TEA.from_preconditions({"mix": ["egg"]}), path)
    with pytest.raises(FormatError, match="none of its steps is in the graph"):
        open_path(path, recordings=table)
    with pytest.raises(InputError, match="--demos is for a graph"):
        open_path(table, recordings=table)


def test_what_is_too_large_is_refused(tmp_path: Path, table: Path) -> None:
    path = tmp_path / "tea.json"
    save_graph(TEA, path)
    with pytest.raises(FormatError, match="6 steps; the studio takes at most 3"):
        open_path(path, limits=StudioLimits(steps=3))
    with pytest.raises(FormatError, match="6 recordings; the studio takes at most 2"):
        open_path(table, limits=StudioLimits(recordings=2))
