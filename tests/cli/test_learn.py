from __future__ import annotations

import json
from pathlib import Path

import pytest

from stepgraph.formats import read_graph
from tests.cli.running import Put, Run
from tests.cli.samples import annotated, graph_json, table

EXACT = ("-m", "intersection")


@pytest.mark.parametrize("method", ["do", "intersection"])
def test_the_graph_is_drawn_and_written(method: str, stepgraph: Run, demos: str) -> None:
    result = stepgraph("learn", demos, "-m", method, "-o", "out.json")
    assert (result.code, result.err) == (0, "")
    assert result.lines[0] == "sandwich: 4 steps, 6 edges"
    assert any("stack" in line and "← 1, 2" in line for line in result.lines)
    assert result.lines[-2:] == [
        "out.json: 4 steps, 6 edges",
        "fits 2 of 2 recordings; 100 % of the next steps that it allows were seen",
    ]
    assert set(read_graph("out.json").preconditions_of("stack")) == {"slice bread", "wash lettuce"}


def test_without_an_output_nothing_is_written(stepgraph: Run, demos: str, folder: Path) -> None:
    assert stepgraph("learn", demos, *EXACT).code == 0
    assert [path.name for path in folder.iterdir()] == [demos]


@pytest.mark.parametrize("method", ["do", "intersection"])
def test_learning_twice_gives_the_same_bytes(method: str, stepgraph: Run, folder: Path) -> None:
    assert stepgraph("example", "pancakes").code == 0
    for name in ("one.json", "two.json"):
        assert stepgraph("learn", "pancakes.csv", "-m", method, "-o", name).code == 0
    assert (folder / "one.json").read_bytes() == (folder / "two.json").read_bytes()


def test_the_ending_of_the_output_says_the_format(stepgraph: Run, demos: str, folder: Path) -> None:
    assert stepgraph("learn", demos, *EXACT, "-o", "out.dot").code == 0
    assert (folder / "out.dot").read_text(encoding="utf-8").startswith("digraph")


def test_an_output_without_an_ending_is_a_graph_file(stepgraph: Run, demos: str) -> None:
    assert stepgraph("learn", demos, *EXACT, "-o", "out").code == 0
    assert len(read_graph("out").steps) == 4


def test_an_existing_folder_gets_a_file_called_after_the_procedure(
    stepgraph: Run, demos: str, folder: Path
) -> None:
    (folder / "graphs.v1").mkdir()
    result = stepgraph("learn", demos, *EXACT, "-o", "graphs.v1")
    assert result.lines[-2] == "graphs.v1/sandwich.json: 4 steps, 6 edges"
    assert (folder / "graphs.v1" / "sandwich.json").is_file()


@pytest.mark.parametrize("output", ["new/", "new/deeper/", "new.json/"])
def test_an_output_with_a_slash_at_its_end_is_a_folder_made_on_demand(
    output: str, stepgraph: Run, demos: str, folder: Path
) -> None:
    result = stepgraph("learn", demos, *EXACT, "-o", output)
    assert (result.code, result.lines[-2]) == (0, f"{output}sandwich.json: 4 steps, 6 edges")
    assert (folder / output / "sandwich.json").is_file()


def test_a_slash_after_a_file_is_refused(stepgraph: Run, demos: str, folder: Path) -> None:
    result = stepgraph("learn", demos, *EXACT, "-o", f"{demos}/")
    assert (result.code, result.out) == (2, "")
    assert "sandwich.csv is a file, expected a folder to write to" in result.err
    assert [path.name for path in folder.iterdir()] == [demos]


@pytest.mark.parametrize("old", ["", graph_json([("b", "a"), ("a", "START"), ("END", "b")])])
def test_an_older_graph_is_replaced(stepgraph: Run, put: Put, demos: str, old: str) -> None:
    put("out.json", old)
    assert stepgraph("learn", demos, *EXACT, "-o", "out.json").code == 0
    assert len(read_graph("out.json").steps) == 4


