"""Outputs that cannot be written: one message, before any work, and nothing is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.running import Put, Run, files_in, in_a_process
from tests.cli.samples import SANDWICH, SANDWICH_GRAPH, annotated, two_recipes

OUTPUTS = {
    "nowhere/out.json": "there is no folder nowhere",
    "sandwich.csv/out.json": "sandwich.csv is not a folder",
    "taken.json": "taken.json: a folder",
    "new.json/": "new.json/: a folder, expected a file name",
    "pipe.json": "pipe.json: neither file nor folder",
    f"{'a' * 300}.json": "name too long",
}


COMMANDS_THAT_WRITE = {
    "learn": "learn sandwich.csv -m intersection -o",
    "convert": "convert graph.json -o",
}


@pytest.mark.usefixtures("demos", "graph")
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("command", COMMANDS_THAT_WRITE)
def test_an_unwritable_output_is_refused_before_any_work(
    command: str, output: str, stepgraph: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the work was done before the output was looked at")

    for name in ("pipeline.procedures.learn_procedures", "formats.graph_text"):
        monkeypatch.setattr(f"stepgraph.{name}", work)
    two_recipes(folder / "data")
    (folder / "taken.json").mkdir()
    os.mkfifo(folder / "pipe.json")
    before = files_in(folder)
    if command == "learn" and output == "new.json/":
        output = f"{'a' * 300}/"  # a folder would do, were its name not too long
    if command == "learn" and output == "taken.json":
        output = "taken.json/deeper/out.json"  # the folder itself would do
    result = stepgraph(*COMMANDS_THAT_WRITE[command].split(), output)
    assert (result.code, result.out) == (2, "")
    (message,) = result.notes
    assert message.startswith("error: ")
    expected = "name too long" if len(output) > 300 else "there is no folder"
    assert OUTPUTS.get(output, expected).lower() in message.lower()
    assert files_in(folder) == before


@pytest.mark.parametrize("command", ["example pancakes -o", "demo -o"])
def test_a_file_in_place_of_the_output_folder_is_refused(
    command: str, stepgraph: Run, demos: str
) -> None:
    result = stepgraph(*command.split(), demos)
    assert result.code == 2
    (message,) = result.notes
    assert message.startswith(f"error: {demos}: ")
    assert Path(demos).read_text(encoding="utf-8") == SANDWICH


def test_several_procedures_are_refused_a_file_in_place_of_a_folder(
    stepgraph: Run, put: Put, folder: Path
) -> None:
    several = put("several.json", annotated({"tea": ["ab", "ba"], "soup": ["cd", "dc"]}))
    put("taken", "mine")
    result = stepgraph("learn", several, "-m", "intersection", "-o", "taken/deeper")
    assert (result.code, result.out) == (2, "")
    assert result.err == "error: taken/deeper: taken is a file, expected a folder to write to\n"
    assert files_in(folder) == ["several.json", "taken"]


def test_procedures_that_would_share_a_file_get_numbers(
    stepgraph: Run, put: Put, folder: Path
) -> None:
    several = put(
        "several.json", annotated({"hot tea": ["ab"], "hot/tea": ["ba"], "Hot tea": ["a"]})
    )
    result = stepgraph("learn", several, "-m", "intersection", "-o", "graphs")
    assert result.code == 0
    assert sorted(path.name for path in (folder / "graphs").iterdir()) == [
        "Hot-tea (3).json",
        "hot-tea (2).json",
        "hot-tea.json",
    ]
    assert result.lines[1].startswith("graphs/hot-tea (2).json: ")


def test_a_failed_learning_leaves_an_older_graph_as_it_is(stepgraph: Run, put: Put) -> None:
    put("out.json", SANDWICH_GRAPH)
    put("demos.csv", "")
    assert stepgraph("learn", "demos.csv", "-m", "intersection", "-o", "out.json").code == 2
    assert Path("out.json").read_text(encoding="utf-8") == SANDWICH_GRAPH


def test_a_full_disk_behind_the_output_is_one_message(graph: str) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    code = (
        "import os, sys\n"
        "os.dup2(os.open('/dev/full', os.O_WRONLY), 1)\n"
        "from stepgraph.cli.main import run\n"
        "run()"
    )
    for arguments in (["show", graph], ["--help"], ["methods", "--json"]):
        ended = in_a_process(*arguments, code=code)
        assert ended.returncode == 2
        (message,) = ended.stderr.splitlines()
        assert message.startswith("error: the output")
        assert "No space left on device" in message
