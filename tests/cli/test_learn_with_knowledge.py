from __future__ import annotations

import json
from pathlib import Path

from tests.cli.running import Put, Run
from tests.cli.samples import graph_json, table

# 'a' always comes before 'b', but never directly.
APART = table({"1": "axyb", "2": "ayxb", "3": "xayb", "4": "yaxb"})


def _needs(path: Path, step: str) -> set[str]:
    edges = json.loads(path.read_text())["edges"]
    return {edge["needs"] for edge in edges if edge["step"] == step}


def test_a_prior_keeps_an_edge_and_the_notes_say_so(stepgraph: Run, put: Put, folder: Path) -> None:
    prior = put("prior.json", graph_json([("b", "a"), ("a", "START"), ("END", "b")]))
    result = stepgraph(
        "learn", put("r.csv", APART), "-m", "fusion", "--prior", prior, "-o", "g.json"
    )
    assert result.code == 0
    assert "a" in _needs(folder / "g.json", "b")
    assert any("kept by the prior: 'b' needs 'a'" in note for note in result.notes)


def test_must_and_never_are_obeyed(stepgraph: Run, put: Put, folder: Path) -> None:
    demos = put("r.csv", table({"1": "abc", "2": "acb"}))
    result = stepgraph(
        "learn", demos, "-m", "fusion", "--must", "c>b", "--never", "b>a", "-o", "g.json"
    )
    assert result.code == 0
    assert "b" in _needs(folder / "g.json", "c")
    assert "a" not in _needs(folder / "g.json", "b")
    assert any(
        "although 1 of 2 recordings does it the other way round" in note for note in result.notes
    )


def test_a_text_file_of_edges_serves_as_prior(stepgraph: Run, put: Put, folder: Path) -> None:
    demos = put("r.csv", table({"1": "abc", "2": "acb"}))
    stated = put("edges.txt", "must c > b\n")
    assert stepgraph("learn", demos, "-m", "fusion", "--prior", stated, "-o", "g.json").code == 0
    assert "b" in _needs(folder / "g.json", "c")


def test_a_method_that_takes_no_prior_says_which_does(stepgraph: Run, put: Put) -> None:
    result = stepgraph("learn", put("r.csv", APART), "-m", "intersection", "--must", "b>a")
    assert result.code == 2
    assert "use --method robust or fusion" in result.err


def test_a_cyclic_prior_contradictory_edges_and_unknown_steps_are_refused(
    stepgraph: Run, put: Put, folder: Path
) -> None:
    demos = put("r.csv", APART)
    round_ = put("round.json", graph_json([("a", "b"), ("b", "a")]))
    for wrong, message in (
        (["--prior", round_], "need each other"),
        (["--must", "a>b", "--must", "b>a"], "the must edges: these steps need each other"),
        (["--must", "a>b", "--never", "a>b"], "must never need"),
        (["--never", "a>c"], "unknown step 'c'"),
        (["--must", "a"], "states no edge"),
    ):
        result = stepgraph("learn", demos, "-m", "fusion", *wrong, "-o", "g.json")
        assert result.code == 2
        assert message in result.err
        assert not (folder / "g.json").exists()


def test_what_goes_beside_a_stated_edge_is_named(stepgraph: Run) -> None:
    stepgraph("example", "pancakes")
    result = stepgraph("learn", "pancakes.csv", "--never", "fry a pancake needs heat the pan")
    assert (
        "note: the constraints also remove: 'fry a pancake' needs 'grease the pan', as 'grease the "
        "pan' needs 'heat the pan'"
    ) in result.notes
    assert not any(
        "the constraints also" in note for note in stepgraph("learn", "pancakes.csv").notes
    )
