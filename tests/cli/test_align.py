from __future__ import annotations

import pytest

from tests.cli.running import Put, Run
from tests.cli.samples import table


@pytest.fixture
def odd(put: Put) -> str:
    """Recordings, one of them right, one with everything that can be wrong."""
    return put(
        "odd.csv",
        table(
            {
                "anna": ["slice bread", "wash lettuce", "stack", "eat"],
                "ben": ["slice bread", "slice bread", "eat", "stack", "sing"],
            }
        ),
    )


def test_each_recording_is_explained_in_words(stepgraph: Run, graph: str, odd: str) -> None:
    result = stepgraph("align", graph, odd)
    assert (result.code, result.err) == (0, "")
    assert result.lines == [
        "anna: as the graph says",
        "ben: cost 5, fitness 0.444; 2 of 5 steps stay",
        "  repeated: 'slice bread' (step 2); step 1 counts as done",
        "  skipped: 'wash lettuce'",
        "  moved: 'stack' is step 4; 'eat' (step 3), which needs it, came before",
        "  inserted: 'sing' (step 5); the graph has no such step",
        "2 recordings: 1 as the graph says; cost 5, fitness 0.706, precision 0.800",
    ]


def test_machines_get_every_move(stepgraph: Run, graph: str, odd: str) -> None:
    result = stepgraph("align", graph, odd, "--json")
    assert result.code == 0
    assert (result.json["cost"], result.json["fitness"]) == (5, 1 - 5 / 17)
    assert 0 < result.json["precision"] <= 1
    anna, ben = result.json["recordings"]
    assert (anna["cost"], anna["fitness"], anna["moved"]) == (0, 1, [])
    assert ben["moved"] == ["stack"]
    assert [move["kind"] for move in ben["moves"]] == [
        "done",
        "inserted",
        "skipped",
        "skipped",
        "done",
        "inserted",
        "inserted",
    ]
    assert ben["moves"][1] == {"kind": "inserted", "step": "slice bread", "position": 2, "cost": 1}


def test_costs_change_the_explanation(stepgraph: Run, graph: str, put: Put) -> None:
    swapped = put("swapped.csv", table({"anna": ["slice bread", "wash lettuce", "eat", "stack"]}))
    plain = stepgraph("align", graph, swapped).out
    assert "moved: 'stack'" in plain
    dear = stepgraph(
        "align", graph, swapped, "--cost", "skipped:stack=3", "--cost", "inserted=2"
    ).out
    assert "moved: 'eat'" in dear
    assert "cost 3" in dear


def test_one_procedure_of_several_is_chosen_by_the_graphs_name(
    stepgraph: Run, graph: str, put: Put
) -> None:
    rows = "procedure,recording,step\nsandwich,anna,eat\ntea,ben,boil\n"
    result = stepgraph("align", graph, put("several.csv", rows))
    assert result.code == 0
    assert result.lines[-1].startswith("1 recording: 0 as the graph says; cost 3,")


def test_what_is_doubtful_among_the_broken_edges_is_noted(stepgraph: Run) -> None:
    stepgraph("example", "pancakes", "-o", "known")
    stepgraph("learn", "known/pancakes.csv", "-o", "learned.json")
    result = stepgraph("align", "learned.json", "known/pancakes.csv")
    (note,) = result.notes
    assert note.startswith("note: doubtful (27 % probable): 'measure the flour' needs 'lay out")
    assert not stepgraph(
        "align", "learned.json", "known/pancakes.csv", "--recording", "simulated-01"
    ).notes
