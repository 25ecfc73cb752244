from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph.procedures import example_names
from tests.cli.running import Run


def test_every_example_is_listed(stepgraph: Run) -> None:
    result = stepgraph("example")
    assert (result.code, result.err) == (0, "")
    assert "stepgraph example NAME" in result.lines[0]
    assert [line.split()[0] for line in result.lines[4:]] == list(example_names())


def test_recordings_and_graph_are_written_to_a_new_folder(stepgraph: Run, folder: Path) -> None:
    result = stepgraph("example", "pancakes", "-o", "my recordings")
    assert result.code == 0
    names = ["pancakes.csv", "pancakes.graph.json", "pancakes.json"]
    assert sorted(path.name for path in (folder / "my recordings").iterdir()) == names
    assert sorted(result.lines) == [f"my recordings/{name}: written" for name in names]


def test_the_next_command_is_said_and_works(stepgraph: Run) -> None:
    note = stepgraph("example", "pancakes", "-o", "mine").err.strip()
    start, command = note.split("stepgraph ")
    assert start == "note: to learn from them: "
    assert stepgraph(*command.split(), "-m", "intersection").code == 0


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_table_and_json_give_the_same_graph(ending: str, stepgraph: Run) -> None:
    assert stepgraph("example", "seed-tray").code == 0
    (entry,) = stepgraph("learn", f"seed-tray.{ending}", "-m", "intersection", "--json").json
    (other,) = stepgraph("learn", "seed-tray.json", "-m", "intersection", "--json").json
    edges = [
        {(edge["step"], edge["needs"]) for edge in given["graph"]["edges"]}
        for given in (entry, other)
    ]
    assert edges[0] == edges[1]


def test_a_files_name_in_place_of_a_folders_is_refused(stepgraph: Run, folder: Path) -> None:
    result = stepgraph("example", "pancakes", "-o", "pancakes.csv")
    assert result.code == 2
    assert result.err == "error: pancakes.csv: the name of a file; expected a folder\n"
    assert not list(folder.iterdir())
    (folder / "odd.json").mkdir()
    assert stepgraph("example", "pancakes", "-o", "odd.json").code == 0


def test_the_tutorials_table_is_an_example(stepgraph: Run, folder: Path) -> None:
    listed = next(line.split() for line in stepgraph("example").lines if line.startswith("tea "))
    assert stepgraph("example", "tea").lines == ["tea.csv: written"]
    assert [path.name for path in folder.iterdir()] == ["tea.csv"]
    (entry,) = stepgraph("learn", "tea.csv", "-m", "intersection", "--json").json
    recordings = {line.split(",")[0] for line in (folder / "tea.csv").read_text().splitlines()[1:]}
    assert listed[1:3] == [str(len(entry["graph"]["steps"])), str(len(recordings))]
