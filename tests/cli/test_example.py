from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run
from tgml.procedures import procedure_names


def test_every_procedure_is_listed(tgml: Run) -> None:
    result = tgml("example")
    assert (result.code, result.err) == (0, "")
    assert "tgml example NAME" in result.lines[0]
    assert [line.split()[0] for line in result.lines[4:]] == list(procedure_names())


def test_recordings_and_graph_are_written_to_a_new_folder(tgml: Run, folder: Path) -> None:
    result = tgml("example", "pancakes", "-o", "my recordings")
    assert result.code == 0
    names = ["pancakes.csv", "pancakes.graph.json", "pancakes.json"]
    assert sorted(path.name for path in (folder / "my recordings").iterdir()) == names
    assert sorted(result.lines) == [f"my recordings/{name}: written" for name in names]


def test_the_next_command_is_said_and_works(tgml: Run) -> None:
    note = tgml("example", "pancakes", "-o", "mine").err.strip()
    start, command = note.split("tgml ")
    assert start == "note: to learn from them: "
    assert tgml(*command.split(), "-m", "intersection").code == 0


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_table_and_json_give_the_same_graph(ending: str, tgml: Run) -> None:
    assert tgml("example", "seed-tray").code == 0
    (entry,) = tgml("learn", f"seed-tray.{ending}", "-m", "intersection", "--json").json
    (other,) = tgml("learn", "seed-tray.json", "-m", "intersection", "--json").json
    edges = [
        {(edge["step"], edge["needs"]) for edge in given["graph"]["edges"]}
        for given in (entry, other)
    ]
    assert edges[0] == edges[1]


def test_a_files_name_in_place_of_a_folders_is_refused(tgml: Run, folder: Path) -> None:
    result = tgml("example", "pancakes", "-o", "pancakes.csv")
    assert result.code == 2
    assert result.err == (
        "error: pancakes.csv: a file's name, expected a folder; there are three files\n"
    )
    assert not list(folder.iterdir())
    (folder / "odd.json").mkdir()
    assert tgml("example", "pancakes", "-o", "odd.json").code == 0
