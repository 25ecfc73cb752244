from __future__ import annotations

import subprocess
import sys

import pytest

from stepgraph.errors import FormatError, InputError, SettingError, UnknownNameError
from stepgraph.formats import read_demonstrations

from .conftest import Put

TIMED = "recording,step,start,end,mistake\n1,a,5,6,\n1,b,1,9,burnt\n2,a,1,2,\n2,b,3,4,\n"
TWO = "recording,step,recipe\n1,a,soup\n2,b,salad\n3,c,soup\n"


def test_the_order_of_the_file_is_kept_and_departures_from_time_are_noted(put: Put) -> None:
    reading = read_demonstrations(put("x.csv", TIMED))
    assert reading.only().sequences[0].steps == (1, 2)
    [note] = reading.notes
    assert note.startswith("1 of 2 recordings is not in the order of their start times")


def test_sorting_by_start_moves_times_and_marks_along(put: Put) -> None:
    reading = read_demonstrations(put("x.csv", TIMED), order="start")
    first = reading.only().sequences[0]
    assert first.steps == (2, 1)
    assert first.starts == (1, 5)
    assert first.ends == (9, 6)
    assert first.mistakes == ("burnt", None)
    assert reading.notes == ("sorting by start time changes the order of 1 of 2 recordings",)


def test_sorting_by_end_uses_the_end_times(put: Put) -> None:
    reading = read_demonstrations(put("x.csv", TIMED), order="end")
    assert [sequence.steps for sequence in reading.only()] == [(1, 2), (1, 2)]


def test_sorting_keeps_the_order_of_equal_times(put: Put) -> None:
    path = put("x.csv", "recording,step,start\n1,b,1\n1,a,1\n1,c,0\n")
    found = read_demonstrations(path, order="start").only()
    assert found.names(found.sequences[0]) == ("c", "b", "a")


def test_sorting_without_times_names_the_recording(put: Put) -> None:
    with pytest.raises(FormatError, match=r"recording '1' lacks start times"):
        read_demonstrations(put("x.txt", "a\nb\n"), order="start")


def test_an_order_that_does_not_exist_is_refused(put: Put) -> None:
    with pytest.raises(SettingError, match="expected one of file, start, end"):
        read_demonstrations(put("x.txt", "a\n"), order="alphabet")


def test_a_procedure_can_be_chosen_while_reading_and_after(put: Put) -> None:
    path = put("x.csv", TWO)
    reading = read_demonstrations(path)
    assert list(reading.procedures) == ["soup", "salad"]
    assert read_demonstrations(path, procedure="salad").only() == reading.only("salad")


def test_a_procedure_that_an_unused_column_may_name_is_refused_with_it(put: Put) -> None:
    path = put("events.csv", "recording,step,product\n1,a,pump\n2,b,fan\n")
    with pytest.raises(
        InputError, match=r"'product'; columns=\{'procedure': NAME\} says which one"
    ):
        read_demonstrations(path, procedure="pump")
    found = read_demonstrations(path, procedure="pump", columns={"procedure": "product"})
    assert list(found.procedures) == ["pump"]


def test_several_procedures_and_none_named_lists_them(put: Put) -> None:
    with pytest.raises(
        InputError, match=r"2 procedures: 'soup', 'salad'; choose one with procedure=NAME"
    ):
        read_demonstrations(put("x.csv", TWO)).only()


def test_only_refuses_a_wrong_name_with_the_nearest(put: Put) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'salad'"):
        read_demonstrations(put("x.csv", TWO)).only("sallad")


def test_notes_name_the_procedure_only_where_there_are_several(put: Put) -> None:
    path = put("x.csv", "recording,step,procedure,mistake\n1,a,p,\n1,z,p,skipped\n2,b,q,\n")
    note = "steps never demonstrated: 'z'; they stay in the vocabulary"
    assert read_demonstrations(path).notes == (f"p: {note}",)
    assert read_demonstrations(path, procedure="p").notes == (note,)
    assert read_demonstrations(path, procedure="q").notes == ()


def test_steps_that_look_alike_are_noted_and_kept_apart(put: Put) -> None:
    reading = read_demonstrations(put("x.txt", "Boil  water\nboil water\n"))
    assert len(reading.only().vocabulary) == 2
    assert "differ only in upper and lower case or blanks" in reading.notes[0]


def test_an_unknown_format_is_refused_with_the_nearest(put: Put) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'captaincook4d'"):
        read_demonstrations(put("x.txt", "a\n"), format="captaincook")


def test_half_a_character_in_a_name_is_refused(put: Put) -> None:
    with pytest.raises(FormatError, match="half of a character"):
        read_demonstrations(put("x.jsonl", '{"id": "1", "steps": ["\\ud800"]}'))


def test_start_as_a_step_is_refused_with_the_path(put: Put) -> None:
    path = put("x.txt", "START\na\n")
    with pytest.raises(FormatError, match="a step is called 'START'") as caught:
        read_demonstrations(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_importing_the_readers_loads_neither_numpy_nor_networkx() -> None:
    code = "import sys, stepgraph.formats; print({'numpy', 'networkx', 'torch'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
