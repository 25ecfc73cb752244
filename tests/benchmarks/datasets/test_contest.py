"""The reader of the Process Discovery Contest and of event logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.datasets.contest import read_cases, read_contest
from benchmarks.harness import MissingDataError
from stepgraph.errors import FormatError
from tests.benchmarks.contest_files import write_log, write_process


def test_processes_come_by_number_and_traces_with_their_labels(tmp_path: Path) -> None:
    write_process(tmp_path, "10", ["ab", "ab", "abb"], {"ab": "true", "ba": "false", "abb": "true"})
    write_process(tmp_path, "9", ["c"], {"c": "true"})
    first, second = read_contest(tmp_path)
    assert (first.name, second.name) == ("9", "10")
    assert (first.fitting, first.others) == ((("c",),), ())
    assert second.training.total_weight == 3
    assert set(second.fitting) == {("a", "b"), ("a", "b", "b")}
    assert second.others == (("b", "a"),)


def test_equal_traces_are_judged_as_often_as_they_come(tmp_path: Path) -> None:
    write_log(tmp_path, "running-example.xes", ["ab", "b", "ab"])
    assert sorted(read_cases(tmp_path, "running-example")) == [("a", "b"), ("a", "b"), ("b",)]


def test_a_label_that_is_neither_true_nor_false_is_refused(tmp_path: Path) -> None:
    write_process(tmp_path, "1", ["ab"], {"ab": "true", "b": "perhaps"})
    with pytest.raises(FormatError, match="'pdc:isPos' is 'perhaps'; expected 'true' or 'false'"):
        read_contest(tmp_path)


def test_a_trace_without_a_label_is_refused(tmp_path: Path) -> None:
    write_process(tmp_path, "1", ["ab"], {"ab": "true", "b": None})
    with pytest.raises(FormatError, match="1 traces have no 'pdc:isPos'"):
        read_contest(tmp_path)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"pdc2019/1-train\.xes\.gz is missing"):
        read_contest(tmp_path)
    write_process(tmp_path, "1", ["ab"], {"ab": "true"})
    (tmp_path / "pdc2019" / "1-test.xes.gz").unlink()
    with pytest.raises(MissingDataError, match=r"1-test\.xes\.gz is missing; it holds the labell"):
        read_contest(tmp_path)
    with pytest.raises(MissingDataError, match=r"receipt\.csv\.gz is missing"):
        read_cases(tmp_path, "receipt")


@pytest.mark.real_data
def test_every_process_has_ninety_labelled_traces_and_seven_hundred_to_learn_from(
    data: Path,
) -> None:
    for process in read_contest(data):
        assert process.training.total_weight == 700
        assert len(process.fitting) + len(process.others) == 90
        assert min(len(process.fitting), len(process.others)) >= 40
