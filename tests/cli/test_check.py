from __future__ import annotations

import json

import pytest

from tests.cli.running import Put, Run
from tests.cli.samples import annotated, graph_json, table

WRONG = {
    "anna": ["slice bread", "wash lettuce", "stack", "eat"],
    "ben": ["slice bread", "eat", "stack", "wash lettuce"],
}


def test_valid_recordings_end_with_code_0(stepgraph: Run, graph: str, demos: str) -> None:
    result = stepgraph("check", graph, demos)
    assert (result.code, result.err) == (0, "")
    assert result.out == "2 recordings: all as the graph says\n"


def test_violations_end_with_code_1_and_name_the_missing_steps(
    stepgraph: Run, graph: str, put: Put
) -> None:
    result = stepgraph("check", graph, put("wrong.csv", table(WRONG)))
    assert result.code == 1
    assert result.lines == [
        "ben: step 2, 'eat': done before 'stack'",
        "ben: step 3, 'stack': done before 'wash lettuce'",
        "2 recordings: 1 as the graph says, 1 with 2 violations",
    ]


@pytest.mark.parametrize("command", ["check", "align"])
def test_one_recording_of_a_file_can_be_looked_at(
    stepgraph: Run, graph: str, put: Put, command: str
) -> None:
    wrong = put("wrong.csv", table(WRONG))
    alone = put("alone.csv", table({"ben": WRONG["ben"]}))
    one = stepgraph(command, graph, wrong, "--recording", "ben")
    assert (one.code, one.out) == (
        stepgraph(command, graph, alone).code,
        stepgraph(command, graph, alone).out,
    )
    assert stepgraph(command, graph, wrong, "--recording", "anna").code == 0
    both = stepgraph(command, graph, wrong, "--recording", "anna", "--recording", "ben")
    assert both.out == stepgraph(command, graph, wrong).out
    unknown = stepgraph(command, graph, wrong, "--recording", "bem")
    assert unknown.code == 2
    assert unknown.err == f"error: {wrong}: unknown recording 'bem'; did you mean 'ben'?\n"


def test_a_violation_of_a_doubtful_edge_is_told_as_such(stepgraph: Run) -> None:
    stepgraph("example", "pancakes")
    stepgraph("learn", "pancakes.csv", "-o", "pancakes.graph.json")
    result = stepgraph("check", "pancakes.graph.json", "pancakes.csv")
    (first, *_) = [line for line in result.lines if "'lay out the plates'" in line]
    assert first.endswith("done without 'lay out the plates' (doubtful: 27 % probable)")
    assert not any("doubtful" in line for line in result.lines if "'grease the pan'" in line)
    (note,) = result.notes
    assert note.startswith("note: doubtful (")
    assert "'measure the flour' needs 'lay out the plates'" in note


def test_what_is_said_of_several_places_is_said_once(stepgraph: Run, graph: str, put: Put) -> None:
    again = ["eat", "slice bread", "eat", "bite", "eat", "bite"]
    result = stepgraph("check", graph, put("again.csv", table({"ben": again})))
    assert result.lines == [
        "ben: steps 1, 3 and 5, 'eat': done without 'stack'",
        "ben: steps 4 and 6, 'bite': not in the graph",
        "ben: never done: 'wash lettuce'",
        "1 recording: 0 as the graph says, 1 with 6 violations",
    ]
    (entry,) = stepgraph("check", graph, put("again.csv", table({"ben": again})), "--json").json
    assert [one["position"] for one in entry["violations"]] == [1, 3, 4, 5, 6, 7]


def test_recordings_may_break_off(stepgraph: Run, graph: str, put: Put) -> None:
    short = put("short.csv", table({"ben": ["slice bread"]}))
    assert stepgraph("check", graph, short).code == 1
    assert stepgraph("check", graph, short).lines[0] == "ben: never done: 'wash lettuce'"
    assert stepgraph("check", graph, short, "--unfinished").code == 0


def test_a_single_recording_has_a_sentence_of_its_own(stepgraph: Run, graph: str, put: Put) -> None:
    one = put("one.txt", "slice bread\nwash lettuce\nstack\neat\n")
    assert stepgraph("check", graph, one).out == "1 recording: as the graph says\n"


def test_an_unknown_step_is_a_violation_with_the_nearest_name(
    stepgraph: Run, graph: str, put: Put
) -> None:
    result = stepgraph(
        "check", graph, put("odd.csv", table({"anna": ["slice bred", "wash lettuce"]}))
    )
    assert result.code == 1
    assert result.lines[0] == (
        "anna: step 1, 'slice bred': not in the graph (did you mean 'slice bread'?)"
    )


