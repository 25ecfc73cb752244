from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import pytest

from stepgraph.pipeline.workers import Workers
from tests.cli.running import Put, Run
from tests.logs.conftest import TEA

pytest.importorskip("duckdb")
pytest.importorskip("joblib")

TWO = "case,activity,product\n1,a,x\n1,b,x\n2,b,y\n2,a,y\n3,a,x\n3,b,x\n"


@pytest.fixture
def two(put: Put) -> str:
    return put("two.csv", TWO)


def test_inspect_says_what_a_log_holds(stepgraph: Run, put: Put) -> None:
    result = stepgraph("inspect", put("tea.csv", TEA))
    assert result.code == 0
    assert result.lines[0] == "tea.csv: 3 recordings, 2 steps, 2 variants, 1 procedure, 6 events"
    assert any(line.startswith("pour > boil") and "66.7 %" in line for line in result.lines)
    assert result.notes[0].startswith("note: columns guessed: recording = 'case id'")


def test_inspect_prints_json_for_machines(stepgraph: Run, put: Put) -> None:
    profile = stepgraph("inspect", put("tea.csv", TEA), "--json").json
    assert profile["recordings"] == 3
    assert profile["columns"]["start"] == "timestamp"


def test_a_procedure_column_gives_one_graph_each(stepgraph: Run, two: str, folder: Path) -> None:
    result = stepgraph(
        "learn", two, "--procedure-column", "product", "-m", "intersection", "-o", "out"
    )
    assert result.code == 0
    assert result.lines[-1] == "out: 2 procedures learned"
    graphs = {path.stem: json.loads(path.read_text()) for path in (folder / "out").iterdir()}
    assert graphs["x"]["provenance"]["recordings"] == 2
    assert {"step": "b", "needs": "a"}.items() <= graphs["x"]["edges"][1].items()
    assert not (folder / "out.unfinished").exists()


def test_all_graphs_may_go_to_one_file(stepgraph: Run, two: str, folder: Path) -> None:
    result = stepgraph(
        "learn", two, "--procedure-column=product", "-m", "intersection", "-o", "g.jsonl"
    )
    assert result.code == 0
    lines = [json.loads(line) for line in (folder / "g.jsonl").read_text().splitlines()]
    assert [graph["procedure"] for graph in lines] == ["x", "y"]


def test_a_log_of_one_procedure_is_drawn(stepgraph: Run, two: str) -> None:
    result = stepgraph("learn", two, "--format", "log", "-m", "intersection")
    assert result.lines[0] == "two: 2 steps, 4 edges"
    chosen = stepgraph(
        "learn", two, "--procedure-column", "product", "--procedure", "y", "-m", "intersection"
    )
    assert chosen.lines[0] == "y: 2 steps, 3 edges"


def test_several_procedures_need_a_place_to_go(stepgraph: Run, two: str) -> None:
    result = stepgraph("learn", two, "--procedure-column", "product", "-m", "intersection")
    assert result.code == 2
    assert "two.csv: 2 procedures; give a folder or a .jsonl file with -o" in result.err
    assert stepgraph(
        "learn", two, "--procedure-column", "product", "-m", "intersection", "-o", "one.json"
    ).code == 2  # fmt: skip


def test_what_is_known_of_a_procedure_counts_for_a_log_too(stepgraph: Run, two: str) -> None:
    asked = ("learn", two, "--procedure-column", "product", "--json", "-m", "fusion")
    for stated, expected in (("--never", None), ("--must", ("a", "b"))):
        edge = "b>a" if stated == "--never" else "a>b"
        (learned,) = stepgraph(*asked, "--procedure", "x", stated, edge).json
        found = {(edge["step"], edge["needs"]) for edge in learned["graph"]["edges"]}
        assert ("b", "a") not in found
        assert expected is None or expected in found
    several = stepgraph(*asked, "--must", "b>a")
    assert several.code == 2
    assert (
        "2 procedures; a prior, must, never, one of, undoes or why is of one procedure"
        in several.err
    )


def test_a_file_gives_the_same_graph_whoever_reads_it(stepgraph: Run) -> None:
    assert stepgraph("example", "pancakes").code == 0
    plain = stepgraph("learn", "pancakes.csv", "--json").json[0]["graph"]
    as_log = stepgraph("learn", "pancakes.csv", "--json", "--min-step", "1").json[0]["graph"]
    assert plain["steps"] == as_log["steps"]
    assert len(plain["edges"]) == len(as_log["edges"])
    for one, other in zip(plain["edges"], as_log["edges"], strict=True):
        assert (one["step"], one["needs"]) == (other["step"], other["needs"])


def test_an_option_of_logs_filters_a_small_file(stepgraph: Run, put: Put) -> None:
    path = put("tea.csv", TEA)
    asked = ("learn", path, "-m", "intersection", "--json")
    rows = stepgraph(*asked).json[0]["graph"]
    common = stepgraph(*asked, "--min-variant", "2", "--order", "start").json[0]["graph"]
    needs = [[edge["needs"] for edge in graph["edges"]] for graph in (rows, common)]
    assert needs == [["START", "START", "boil", "pour"], ["START", "boil", "pour"]]


