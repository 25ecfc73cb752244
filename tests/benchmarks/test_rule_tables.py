"""The tables of processes, rework and rules, made of results of small runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import run_benchmark
from benchmarks.documents import table
from benchmarks.rule_tables import RULE_TABLES
from benchmarks.table_parts import Missing, crossed, share
from tests.benchmarks.contest_files import write_log, write_process
from tests.benchmarks.net_files import CHOICE_AND_LOOP, write_net
from tests.benchmarks.rework_files import write_meccano

METHODS = {"rules": ["control: counted"], "rules-found": ["synthetic"]}
"""What to run of a benchmark that would take long."""


@pytest.mark.parametrize("name", RULE_TABLES)
def test_a_table_has_a_line_for_what_was_measured(name: str, tmp_path: Path) -> None:
    write_process(tmp_path, "1", ["ab"] * 5, {"ab": "true", "ba": "false"})
    write_log(tmp_path, "running-example.xes", ["abc"] * 6)
    write_net(tmp_path, "01", CHOICE_AND_LOOP, ["abd", "acd"])
    write_meccano(tmp_path, ["ia ib", "ia ra ia ib"] * 3)
    benchmark = {"contest-logs": "contest", "powl-half": "powl"}.get(name, name)
    result = run_benchmark(benchmark, data=tmp_path, methods=METHODS.get(name), seeds=1)
    with pytest.raises(Missing):
        table({}, name)
    head, _, *lines = table({benchmark: result.content()}, name).splitlines()
    assert lines
    assert {line.count("|") for line in lines} == {head.count("|")}


def test_a_line_without_any_row_is_left_out_of_a_crossed_table() -> None:
    results = {"toy": {"rows": [{"method": "a", "data": "x", "f1": 0.5}]}}
    names = {"a": "a", "b": "b"}
    made = crossed("toy", "", ("method", names), ("data", {"x": "x", "y": "y"}), share("f1"))
    assert made(results) == [["", "x", "y"], ["a", "50.0", ""]]
