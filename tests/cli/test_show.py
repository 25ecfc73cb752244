from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.running import Put, Run, in_a_process
from tests.cli.samples import graph_json


def test_each_step_stands_on_a_line_below_what_it_needs(stepgraph: Run, graph: str) -> None:
    result = stepgraph("show", graph)
    assert (result.code, result.err) == (0, "")
    title, *drawing = result.lines
    assert title == "sandwich: 4 steps, 6 edges"
    rows = [line.split("←")[0].strip(" ○●├─│╰╯┴┤0123456789") for line in drawing]
    assert rows[0] == "START"
    assert rows[-1] == "END"
    assert set(rows[1:3]) == {"slice bread", "wash lettuce"}
    assert rows[3:5] == ["stack", "eat"]


def test_one_step_is_no_steps(stepgraph: Run, put: Put) -> None:
    small = put("small.json", graph_json([("boil", "START"), ("END", "boil")], "tea"))
    assert stepgraph("show", small).lines[0] == "tea: 1 step, 2 edges"


def test_a_graph_without_a_procedure_is_shown(stepgraph: Run, put: Put) -> None:
    nameless = put("nameless.json", graph_json([("boil", "START"), ("END", "boil")], ""))
    assert stepgraph("show", nameless).lines[0] == "1 step, 2 edges"


def test_what_was_doubtful_when_it_was_learned_is_so_when_it_is_shown(stepgraph: Run) -> None:
    assert stepgraph("example", "pancakes").code == 0
    learned = stepgraph("learn", "pancakes.csv", "-o", "graph.json")
    shown = stepgraph("show", "graph.json", "--evidence")
    assert [note for note in learned.notes if "doubtful" in note] == shown.notes
    ((percent, edge),) = re.findall(
        r"doubtful \((\d+) % probable\): ('[^']+' needs '[^']+')", shown.err
    )[:1]
    assert any(line.startswith(edge) and f"{percent} % probable" in line for line in shown.lines)


def test_json_is_the_graph_as_it_is_stored(stepgraph: Run, graph: str) -> None:
    content = stepgraph("show", graph, "--json").json
    stored = json.loads(Path(graph).read_text(encoding="utf-8"))
    assert content["steps"] == stored["steps"]
    assert len(content["edges"]) == len(stored["edges"])


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_the_drawing_fits_the_terminal(
    columns: int, stepgraph: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert stepgraph("example", "birdhouse").code == 0
    monkeypatch.setenv("COLUMNS", str(columns))
    assert max(map(len, stepgraph("show", "birdhouse.graph.json").lines)) <= columns


@pytest.mark.parametrize("columns", ["0", "1", "17", "words"])
def test_a_terminal_too_narrow_or_unknown_gets_a_drawing_all_the_same(
    columns: str, stepgraph: Run, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    result = stepgraph("show", graph)
    assert result.code == 0
    assert "slice bread" in result.out


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_other_encodings_get_a_drawing_in_ascii(encoding: str, put: Put) -> None:
    names = put("names.json", graph_json([("sauté 卵", "START"), ("END", "sauté 卵")], "omelette"))
    ended = in_a_process("show", names, PYTHONIOENCODING=encoding)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.isascii()
    assert "\\u5375" in ended.stdout


def test_json_stays_whole_in_other_encodings(put: Put) -> None:
    names = put("names.json", graph_json([("sauté 卵", "START"), ("END", "sauté 卵")]))
    ended = in_a_process("show", names, "--json", PYTHONIOENCODING="ascii")
    assert json.loads(ended.stdout)["steps"] == ["sauté 卵"]


def test_what_is_pinned_is_shown_as_stated_and_not_asked_about(stepgraph: Run, put: Put) -> None:
    demos = put("tea.csv", "recording,step\n1,boil\n1,grind\n1,pour\n")
    assert stepgraph("learn", demos, "-o", "graph.json").code == 0
    content = json.loads(Path("graph.json").read_text(encoding="utf-8"))
    pinned = [["grind", "boil"], ["pour", "grind"]]
    put("pinned.json", json.dumps(content | {"constraints": {"pinned": pinned}}))
    assert "as stated" not in stepgraph("show", "graph.json", "--evidence").out
    shown = stepgraph("show", "pinned.json", "--evidence")
    assert "'grind' needs 'boil': so in 1 of 1 recording; as stated" in shown.lines
    assert stepgraph("advise", demos).lines[0] == "tea: 3 of 3 pairs of steps are open"
    advised = stepgraph("advise", demos, "--graph", "pinned.json")
    assert advised.lines[0] == "tea: 0 of 3 pairs of steps are open"


def test_rules_are_shown_at_their_steps_and_listed_with_the_evidence(
    stepgraph: Run, put: Put
) -> None:
    edges = [("test", "START"), ("accept", "test"), ("reject", "test"), ("END", "accept")]
    content = json.loads(graph_json(edges, "bench"))
    rules = {
        "choices": [{"alternatives": [["accept"], ["reject"]]}],
        "undoings": [{"step": "reject", "undone": ["test"]}],
    }
    ruled = put("bench.json", json.dumps(content | {"version": 2} | rules))
    (row,) = (line for line in stepgraph("show", ruled).lines if "reject" in line.split("or ")[0])
    assert row.endswith("or 3 accept; undoes 1 test")
    told = stepgraph("show", ruled, "--evidence").lines
    assert told[-2:] == ["one of 'accept' or 'reject'", "'reject' undoes 'test'"]
