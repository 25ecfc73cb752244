from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import BENCHMARKS
from tests.cli.running import Run, files_in
from tests.cli.samples import two_recipes

ROOT = Path(__file__).parents[2]


@pytest.fixture
def recipes(folder: Path) -> str:
    return str(two_recipes(folder / "data"))


def test_every_benchmark_is_listed(bench: Run) -> None:
    result = bench()
    assert result.code == 0
    assert [line.split()[0] for line in result.lines[2:]] == list(BENCHMARKS)


def test_only_the_recipes_of_the_data_directory_are_used(
    bench: Run, recipes: str, folder: Path
) -> None:
    result = bench("captaincook4d", "--data", recipes, "--methods", "intersection", "-o", "b.json")
    assert result.code == 0
    assert result.lines[0].startswith("CaptainCook4D, 2 recipes, 4 recordings")
    content = json.loads((folder / "b.json").read_text(encoding="utf-8"))
    (row,) = content["rows"]
    assert [entry["procedure"] for entry in row["procedures"]] == ["chain", "free"]
    assert (row["precision"], row["recall"], row["f1"]) == (1.0, 1.0, 1.0)


def test_the_data_directory_may_come_from_the_environment(
    bench: Run, recipes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPGRAPH_DATA", recipes)
    result = bench("captaincook4d", "--methods", "intersection")
    assert result.lines[0].startswith("CaptainCook4D, 2 recipes")


def test_methods_come_by_falling_f1_with_the_papers_figures_beside_them_and_then_p(
    bench: Run, recipes: str
) -> None:
    result = bench(
        "captaincook4d", "--data", recipes, "--methods", "do, intersection", "--seeds", "2"
    )
    table = result.lines[result.lines.index("") + 1 :]
    assert "paper's P / R / F1" in table[0]
    assert [line.split()[0] for line in table[2:4]] == ["intersection", "do"]
    assert table[3].endswith("86.4 / 89.7 / 87.8 ± 1.5")
    assert any("do: 0.0, p = 1" in line for line in table[4:])


def test_notes_on_the_figures_go_to_the_error_stream(bench: Run, recipes: str) -> None:
    result = bench("captaincook4d", "--data", recipes, "--methods", "intersection")
    assert result.notes
    assert all(note.startswith("note: ") for note in result.notes)


def test_an_unknown_method_is_refused_with_the_nearest_name(bench: Run, recipes: str) -> None:
    result = bench("captaincook4d", "--data", recipes, "--methods", "intersektion")
    assert (result.code, result.out) == (2, "")
    assert result.err == "error: unknown method 'intersektion'; did you mean 'intersection'?\n"


def test_methods_may_be_listed_with_blanks_or_in_several_options(bench: Run, recipes: str) -> None:
    arguments = ("captaincook4d", "--data", recipes, "--methods", "msgi, intersection,")
    result = bench(*arguments, "--methods", "msg2", "--json")
    assert [row["method"] for row in result.json["rows"]] == ["msgi", "intersection", "msg2"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("captaincook", "unknown benchmark 'captaincook'; did you mean 'captaincook4d'?"),
        ("captaincook4d", "no data directory: set"),
        ("captaincook4d --data nowhere", "nowhere: no such data directory"),
        ("captaincook4d --data .", "task_graph_generation_annotations.json is missing"),
        ("captaincook4d --data . --methods ,", "--methods ',': expected one or more names"),
        ("captaincook4d --data . --seeds 0", "--seeds"),
        ("captaincook4d --sed 1", "no such option: --sed"),
        ("captaincook4d twice", "(see 'python -m benchmarks --help')"),
        ("data fetch", "missing argument 'NAME' (see 'python -m benchmarks data fetch --help')"),
        ("simulate --seed -1", "-1 is not in the range x>=0"),
        ("simulate nonsense", "unknown procedure 'nonsense'"),
    ],
)
def test_bad_input_gives_one_message_and_no_output(
    bench: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, says: str
) -> None:
    monkeypatch.delenv("STEPGRAPH_DATA", raising=False)
    result = bench(*arguments.split())
    assert (result.code, result.out) == (2, "")
    (message,) = result.notes
    assert message.startswith("error: ")
    assert says in message
    assert files_in(folder) == []


@pytest.mark.parametrize("arguments", [(), ("data",), ("data", "fetch"), ("paper",), ("simulate",)])
def test_every_command_has_a_help_with_an_example(bench: Run, arguments: tuple[str, ...]) -> None:
    result = bench(*arguments, "--help")
    assert (result.code, result.err) == (0, "")
    assert f"Usage: {' '.join(('python -m benchmarks', *arguments))} " in result.out
    assert f"Example: {' '.join(('python -m benchmarks', *arguments))} " in result.out


def test_it_runs_as_a_program_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--json"], cwd=ROOT, capture_output=True, check=True
    )
    assert [entry["name"] for entry in json.loads(done.stdout)] == list(BENCHMARKS)


@pytest.mark.real_data
def test_the_intersection_order_reaches_its_known_figures(
    bench: Run, data: Path, folder: Path
) -> None:
    result = bench(
        "captaincook4d",
        "--data",
        str(data),
        "--methods",
        "intersection",
        "-o",
        "b.json",
    )
    assert result.code == 0
    content = json.loads((folder / "b.json").read_text(encoding="utf-8"))
    assert content["benchmark"] == "captaincook4d"
    assert content["environment"]["python"]
    (row,) = content["rows"]
    assert row["method"] == "intersection"
    assert row["f1_interval90"] == 0
    assert row["seconds"] > 0
    figures = [round(row[name], 3) for name in ("precision", "recall", "f1")]
    assert figures == [0.881, 0.917, 0.897]


def test_json_is_all_that_is_printed_where_machines_read(
    bench: Run, recipes: str, folder: Path
) -> None:
    arguments = ("captaincook4d", "--data", recipes, "--methods", "intersection")
    result = bench(*arguments, "-o", "b.json", "--json")
    assert (result.code, result.err) == (0, "")
    kept = json.loads((folder / "b.json").read_text(encoding="utf-8"))
    assert set(result.json) == set(kept)
    assert result.json["rows"] == kept["rows"]


def test_the_list_of_benchmarks_is_there_for_machines(bench: Run) -> None:
    assert [entry["name"] for entry in bench("--json").json] == list(BENCHMARKS)


def test_simulated_features_are_called_so_and_can_be_trained_on(bench: Run, folder: Path) -> None:
    result = bench("simulate", "-o", "camera", "--recordings", "2", "--test", "2")
    assert result.code == 0, result.err
    assert "simulated" in result.out
    assert "no video was involved" in result.err
    assert sorted(path.name for path in (folder / "camera" / "rgb").iterdir()) == [
        "session-01.npy",
        "session-02.npy",
    ]
    names = {path.name for path in (folder / "camera").iterdir()}
    assert names == {"rgb", "flow", "labels", "test", "classes.txt", "graph.json"}
