"""The readers of assemblies in which parts are taken off."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.datasets.rework import read_all_toys, read_each_toy, read_meccano
from benchmarks.harness import MissingDataError
from tests.benchmarks.rework_files import write_meccano, write_toys


def test_rows_of_a_recording_stay_in_the_order_of_the_file(tmp_path: Path) -> None:
    write_meccano(tmp_path, ["ia rb ib", "ia"])
    (assembly,) = read_meccano(tmp_path)
    first, second = assembly.sessions
    assert first.steps == ("Install a", "Remove b", "Install b")
    assert (second.steps, second.group) == (("Install a",), "0001")


def test_a_pair_needs_both_steps_of_a_part(tmp_path: Path) -> None:
    write_meccano(tmp_path, ["ia rb ib rc wa"])
    (assembly,) = read_meccano(tmp_path)
    assert assembly.pairs == {"Remove b": "Install b"}
    assert assembly.installed_by("Remove c") == "Install c"
    assert assembly.installed_by("Install c") is None


def test_people_are_held_out_whole_and_toys_need_enough_recordings(tmp_path: Path) -> None:
    write_toys(tmp_path, [("9011", "b06", "+x -x +x")] * 9 + [("9012", "b06", "+x")])
    (every,) = read_all_toys(tmp_path)
    (toy,) = read_each_toy(tmp_path)
    assert {session.group for session in every.sessions} == {"9011", "9012"}
    assert (toy.name, len(toy.sessions), toy.pairs) == ("b06", 10, {"detach-x": "attach-x"})
    write_toys(tmp_path / "few", [("9011", "b06", "+x")])
    with pytest.raises(MissingDataError, match="10 or more recordings of a kind of toy"):
        read_each_toy(tmp_path / "few")


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"meccano_psr\.csv is missing"):
        read_meccano(tmp_path)


@pytest.mark.real_data
def test_meccano_has_twelve_parts_that_are_put_on_and_taken_off(data: Path) -> None:
    (assembly,) = read_meccano(data)
    assert len(assembly.sessions) == 20
    assert len(assembly.pairs) == 12