@pytest.mark.parametrize(
    "command",
    [
        "learn pancakes.json -o pancakes.json",
        "learn pancakes.csv -o pancakes.json",
        "learn pancakes.csv --format log -o pancakes.json",
        "convert pancakes.graph.json -o pancakes.json",
        "calibrate pancakes.graph.json pancakes.csv --error-rate 0.1 -o pancakes.json",
    ],
)
def test_what_is_no_graph_is_not_replaced(stepgraph: Run, folder: Path, command: str) -> None:
    stepgraph("example", "pancakes")
    before = (folder / "pancakes.json").read_bytes()
    result = stepgraph(*command.split())
    assert result.code == 2
    assert result.err.endswith(
        "error: pancakes.json: there is a file of this name, which holds something else; choose "
        "another name with -o, or move the file away\n"
    )
    assert (folder / "pancakes.json").read_bytes() == before


def test_recordings_in_a_folder_are_not_replaced(stepgraph: Run, put: Put, folder: Path) -> None:
    several = put("tea.json", annotated({"tea": ["ab", "ab"], "soup": ["cd", "dc"]}))
    before = (folder / "tea.json").read_bytes()
    assert stepgraph("learn", several, *EXACT, "-o", ".").code == 2
    assert (folder / "tea.json").read_bytes() == before


def test_several_procedures_are_written_to_a_folder_one_file_each(
    stepgraph: Run, put: Put, folder: Path
) -> None:
    several = put("several.json", annotated({"tea": ["ab", "ab"], "hot soup": ["cd", "dc"]}))
    result = stepgraph("learn", several, *EXACT, "-o", "new/graphs")
    assert (result.code, result.lines) == (
        0,
        [
            "new/graphs/tea.json: 2 steps, 3 edges",
            "new/graphs/hot-soup.json: 2 steps, 4 edges",
            "new/graphs: 2 procedures learned",
        ],
    )
    written = sorted((folder / "new" / "graphs").iterdir())
    assert [read_graph(path).procedure for path in written] == ["hot soup", "tea"]


def test_one_procedure_of_several_can_be_chosen(stepgraph: Run, put: Put) -> None:
    several = put("several.json", annotated({"tea": ["ab", "ab"], "soup": ["cd", "dc"]}))
    result = stepgraph("learn", several, *EXACT, "--procedure", "soup", "-o", "out.json")
    assert result.lines[0] == "soup: 2 steps, 4 edges"
    assert read_graph("out.json").procedure == "soup"


def test_json_tells_graph_file_changes_notes_and_facts(stepgraph: Run, demos: str) -> None:
    (entry,) = stepgraph("learn", demos, *EXACT, "-o", "out.json", "--json").json
    assert entry["file"] == "out.json"
    assert entry["graph"] == json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert {"changes", "notes", "facts"} <= entry.keys()


def test_json_needs_no_place_for_several_procedures(stepgraph: Run, put: Put) -> None:
    several = put("several.json", annotated({"tea": ["ab"], "soup": ["cd"]}))
    entries = stepgraph("learn", several, *EXACT, "--json").json
    assert [entry["graph"]["procedure"] for entry in entries] == ["tea", "soup"]
    assert [entry["file"] for entry in entries] == [None, None]


def test_it_says_why_a_step_needs_another_or_does_not(stepgraph: Run, demos: str, put: Put) -> None:
    asked = ["--why", "stack needs slice bread", "--why", "wash lettuce needs slice bread"]
    result = stepgraph("learn", demos, *EXACT, *asked)
    assert result.lines[-3:-1] == [
        "'stack' needs 'slice bread': so in 2 of 2 recordings",
        (
            "'wash lettuce' does not need 'slice bread', as the order is not always the same: so "
            "in 1 of 2 recordings, not in 'ben'"
        ),
    ]
    (entry,) = stepgraph("learn", demos, *EXACT, *asked, "--json").json
    assert entry["why"] == result.lines[-3:-1]
    unknown = stepgraph("learn", demos, *EXACT, "--why", "stak needs slice bread")
    assert (unknown.code, unknown.out) == (2, "")
    several = put("several.json", annotated({"tea": ["ab"], "soup": ["cd"]}))
    refused = stepgraph("learn", several, *EXACT, "--why", "a needs b", "--json")
    assert refused.code == 2
    assert "why is of one procedure" in refused.err


