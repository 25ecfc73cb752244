"""Whatever cannot be used ends the program with one message and leaves nothing behind."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.cli.running import Put, Run, files_in
from tests.cli.samples import SANDWICH, SANDWICH_GRAPH, annotated, graph_json, table

Files = dict[str, "str | bytes"]


@dataclass(frozen=True)
class Case:
    """A command line, the files it finds and what the message says."""

    arguments: str
    says: str
    files: Files = field(default_factory=dict)

    @property
    def words(self) -> list[str]:
        return self.arguments.split()


LEARN = "learn demos.csv -m intersection -o out.json"
CYCLE = graph_json([("mix", "START"), ("mix", "fry"), ("fry", "mix"), ("END", "fry")])
OTHER_STEPS = graph_json([("drill", "START"), ("END", "drill")], "shelf")
NAN = SANDWICH_GRAPH.replace('"needs": "stack"}', '"needs": "stack", "weight": NaN}')
UNLISTED_STEP = json.loads(annotated({"tea": ["ab"]}))
UNLISTED_STEP["annotations"]["tea-0"]["segments"][0]["step_id"] = 7
NO_STEPS = json.dumps(
    {
        "format": "stepgraph-demonstrations",
        "version": 1,
        "procedure": "tea",
        "steps": ["boil"],
        "demonstrations": [{"id": "anna", "steps": []}],
    }
)
NO_RECORDINGS = json.dumps(
    {
        "format": "stepgraph-demonstrations",
        "version": 1,
        "procedure": "tea",
        "steps": ["boil"],
        "demonstrations": [],
    }
)
SEVERAL = annotated({"tea": ["ab", "ba"], "soup": ["cd", "dc"]})

CASES = {
    "an empty file": Case(LEARN, "demos.csv: the file is empty", {"demos.csv": ""}),
    "a file of blanks": Case(LEARN, "demos.csv: the file is empty", {"demos.csv": " \n\n "}),
    "a table without rows": Case(LEARN, "demos.csv: ", {"demos.csv": "recording,step\n"}),
    "no recordings": Case(
        "learn demos.json -m intersection -o out.json",
        "demos.json: ",
        {"demos.json": NO_RECORDINGS},
    ),
    "a recording with no steps": Case(
        "learn demos.json -m intersection -o out.json", "'anna'", {"demos.json": NO_STEPS}
    ),
    "an unknown column": Case(
        f"{LEARN} --column step=stp",
        "unknown column 'stp'; did you mean 'step'?",
        {"demos.csv": SANDWICH},
    ),
    "an unknown role of a column": Case(
        f"{LEARN} --column stp=step",
        "unknown column role 'stp'; did you mean 'step'",
        {"demos.csv": SANDWICH},
    ),
    "a column and what it holds exchanged": Case(
        f"{LEARN} --column Person=recording",
        "--column Person=recording: 'recording' is what a column holds, and comes first: --column "
        "recording=Person",
        {"demos.csv": SANDWICH},
    ),
    "a table called text": Case(
        "learn demos.txt -m intersection -o out.json",
        "demos.txt: a table, by its first line ('recording', 'step'); name the file .csv, or say "
        "--format csv",
        {"demos.txt": SANDWICH},
    ),
    "a table of tabs called text": Case(
        "learn demos.txt -m intersection -o out.json",
        "demos.txt: a table, by its first line ('recording', 'step')",
        {"demos.txt": SANDWICH.replace(",", "\t")},
    ),
    "steps in a file for watch": Case(
        "watch graph.json steps.txt",
        "steps come from standard input, as in: stepgraph watch GRAPH < FILE (see 'stepgraph "
        "watch --help')",
        {"graph.json": SANDWICH_GRAPH, "steps.txt": "stack"},
    ),
    "standard output in place of a file": Case(
        "learn demos.csv -m intersection -o -",
        "-: nothing is written to standard output but with --json; name a file",
        {"demos.csv": SANDWICH},
    ),
    "a known graph in place of recordings": Case(
        "learn known.json -m intersection -o out.json",
        "known.json: a task graph, expected recordings; 'stepgraph show'",
        {"known.json": '{"steps": {"1": "mix"}, "edges": []}'},
    ),
    "CaptainCook4D's recordings in place of a graph": Case(
        "check steps.json graph.json",
        "steps.json: recordings, expected a task graph; 'stepgraph learn' makes one from them",
        {"steps.json": '{"1_7": {"activity_name": "tea", "steps": []}}', "graph.json": "{}"},
    ),
    "a table without a column of steps": Case(
        LEARN, "demos.csv: ", {"demos.csv": "who,what else\nanna,boil\n"}
    ),
    "a step missing from the taxonomy": Case(
        "learn demos.json -m intersection -o out.json",
        "7",
        {"demos.json": json.dumps(UNLISTED_STEP)},
    ),
    "a graph with a cycle": Case(
        "convert graph.json -o out.dot",
        "graph.json: these steps need each other: 'mix' needs 'fry' needs 'mix'",
        {"graph.json": CYCLE},
    ),
    "a graph with a cycle, to show": Case(
        "show graph.json", "graph.json: these steps need each other", {"graph.json": CYCLE}
    ),
    "a graph with a cycle, to check by": Case(
        "check graph.json demos.csv",
        "graph.json: these steps need each other",
        {"graph.json": CYCLE, "demos.csv": SANDWICH},
    ),
    "a truth graph with a cycle": Case(
        "evaluate graph.json truth.json",
        "truth.json: these steps need each other",
        {"graph.json": SANDWICH_GRAPH, "truth.json": CYCLE},
    ),
    "a truth graph over other steps": Case(
        "evaluate graph.json truth.json",
        "graph.json and truth.json: 4 of the 4 steps are not in the known graph",
        {"graph.json": SANDWICH_GRAPH, "truth.json": OTHER_STEPS},
    ),
    "broken JSON for recordings": Case(
        "learn demos.json -m intersection -o out.json",
        "demos.json: line 1, column 2: not JSON",
        {"demos.json": "{annotations: }"},
    ),
    "broken JSON for a graph": Case(
        "show graph.json", "graph.json: line 1, column ", {"graph.json": SANDWICH_GRAPH[:-1]}
    ),
    "a wrong encoding": Case(
        LEARN, "is not UTF-8", {"demos.csv": SANDWICH.replace("eat", "kürzen").encode("latin-1")}
    ),
    "a wrong encoding of a graph": Case(
        "show graph.json",
        "is not UTF-8",
        {"graph.json": SANDWICH_GRAPH.encode("utf-16")},
    ),
    "a directory in place of recordings": Case("learn . -m intersection", ".: a folder"),
    "a directory in place of a graph": Case("show .", ".: a folder"),
    "a directory in place of a truth": Case(
        "evaluate graph.json .", ".: a folder", {"graph.json": SANDWICH_GRAPH}
    ),
    "a missing file": Case("show graph.json", "graph.json: no such file"),
    "a net that is no partial order": Case(
        "show net.pnml",
        "net.pnml: no start; expected a place that no transition leads to",
        {"net.pnml": "<pnml><net id='n'/></pnml>"},
    ),
    "a process with entities": Case(
        "convert process.bpmn -o out.json",
        "process.bpmn: line 1: a document type declaration",
        {"process.bpmn": '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'},
    ),
    "a cost without a kind": Case(
        "align graph.json demos.csv --cost 3", "--cost '3': expected KIND=X or KIND:STEP=X"
    ),
    "a cost of an unknown kind": Case(
        "align graph.json demos.csv --cost skiped=3", "did you mean 'skipped'?"
    ),
    "a cost that is no number": Case(
        "align graph.json demos.csv --cost skipped=dear", "'dear' is not a number"
    ),
    "a cost below nothing": Case(
        "align graph.json demos.csv --cost skipped=-1", "expected a number from 0 on"
    ),
    "a cost given twice": Case(
        "align graph.json demos.csv --cost skipped:eat=1 --cost skipped:eat=2",
        "'skipped:eat' is given twice",
    ),
    "a cost of a step that the graph lacks": Case(
        "align graph.json demos.csv --cost skipped:eet=1",
        "unknown step 'eet'; did you mean 'eat'?",
        {"graph.json": SANDWICH_GRAPH, "demos.csv": SANDWICH},
    ),
    "recordings of another procedure, to align": Case(
        "align graph.json demos.csv",
        "none of its 4 steps is in the graph",
        {"graph.json": OTHER_STEPS, "demos.csv": SANDWICH},
    ),
    "NaN weights": Case("convert graph.json -o out.dot", "NaN", {"graph.json": NAN}),
    "an unknown method": Case(
        "learn demos.csv -m intersektion -o out.json",
        "unknown method 'intersektion'; did you mean 'intersection'?",
        {"demos.csv": SANDWICH},
    ),
    "an unknown method to list": Case("methods intersektion", "did you mean 'intersection'?"),
    "an unknown setting": Case(
        "learn demos.csv -m do --set betta=1 -o out.json",
        "unknown setting 'betta'; did you mean 'beta'?",
        {"demos.csv": SANDWICH},
    ),
    "an unknown setting that is a word of Python's": Case(
        f"{LEARN} --set progress=1", "unknown setting", {"demos.csv": SANDWICH}
    ),
    "a setting with an option of its own": Case(
        f"{LEARN} --set seed=1", "use the option --seed instead", {"demos.csv": SANDWICH}
    ),
    "a setting that is no number": Case(
        "learn demos.csv -m do --set beta=much -o out.json",
        "--set beta=much: expected a number",
        {"demos.csv": SANDWICH},
    ),
    "a setting that is no whole number": Case(
        "learn demos.csv -m do --set epochs=1.5 -o out.json",
        "--set epochs=1.5: expected a whole number",
        {"demos.csv": SANDWICH},
    ),
    "a setting out of range": Case(
        "learn demos.csv -m do --set beta=-1 -o out.json", "beta is -1", {"demos.csv": SANDWICH}
    ),
    "a setting without a value": Case(
        f"{LEARN} --set beta", "--set 'beta': expected NAME=VALUE", {"demos.csv": SANDWICH}
    ),
    "a setting given twice": Case(
        f"{LEARN} --set beta=1 --set beta=2", "'beta' is given twice", {"demos.csv": SANDWICH}
    ),
    "an unknown policy for repetitions": Case(
        f"{LEARN} --repetitions frst", "error: --repetitions is 'frst'", {"demos.csv": SANDWICH}
    ),
    "an unknown order": Case(f"{LEARN} --order strt", "'strt'", {"demos.csv": SANDWICH}),
    "an order by times that are not there": Case(
        f"{LEARN} --order start", "lacks start times", {"demos.csv": SANDWICH}
    ),
    "a threshold that is no number": Case(
        f"{LEARN} --threshold nan", "the threshold is nan", {"demos.csv": SANDWICH}
    ),
    "a seed too large": Case(
        f"{LEARN} --seed 99999999999999999999", "99999999999999999999", {"demos.csv": SANDWICH}
    ),
    "a negative seed": Case(f"{LEARN} --seed -1", "-1", {"demos.csv": SANDWICH}),
    "an unknown format": Case(
        f"{LEARN} --format cvs",
        "unknown format 'cvs'; did you mean 'csv'?",
        {"demos.csv": SANDWICH},
    ),
    "error annotations for a table": Case(
        f"{LEARN} --errors errors.json",
        "demos.csv: --errors is of no use to the format 'csv'",
        {"demos.csv": SANDWICH, "errors.json": "[]"},
    ),
    "an ending that tells no format": Case(
        "learn demos.odd -m intersection", "'.odd'", {"demos.odd": SANDWICH}
    ),
    "a spreadsheet": Case(
        "learn demos.xlsx -m intersection", "save it as CSV", {"demos.xlsx": b"PK\x03\x04\xff"}
    ),
    "a video": Case("learn tape.MP4", "a list of the steps in it", {"tape.MP4": b"\0\0\xff"}),
    "recordings from a pipe": Case("learn -", "-: standard input is not read here"),
    "help on what is no command": Case("help lern", "'lern'"),
    "an unknown procedure of a file": Case(
        "learn demos.json -m intersection --procedure soop -o out.json",
        "unknown procedure 'soop'; did you mean 'soup'?",
        {"demos.json": SEVERAL},
    ),
    "an unknown procedure that ships with stepgraph": Case(
        "example pancake -o out", "unknown procedure 'pancake'; did you mean 'pancakes'?"
    ),
    "several procedures and no place for them": Case(
        "learn demos.json -m intersection",
        "demos.json: 2 procedures; give a folder or a .jsonl file with -o, or choose one with "
        "--procedure NAME: 'tea', 'soup'",
        {"demos.json": SEVERAL},
    ),
    "several procedures and one file": Case(
        "learn demos.json -m intersection -o out.json",
        "out.json is one file",
        {"demos.json": SEVERAL},
    ),
    "several procedures to check, none of them the graph's": Case(
        "check graph.json demos.json",
        "none called 'sandwich' as the graph is; choose one with --procedure NAME: 'tea', 'soup'",
        {"graph.json": SANDWICH_GRAPH, "demos.json": SEVERAL},
    ),
    "a graph in place of recordings": Case(
        "learn graph.json -o out.json",
        "graph.json: a task graph, expected recordings",
        {"graph.json": SANDWICH_GRAPH},
    ),
    "recordings in place of a graph": Case(
        "show demos.json", "demos.json: ", {"demos.json": NO_STEPS}
    ),
    "a table in place of a graph": Case(
        "check demos.csv graph.json",
        "demos.csv: ",
        {"demos.csv": SANDWICH, "graph.json": SANDWICH_GRAPH},
    ),
    "recordings of another procedure": Case(
        "check graph.json demos.csv",
        "is this a recording of another procedure?",
        {"graph.json": SANDWICH_GRAPH, "demos.csv": table({"anna": ["drill", "screw"]})},
    ),
    "an ending that names no format to convert to": Case(
        "convert graph.json -o out.yaml",
        "out.yaml: the ending '.yaml' names no format; expected .json, .dot",
        {"graph.json": SANDWICH_GRAPH},
    ),
    "an ending that names no format to learn to": Case(
        "learn demos.csv -m intersection -o out.yaml",
        "out.yaml: the ending '.yaml' names no format",
        {"demos.csv": SANDWICH},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_bad_input_gives_one_message_and_no_output(
    case: Case, stepgraph: Run, put: Put, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STEPGRAPH_DATA", raising=False)
    for name, content in case.files.items():
        put(name, content)
    result = stepgraph(*case.words)
    assert result.code == 2
    assert result.out == ""
    (message,) = result.notes
    assert message.startswith("error: ")
    assert case.says in message
    assert files_in(folder) == sorted(case.files)


USAGE = {
    "lern demos.csv": "no such command 'lern'. Did you mean 'learn'? (see 'stepgraph --help')",
    "learn": "no recordings; name their file",
    "check": "missing argument 'GRAPH' (see 'stepgraph check --help')",
    "learn demos.csv --sed 1": "(see 'stepgraph learn --help')",
    "learn demos.csv --seed one": "invalid value for '--seed': 'one' is not a whole number",
    "learn demos.csv --workers two": "'two' is not a whole number",
    "learn demos.csv --threshold high": "'high' is not a number",
    "learn demos.csv --set": "option '--set' requires an argument",
    "show graph.json twice.json": "(see 'stepgraph show --help')",
    "convert graph.json": "missing option '--output'",
    "evaluate graph.json": "missing argument 'TRUTH'",
    "--nope": "no such option: --nope",
    "check --errors x": (
        "no such option: --errors; 'stepgraph learn', 'stepgraph report' and 'stepgraph "
        "calibrate' have it"
    ),
    "show --why x": "no such option: --why; 'stepgraph learn' has it (see 'stepgraph show --help')",
    "methods --nonsense x": "no such option: --nonsense (see 'stepgraph methods --help')",
}


@pytest.mark.parametrize("arguments", USAGE)
def test_a_wrong_call_gives_one_message_that_points_at_the_help(
    arguments: str, stepgraph: Run
) -> None:
    result = stepgraph(*arguments.split())
    assert (result.code, result.out) == (2, "")
    (message,) = result.notes
    assert message.startswith("error: ")
    assert USAGE[arguments] in message


def test_control_characters_of_a_name_never_reach_the_terminal(stepgraph: Run, put: Put) -> None:
    put("demos.csv", table({"anna": ["slice bread", "\x1b[2Jbell\x07"]}))
    put("graph.json", SANDWICH_GRAPH)
    result = stepgraph("check", "graph.json", "demos.csv")
    assert result.code == 1
    assert "\x1b" not in result.out + result.err
    assert r"\x1b[2Jbell\x07" in result.out