def test_a_failed_procedure_is_reported_and_the_others_are_written(
    stepgraph: Run, two: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stepgraph.learners.intersection import Intersection

    learn = Intersection.learn

    def fail(self: Intersection, given: object, *, seed: int = 0) -> object:
        if getattr(given, "procedure", "") == "y":
            raise ValueError("oh")
        return learn(self, given, seed=seed)  # type: ignore[arg-type]

    monkeypatch.setattr(Intersection, "learn", fail)
    result = stepgraph(
        "learn", two, "--procedure-column", "product", "-m", "intersection", "-o", "out",
        "--workers", "1",
    )  # fmt: skip
    assert result.code == 1
    assert "error: y: ValueError: oh" in result.notes
    assert [path.name for path in (folder / "out").iterdir()] == ["x.json"]
    assert result.lines[-1] == "out: 1 procedure learned, 1 failed"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--step-column", "activty"], "unknown column 'activty'; did you mean 'activity'?"),
        (["--since", "yesterday"], "error: --since is 'yesterday'; expected a date"),
        (["--top-variants", "0"], "error: --top-variants is 0"),
        (["--workers", "0"], "error: --workers is 0"),
        (["--complete", "--must", "a>b"], "takes no --prior, --must or --never"),
        (["--format", "log", "--order", "time"], "error: --order is 'time'"),
        (["--memory", "lots"], "error: --memory is 'lots'; expected a size such as 1GB"),
        (["--memory", "1GB' --"], "expected a size such as 1GB"),
        (
            ["--since", "2024-05-02", "--until", "2024-05-01"],
            "error: --since 2024-05-02 is later than --until 2024-05-01",
        ),
        (["--first-step", "z"], "unknown step 'z'"),
        (["--format", "log", "--procedure", "z"], "unknown procedure 'z'"),
    ],
)
def test_what_cannot_be_is_one_clear_message(
    options: list[str], message: str, stepgraph: Run, two: str, folder: Path
) -> None:
    result = stepgraph("learn", two, "-m", "intersection", "-o", "out.json", *options)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert len(result.notes) <= 3
    assert sorted(path.name for path in folder.iterdir()) == ["two.csv"]


def test_a_scheduler_that_is_not_there_is_one_clear_message(
    stepgraph: Run, two: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("stepgraph.pipeline.workers.Workers", partial(Workers, patience=0.5))
    result = stepgraph("learn", two, "-m", "intersection", "--scheduler", "tcp://127.0.0.1:9")
    assert (result.code, result.out) == (2, "")
    assert "error: the scheduler 'tcp://127.0.0.1:9' did not answer" in result.notes[-1]


def test_a_file_too_large_to_be_read_at_once_says_how_to_read_it(
    stepgraph: Run, two: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepgraph.cli.recordings.LARGEST_FILE", 10)
    result = stepgraph("learn", two, "-m", "intersection")
    assert result.code == 2
    assert "read it as an event log with --format log" in result.err


def test_without_the_extra_the_message_says_what_to_install(
    stepgraph: Run, two: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    result = stepgraph("learn", two, "--format", "log", "-m", "intersection")
    assert result.code == 2
    assert "pip install 'stepgraph[logs]'" in result.err


@pytest.mark.parametrize("name", ["missing.csv", "graph.json"])
def test_nothing_is_to_be_installed_for_what_is_no_log(
    stepgraph: Run, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    result = stepgraph("inspect", name)
    assert result.code == 2
    assert "install" not in result.err


@pytest.mark.parametrize(
    "options",
    [
        "--since 2024-01-01",
        "--step-column activity",
        "--min-variant 3",
        "--complete",
    ],
)
def test_options_of_logs_with_another_format_are_refused(
    stepgraph: Run, put: Put, options: str
) -> None:
    log = put("log.csv", "case,activity\n1,a\n1,b\n")
    result = stepgraph("learn", log, "--format", "csv", *options.split())
    option = options.split()[0]
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"error: {option} is for event logs, and --format csv says that this is none; use --format "
        f"log, or leave {option} out\n"
    )


def test_a_procedure_column_makes_a_folder_of_one_procedure_too(
    stepgraph: Run, put: Put, folder: Path
) -> None:
    one = put("one.csv", "case,activity,product\n1,a,x\n1,b,x\n")
    asked = ("learn", one, "--procedure-column", "product", "-m", "intersection", "-o")
    assert stepgraph(*asked, "out").code == 0
    assert [path.name for path in (folder / "out").iterdir()] == ["x.json"]
    assert stepgraph(*asked, "one.json").code == 0
    assert (folder / "one.json").is_file()


def test_a_procedure_with_a_long_name_has_a_file_with_a_shorter_one(
    stepgraph: Run, put: Put, folder: Path
) -> None:
    rows = "".join(f"1,{step},{name}\n" for name in ("é" * 300, "é" * 301, "x") for step in "ab")
    log = put("long.csv", f"case,activity,product\n{rows}")
    result = stepgraph(
        "learn", log, "--procedure-column", "product", "-m", "intersection", "-o", "out"
    )
    assert result.code == 0
    names = sorted(path.name for path in (folder / "out").iterdir())
    assert names == ["x.json", f"{'é' * 100} (2).json", f"{'é' * 100}.json"]
    assert json.loads((folder / "out" / names[1]).read_text())["procedure"] == "é" * 301
