"""The benchmark of runs of processes whose nets are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import run_benchmark
from benchmarks.datasets.contest import traces
from benchmarks.datasets.petri_nets import PetriNet, read_processes
from benchmarks.harness import BenchmarkResult, MissingDataError
from benchmarks.mistakes.powl import CHANGES, METHODS, RUNS, draw_runs, half_of, training_of
from tests.benchmarks.net_files import CHOICE_AND_LOOP, net_text, write_net

CHAIN = ("s a p", "p b q", "q c e")


@pytest.fixture
def processes(tmp_path: Path) -> Path:
    write_net(tmp_path, "01", CHAIN, ["abc"])
    write_net(tmp_path, "02", CHOICE_AND_LOOP, ["abd", "acd", "abbd", "abcd"])
    return tmp_path


def by_method(result: BenchmarkResult, data: str = "powl") -> dict[str, dict[str, Any]]:
    return {row["method"]: dict(row) for row in result.rows if row["data"] == data}


def test_disturbed_runs_are_rejected_by_the_net_and_others_accepted() -> None:
    net = PetriNet.from_pnml(net_text(CHOICE_AND_LOOP))
    drawn = draw_runs(net, "seed")
    assert all(map(net.accepts, drawn.fitting))
    assert not any(map(net.accepts, drawn.others))
    assert len(drawn.fitting) == len(drawn.others) == RUNS
    assert set(drawn.changes) == set(CHANGES)
    assert drawn.labels.count(True) == RUNS
    assert draw_runs(net, "seed") == drawn != draw_runs(net, "other seed")


def test_a_net_that_accepts_everything_has_no_disturbed_runs() -> None:
    anything = PetriNet.from_pnml(net_text(["s a s", "s b s", "s  e"]))
    assert draw_runs(anything, "seed", count=4).others == ()


def test_rows_have_means_over_processes_with_intervals_and_comparisons(processes: Path) -> None:
    result = run_benchmark("powl", data=processes)
    rows = by_method(result)
    assert list(rows) == list(METHODS)
    for row in rows.values():
        assert [entry["procedure"] for entry in row["processes"]] == ["01", "02"]
        single = [entry["accuracy"] for entry in row["processes"]]
        assert row["accuracy"] == pytest.approx(sum(single) / 2)
        assert row["accuracy_low90"] <= row["accuracy"] <= row["accuracy_high90"]
        assert row["traces"] == 4 * RUNS
    assert rows["always-fits"]["accuracy"] == 0.5
    assert "next_below" not in rows["always-fits"]
    assert rows["monitor"]["differs_from"] == {"valid": 0, "align": 0}


def test_memory_knows_the_log_alone(processes: Path) -> None:
    memory = by_method(run_benchmark("powl", data=processes, methods=["memory"]))["memory"]
    chain, loop = memory["processes"]
    assert chain["accuracy"] == 1.0
    assert memory["true_negative_rate"] == 1.0
    assert loop["true_positive_rate"] < 1.0  # a loop goes on longer than in the log
    assert memory["unseen"] > 0
    assert memory["unseen_true_positive_rate"] == 0.0
    assert set(memory["rejected"].values()) == {1.0}


def test_half_of_a_log_teaches_memory_less(processes: Path) -> None:
    result = run_benchmark("powl", data=processes, methods=["memory"])
    whole, half = (by_method(result, data)["memory"] for data in ("powl", "powl-half"))
    assert half["processes"][0] == whole["processes"][0]  # one trace has no smaller half
    assert half["unseen"] > whole["unseen"]
    assert half["accuracy"] < whole["accuracy"]
    training = training_of(read_processes(processes)[1])
    part = half_of(training, "02")
    assert len(part) == 2
    assert set(traces(part)) < set(traces(training))


def test_a_chain_is_learned(processes: Path) -> None:
    valid = by_method(run_benchmark("powl", data=processes, methods=["valid"]))["valid"]
    assert valid["processes"][0]["accuracy"] == 1.0


def test_a_process_without_a_log_is_learned_from_drawn_runs_and_noted(processes: Path) -> None:
    write_net(processes, "03", CHAIN, None)
    result = run_benchmark("powl", data=processes, methods=["memory"])
    assert any(note.startswith("no log belongs to 03") for note in result.notes)
    assert result.rows[0]["processes"][2]["accuracy"] == 1.0
    assert result.content() == run_benchmark("powl", data=processes, methods=["memory"]).content()


def test_methods_and_processes_are_shown_as_tables(processes: Path) -> None:
    methods, single, *_ = run_benchmark("powl", data=processes).tables()
    assert [line[0] for line in methods.table()] == list(METHODS)
    assert [line[:3] for line in single.table()] == [["01", "1", "3"], ["02", "4", "4"]]
    only, alone, *half = run_benchmark("powl", data=processes, methods=["always-fits"]).tables()
    assert (len(only.table()), alone.table()[0][3]) == (1, "50.0")
    assert [line[1] for line in half[1].table()] == ["1", "2"]


def test_it_needs_its_data(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError):
        run_benchmark("powl", data=tmp_path)


@pytest.mark.real_data
def test_counted_rules_are_ahead_of_always_fits_on_real_processes(data: Path) -> None:
    rows = by_method(run_benchmark("powl", data=data, methods=["always-fits", "counting-a+b+c"]))
    assert len(rows["always-fits"]["processes"]) == 20
    assert rows["counting-a+b+c"]["accuracy"] > 0.9