def test_json_has_an_entry_for_every_recording(stepgraph: Run, graph: str, put: Put) -> None:
    result = stepgraph("check", graph, put("wrong.csv", table(WRONG)), "--json")
    assert result.code == 1
    right, wrong = result.json
    assert right == {"recording": "anna", "valid": True, "violations": []}
    assert wrong["valid"] is False
    assert wrong["violations"][0]["step"] == "eat"
    assert wrong["violations"][0]["missing"] == ["stack"]
    assert wrong["violations"][0]["never_done"] == []
    lines = stepgraph("check", graph, put("wrong.csv", table(WRONG))).lines
    assert [f"ben: {entry['sentence']}" for entry in wrong["violations"]] == lines[:-1]
    (short,) = stepgraph("check", graph, put("short.csv", table({"eva": ["eat"]})), "--json").json
    assert short["violations"][0]["never_done"] == ["stack"]


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_notes_of_the_reader_are_said(
    as_json: list[str], stepgraph: Run, graph: str, put: Put
) -> None:
    timed = put("timed.csv", "recording,step,start\n1,slice bread,9\n1,wash lettuce,4\n")
    result = stepgraph("check", graph, timed, "--unfinished", *as_json)
    assert result.code == 0
    assert result.err.startswith("note: 1 of 1 recordings is not in the order of their start")


def test_the_order_of_times_can_count(stepgraph: Run, graph: str, put: Put) -> None:
    rows = "1,stack,9\n1,slice bread,1\n1,wash lettuce,2\n"
    timed = put("timed.csv", f"recording,step,start\n{rows}")
    assert stepgraph("check", graph, timed, "--unfinished").code == 1
    assert stepgraph("check", graph, timed, "--unfinished", "--order", "start").code == 0


def test_of_several_procedures_the_graphs_own_is_checked(stepgraph: Run, put: Put) -> None:
    several = put("several.json", annotated({"tea": ["ba"], "soup": ["abc", "ba", "cb"]}))
    chain = [("a", "START"), ("b", "a"), ("END", "b")]
    assert stepgraph("check", put("tea.json", graph_json(chain, "tea")), several).lines == [
        "tea-0: step 1, 'b': done before 'a'",
        "1 recording: 0 as the graph says, 1 with 1 violation",
    ]
    other = put("other.json", graph_json(chain, "coffee"))
    assert stepgraph("check", other, several, "--procedure", "tea").code == 1


def test_learned_recordings_without_mistakes_fit_their_graph(stepgraph: Run, demos: str) -> None:
    assert stepgraph("learn", demos, "-m", "intersection", "-o", "learned.json").code == 0
    assert stepgraph("check", "learned.json", demos).code == 0


@pytest.mark.parametrize("command", ["check", "align"])
def test_a_recording_of_another_procedure_is_said_to_be_one(
    stepgraph: Run, put: Put, command: str
) -> None:
    several = put("several.json", annotated({"tea": ["ab"], "soup": ["cd"]}))
    graph = put("tea.json", graph_json([("b", "a")], "tea"))
    assert stepgraph(command, graph, several, "--recording", "tea-0").code == 0
    result = stepgraph(command, graph, several, "--recording", "soup-0")
    assert result.code == 2
    assert "'soup-0' is a recording of 'soup', the graph is of 'tea'" in result.err


def test_what_is_noted_is_of_the_graphs_own_procedure_alone(stepgraph: Run, put: Put) -> None:
    graph = put("tea.json", graph_json([("b", "a")], "tea"))
    rows = [("tea", "1", "a", 0), ("tea", "1", "b", 1)]
    rows += [("soup", name, f"at {time}", time) for name in "23" for time in (5, 4)]
    lines = "".join(",".join(map(str, row)) + "\n" for row in rows)
    several = put("several.csv", "procedure,recording,step,start\n" + lines)
    assert stepgraph("check", graph, several).notes == []
    assert any("2 of 3 recordings" in note for note in stepgraph("audit", several).notes)


def test_the_marked_mistakes_of_a_shipped_procedure_are_found(stepgraph: Run) -> None:
    assert stepgraph("example", "pancakes").code == 0
    result = stepgraph("check", "pancakes.graph.json", "pancakes.csv", "--json")
    assert result.code == 1
    assert 0 < sum(not entry["valid"] for entry in result.json) < len(result.json)


def test_each_doubtful_need_has_its_own_share(stepgraph: Run, put: Put) -> None:
    counted = {"held": 5, "broken": 4, "silent": 0}
    edges = [
        {"step": "c", "needs": name, "evidence": {**counted, "probability": share}}
        for name, share in (("a", 0.34), ("b", 0.47))
    ]
    ends = [{"step": name, "needs": "START"} for name in "ab"] + [{"step": "END", "needs": "c"}]
    content = {
        "format": "stepgraph-graph",
        "version": 1,
        "steps": list("abc"),
        "edges": edges + ends,
    }
    graph = put("g.json", json.dumps(content))
    result = stepgraph("check", graph, put("r.csv", table({"ben": ["c", "a", "b"]})))
    assert result.lines[0] == (
        "ben: step 1, 'c': done before 'a', 'b' (doubtful: 34 % and 47 % probable)"
    )
    result = stepgraph("check", graph, put("r.csv", table({"ben": ["c", "b"]})))
    assert result.lines[0] == (
        "ben: step 1, 'c': done before 'b' and without 'a' (doubtful: 47 % and 34 % probable)"
    )


def test_a_graphs_procedure_in_other_case_is_suggested(stepgraph: Run, put: Put) -> None:
    graph = put("g.json", graph_json([("b", "a"), ("a", "START"), ("END", "b")], "Tea"))
    several = put("several.json", annotated({"tea": ["ab"], "soup": ["ba"]}))
    result = stepgraph("check", graph, several)
    assert result.code == 2
    assert "none called 'Tea' as the graph is (did you mean 'tea'?); choose" in result.err