def test_who_looks_hears_that_nothing_was_written(
    stepgraph: Run, demos: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepgraph.cli.learn.is_terminal", lambda: True)
    said = "note: nothing was written; -o FILE keeps the graph"
    assert said in stepgraph("learn", demos, *EXACT).notes
    assert said not in stepgraph("learn", demos, *EXACT, "-o", "graph.json").notes
    assert said not in stepgraph("learn", demos, *EXACT, "--json").notes


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_what_was_left_out_is_said_on_the_error_stream(as_json: list[str], stepgraph: Run) -> None:
    assert stepgraph("example", "pancakes").code == 0
    result = stepgraph("learn", "pancakes.csv", *EXACT, *as_json)
    assert result.code == 0
    assert any(
        note.startswith("note: ") and "have marked mistakes (" in note for note in result.notes
    )
    assert "marked mistakes" in result.out if as_json else "note:" not in result.out


def test_recordings_with_mistakes_count_if_asked_for(stepgraph: Run) -> None:
    assert stepgraph("example", "pancakes").code == 0
    recordings = {}
    for options in ([], ["--with-mistakes"]):
        (entry,) = stepgraph("learn", "pancakes.csv", *EXACT, "--json", *options).json
        recordings[len(options)] = entry["graph"]["provenance"]["recordings"]
    assert recordings[0] < recordings[1]


def test_changes_of_post_processing_are_listed_if_asked_for(stepgraph: Run, put: Put) -> None:
    chain = put("chain.csv", table({"anna": "abc", "ben": "abc"}))
    plain = stepgraph("learn", chain, *EXACT)
    listed = stepgraph("learn", chain, *EXACT, "--changes")
    *drawn, fit = plain.lines
    assert (listed.lines[: len(drawn)], listed.lines[-1]) == (drawn, fit)
    extra = listed.lines[len(drawn) : -1]
    assert any("'c'" in line and "'a'" in line for line in extra)


def test_settings_and_seed_reach_the_method_and_the_graph_file(stepgraph: Run, demos: str) -> None:
    options = [
        "--method",
        "do",
        "--set",
        "epochs=7",
        "--set",
        "beta=0.5",
        "--set",
        "stopping=never",
        "--seed",
        "3",
    ]
    (entry,) = stepgraph("learn", demos, *options, "--repetitions", "last", "--json").json
    provenance = entry["graph"]["provenance"]
    assert provenance["seed"] == 3
    assert provenance["settings"]["beta"] == 0.5
    assert provenance["settings"]["epochs"] == 7
    assert provenance["settings"]["repetitions"] == "last"
    assert entry["facts"]["epochs"] == 7


def test_the_relaxed_post_processing_can_be_asked_for(stepgraph: Run, put: Put) -> None:
    chain = put("chain.csv", table({"anna": "ab", "ben": "ab"}))
    plain = stepgraph("learn", chain, *EXACT, "--changes")
    relaxed = stepgraph("learn", chain, *EXACT, "--changes", "--relaxed")
    assert "relaxed variant" not in plain.out
    assert "relaxed variant" in relaxed.out


def test_the_threshold_can_be_raised(stepgraph: Run, put: Put) -> None:
    chain = put("chain.csv", table({"anna": "ab", "ben": "ab"}))
    assert stepgraph("learn", chain, *EXACT).lines[0] == "chain: 2 steps, 3 edges"
    free = stepgraph("learn", chain, *EXACT, "--threshold", "5")
    assert free.lines[0] == "chain: 2 steps, 4 edges"


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_notes_of_the_reader_are_said(as_json: list[str], stepgraph: Run, put: Put) -> None:
    timed = put("timed.csv", "recording,step,start\n1,boil,9\n1,pour,4\n")
    result = stepgraph("learn", timed, *EXACT, *as_json)
    assert result.code == 0
    assert result.err.startswith("note: 1 of 1 recordings is not in the order of their start")


def test_columns_can_be_named(stepgraph: Run, put: Put) -> None:
    odd = put("odd.csv", "film;deed\n1;boil\n1;pour\n2;boil\n2;pour\n")
    result = stepgraph(
        "learn", odd, *EXACT, "--column", "recording=film", "--column", "step=deed", "--json"
    )
    assert result.json[0]["graph"]["steps"] == ["boil", "pour"]


def test_the_order_of_times_can_count(stepgraph: Run, put: Put) -> None:
    timed = put("timed.csv", "recording,step,start\n1,pour,20\n1,boil,10\n")
    needs = {}
    for order in ("file", "start"):
        (entry,) = stepgraph("learn", timed, *EXACT, "--order", order, "--json").json
        needs[order] = {edge["step"]: edge["needs"] for edge in entry["graph"]["edges"]}
    assert needs["file"]["boil"] == "pour"
    assert needs["start"]["pour"] == "boil"


@pytest.mark.parametrize("method", ["do", "intersection"])
@pytest.mark.parametrize(
    ("recordings", "edges"),
    [
        ({"anna": ["boil", "pour"]}, [("boil", "START"), ("pour", "boil"), ("END", "pour")]),
        ({"anna": ["boil"]}, [("boil", "START"), ("END", "boil")]),
        ({"anna": ["boil"], "ben": ["boil"]}, [("boil", "START"), ("END", "boil")]),
        (
            {"anna": ["boil", "pour", "boil"], "ben": ["boil", "pour", "boil"]},
            [("boil", "START"), ("pour", "boil"), ("END", "pour")],
        ),
    ],
    ids=["a single demonstration", "a single step", "duplicates", "repeated steps"],
)
def test_little_input_is_enough(
    recordings: dict[str, list[str]],
    edges: list[tuple[str, str]],
    method: str,
    stepgraph: Run,
    put: Put,
) -> None:
    little = put("little.csv", table(recordings))
    result = stepgraph("learn", little, "-m", method, "-o", "out.json")
    assert result.code == 0
    assert set(read_graph("out.json").edges) == set(edges)


@pytest.mark.real_data
def test_all_recipes_of_captaincook4d_are_learned_from_one_file(
    stepgraph: Run, data: Path, folder: Path
) -> None:
    path = data / "captaincook4d" / "task_graph_generation_annotations.json"
    result = stepgraph("learn", str(path), *EXACT, "-o", "graphs")
    assert result.code == 0
    scenarios = json.loads(path.read_text(encoding="utf-8"))["taxonomy"]
    assert len(result.lines) - 1 == len(list((folder / "graphs").iterdir())) == len(scenarios)


def test_several_procedures_go_to_one_file_of_json_lines(
    stepgraph: Run, put: Put, folder: Path
) -> None:
    several = put("several.csv", "procedure,recording,step\ntea,1,boil\nsoup,2,cut\n")
    result = stepgraph("learn", several, "-o", "all.jsonl")
    assert (result.code, result.lines) == (0, ["all.jsonl: 2 procedures learned"])
    graphs = [json.loads(line) for line in (folder / "all.jsonl").read_text().splitlines()]
    assert [graph["procedure"] for graph in graphs] == ["tea", "soup"]


def test_a_procedure_of_a_file_that_fails_stops_no_other(
    stepgraph: Run, put: Put, folder: Path
) -> None:
    rows = "procedure,recording,step,mistake\ntea,1,boil,\nsoup,2,cut,wrong\n"
    result = stepgraph("learn", put("several.csv", rows), *EXACT, "-o", "out")
    assert result.code == 1
    assert "error: soup: procedure 'soup': all 1 recordings have marked mistakes" in result.err
    assert "use --with-mistakes" in result.err
    assert result.lines[-1] == "out: 1 procedure learned, 1 failed"
    assert [path.name for path in (folder / "out").iterdir()] == ["tea.json"]


@pytest.mark.parametrize("output", ["graphs.txt", "graphs.svg", "graphs.json"])
def test_several_procedures_go_to_no_folder_that_is_called_like_a_file(
    stepgraph: Run, put: Put, folder: Path, output: str
) -> None:
    several = put("several.json", annotated({"tea": ["ab", "ab"], "soup": ["cd", "dc"]}))
    result = stepgraph("learn", several, *EXACT, "-o", output)
    assert (result.code, result.out) == (2, "")
    assert f"give a folder or a .jsonl file with -o, {output} is one file" in result.err
    assert not (folder / output).exists()
    assert stepgraph("learn", several, *EXACT, "-o", "graphs.v1").code == 0
