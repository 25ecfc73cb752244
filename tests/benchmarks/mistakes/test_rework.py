"""The benchmark of parts taken off and put on again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import run_benchmark
from benchmarks.datasets.rework import Assembly, Session
from benchmarks.harness import BenchmarkResult, MissingDataError
from benchmarks.mistakes.rework import METHODS, Watched, _pairs_found, folds
from stepgraph.graph import StepAttributes, TaskGraph, Undoing
from tests.benchmarks.rework_files import write_meccano, write_toys

ASSEMBLY = Assembly(
    "toy",
    tuple(
        Session(tuple(steps), group)
        for steps, group in (
            (("Install a", "Install b"), "1"),
            (("Install a", "Remove a", "Install a", "Install b"), "2"),
            (("Wrong a", "Remove a", "Install a", "Install b"), "2"),
        )
    ),
    "Remove ",
    "Install ",
)
GRAPH = TaskGraph.from_preconditions(
    {"Install b": ["Install a"], "Remove a": ["Install a"]}
).replace(attributes={"Remove a": StepAttributes(optional=True)})


def by_method(result: BenchmarkResult, data: str) -> dict[str, dict[str, Any]]:
    return {row["method"]: dict(row) for row in result.rows if row["data"] == data}


def test_putting_on_again_is_no_mistake_if_taking_off_undoes_it() -> None:
    steps = ASSEMBLY.sessions[1].steps
    without, with_it = Watched(), Watched()
    without.watch(GRAPH, steps, ASSEMBLY)
    with_it.watch(GRAPH.replace(undoings=[Undoing("Remove a", ["Install a"])]), steps, ASSEMBLY)
    assert without.flagged == {"removals": [False], "reinstalls": [True], "others": [False, False]}
    assert without.mistakes["reinstalls"] == {"needless": 1}
    assert with_it.flagged["reinstalls"] == [False]


def test_found_missed_and_extra_undoing_are_told_apart() -> None:
    steps = ["Install a", "Install b", "Remove a", "Wrong a"]
    graph = TaskGraph(
        steps,
        [],
        attributes={step: StepAttributes(optional=True) for step in steps},
        undoings=[
            Undoing("Remove a", ["Wrong a", "Install b"]),
            Undoing("Install a", ["Remove a"]),
        ],
    )
    row = _pairs_found([ASSEMBLY], [graph])
    assert (row["found"], row["expected"], row["expected_often"]) == (0, 1, 0)
    assert row["extra_pairs"] == ["Remove a undoes Install b"]  # the others are about one part
    (pair,) = row["pairs"]
    assert (pair["step"], pair["times"], pair["found"]) == ("Remove a", 2, False)
    right = graph.replace(undoings=[Undoing("Remove a", ["Install a"])])
    assert _pairs_found([ASSEMBLY], [right])["found"] == 1


def test_groups_are_held_out_whole_and_each_recording_once() -> None:
    parts = list(folds(ASSEMBLY))
    assert [(len(training), len(held_out)) for training, held_out in parts] == [(2, 1), (1, 2)]


def test_the_controls_are_the_same_graph_with_no_and_with_all_expected_undoing(
    tmp_path: Path,
) -> None:
    write_meccano(tmp_path, ["ia ib ic", "ia ra ia ib ic", "ia ib rb ib ic"] * 5)
    result = run_benchmark("rework", data=tmp_path)
    rows = by_method(result, "meccano-psr")
    assert list(rows) == list(METHODS)
    assert rows["without-undoing"]["found"] == 0
    assert rows["by-name"]["found"] == rows["by-name"]["expected"] == 2
    assert rows["by-name"]["extra"] == rows["by-name-both"]["extra"] == 0
    assert (rows["learned"]["removals"], rows["learned"]["reinstalls"]) == (10, 10)
    for row in rows.values():
        assert sum(row["removals_mistakes"].values()) == round(10 * row["removals_flagged"])
    assert rows["by-name"]["reinstalls_flagged"] == 0.0
    assert any(note.startswith("assembly101 was left out") for note in result.notes)
    assert any("take off a part" in note for note in result.notes)
    assert run_benchmark("rework", data=tmp_path).content() == result.content()


def test_assembly101_is_watched_whole_and_by_toy_with_its_marks_unseen(tmp_path: Path) -> None:
    write_toys(
        tmp_path,
        [
            (f"90{number:02}", "b06", "+x +y" if number % 2 else "+x -x +x +y")
            for number in range(12)
        ],
    )
    result = run_benchmark("rework", data=tmp_path, methods=["without-undoing"])
    for data in ("assembly101", "assembly101-toys"):
        row = by_method(result, data)["without-undoing"]
        assert (row["recordings"], row["removals"], row["expected"]) == (12, 6, 1)
    assert len(result.table()) == 2


def test_it_needs_some_data(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError):
        run_benchmark("rework", data=tmp_path)
