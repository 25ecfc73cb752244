from __future__ import annotations

import json
from pathlib import Path

import pytest

from stepgraph.formats import read_graph
from tests.cli.running import Put, Run
from tests.cli.samples import table

ORDERED = table({str(number): "abcd" for number in range(6)})
CASES = table(
    {f"a{number}": ["check", "accept", "ship"] for number in range(30)}
    | {f"r{number}": ["check", "reject"] for number in range(10)}
)


def test_choices_are_learned_and_drawn(stepgraph: Run, put: Put, folder: Path) -> None:
    result = stepgraph("learn", put("cases.csv", CASES), "-o", "g.json")
    assert result.code == 0
    (choice,) = json.loads((folder / "g.json").read_text())["choices"]
    assert choice["alternatives"] == [["accept", "ship"], ["reject"]]
    drawn = stepgraph("show", "g.json").out
    assert "one of 2 + 3 or 4" in drawn or "one of 2 + 4 or 3" in drawn


def test_stated_choices_and_undoing_are_obeyed(stepgraph: Run, put: Put, folder: Path) -> None:
    result = stepgraph(
        "learn", put("r.csv", ORDERED), "--one-of", "b | c", "--undoes", "d: a", "-o", "g.json"
    )
    assert result.code == 0
    written = json.loads((folder / "g.json").read_text())
    assert [one["alternatives"] for one in written["choices"]] == [[["b"], ["c"]]]
    assert not any({edge["step"], edge["needs"]} == {"b", "c"} for edge in written["edges"])
    graph = read_graph(folder / "g.json")
    assert graph.is_valid("abda", complete=True)
    assert not graph.is_valid("abd", complete=True)
    assert not graph.is_valid("abc")


def test_a_file_of_rules_serves_as_prior(stepgraph: Run, put: Put, folder: Path) -> None:
    stated = put("rules.txt", "one-of b | c\nundoes d: a\n")
    result = stepgraph("learn", put("r.csv", ORDERED), "--prior", stated, "-o", "g.json")
    assert result.code == 0
    assert json.loads((folder / "g.json").read_text())["choices"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--one-of", "b"], "'b' states no choice; expected two or more alternatives"),
        (["--one-of", "b | x"], "unknown step 'x'"),
        (["--one-of", "b | b"], "'b' is in two alternatives"),
        (["--undoes", "a"], "'a' states no undoing; expected 'A: B'"),
        (["--undoes", "x: a"], "unknown step 'x'"),
        (["--undoes", "a: a"], "'a' is said to undo itself"),
        (["--must", "c>b", "--one-of", "b | c"], "'c' needs 'b' of another alternative"),
        (["--undoes", "a: b + c + d"], "'a' is said to undo every other step"),
    ],
)
def test_what_cannot_be_obeyed_ends_with_one_error(
    stepgraph: Run, put: Put, folder: Path, wrong: list[str], message: str
) -> None:
    result = stepgraph("learn", put("r.csv", ORDERED), *wrong, "-o", "g.json")
    assert result.code == 2
    assert message in result.err
    assert len([line for line in result.err.splitlines() if line.startswith("error:")]) == 1
    assert "Traceback" not in result.err
    assert not (folder / "g.json").exists()
