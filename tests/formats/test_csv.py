from __future__ import annotations

import pytest

from stepgraph.errors import FormatError, UnknownNameError
from stepgraph.formats import read_demonstrations
from stepgraph.sequences import KeyStepSequence

from .conftest import Put


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_found(separator: str, put: Put) -> None:
    text = "recording,step,start\n1,a,0.5\n".replace(",", separator)
    assert read_demonstrations(put("x.csv", text)).only().sequences == (
        KeyStepSequence("1", (1,), starts=(0.5,)),
    )


def test_a_tsv_may_have_commas_in_its_header(put: Put) -> None:
    path = put("x.tsv", "recording\tstep\ta,b,c,d\n1\tmix\t\n")
    assert read_demonstrations(path).only().vocabulary.steps == ("mix",)


def test_commas_are_decimal_points_where_semicolons_separate(put: Put) -> None:
    path = put("x.csv", "recording;step;start\n1;a;2,5\n")
    assert read_demonstrations(path).only().sequences[0].starts == (2.5,)


def test_quotes_protect_separators_and_line_ends(put: Put) -> None:
    path = put("x.csv", 'recording,step\n1,"chop, then\nmix"\n')
    assert read_demonstrations(path).only().vocabulary.steps == ("chop, then\nmix",)


def test_recordings_may_be_mixed_and_keep_the_order_of_their_rows(put: Put) -> None:
    path = put("x.csv", "recording,step\n1,a\n2,b\n1,b\n2,a\n")
    found = read_demonstrations(path).only()
    assert {one.id: found.names(one) for one in found} == {"1": ("a", "b"), "2": ("b", "a")}


def test_recordings_of_two_procedures_may_share_an_id(put: Put) -> None:
    path = put("x.csv", "recording,step,recipe\n1,a,soup\n1,b,salad\n")
    reading = read_demonstrations(path)
    assert [reading.only(name).vocabulary.steps for name in ("soup", "salad")] == [("a",), ("b",)]


def test_the_procedure_is_called_after_the_file_where_no_column_says(put: Put) -> None:
    reading = read_demonstrations(put("tea.csv", "recording,step\n1,a\n"))
    assert reading.only().procedure == "tea"


def test_a_column_named_by_the_user_is_used(put: Put) -> None:
    path = put("x.csv", "who,what\nann,mix\n")
    found = read_demonstrations(path, columns={"recording": "who", "step": "what"}).only()
    assert found.sequences[0].id == "ann"


def test_a_named_column_that_is_absent_is_refused_with_the_path(put: Put) -> None:
    path = put("x.csv", "Video,step\n1,a\n")
    with pytest.raises(UnknownNameError) as caught:
        read_demonstrations(path, columns={"recording": "Vidoe"})
    assert str(caught.value) == f"{path}: unknown column 'Vidoe'; did you mean 'Video'?"


def test_without_a_mistake_column_nobody_looked(put: Put) -> None:
    path = put("x.csv", "recording,step\n1,a\n")
    assert read_demonstrations(path).only().sequences[0].mistakes is None


def test_marks_are_kept_and_rows_of_steps_left_out_become_skipped(put: Put) -> None:
    path = put("x.csv", "recording,step,mistake\n1,a,no\n1,b,1\n1,c,Missing Step\n1,d,spilled\n")
    assert read_demonstrations(path).only().sequences == (
        KeyStepSequence("1", (1, 2, 4), mistakes=(None, "mistake", "spilled"), skipped=(3,)),
    )


def test_a_recording_with_every_step_left_out_is_refused(put: Put) -> None:
    path = put("x.csv", "recording,step,mistake\n1,a,\n2,a,skipped\n")
    with pytest.raises(FormatError, match=r"recording '2' has no steps \(all are marked as left"):
        read_demonstrations(path)


def test_a_step_left_out_needs_no_time(put: Put) -> None:
    path = put("x.csv", "recording,step,start,mistake\n1,a,1,\n1,b,,skipped\n")
    assert read_demonstrations(path).only().sequences[0].starts == (1.0,)


def test_times_that_are_incomplete_are_left_out_with_a_note(put: Put) -> None:
    reading = read_demonstrations(put("x.csv", "recording,step,start\n1,a,1\n1,b,\n"))
    assert reading.only().sequences[0].starts is None
    assert reading.notes == (
        "recording '1' lacks the start time of 1 of its 2 steps; its start times are left out",
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,a,0\n1,,0\n", "line 3: the step is missing"),
        ("1,a,0\n ,b,0\n", "line 3: the recording is missing"),
        ("1,a,0\n\n1,b\n", "line 4: 2 values, expected 3"),
        ("1,a,0\n1,b,0,9\n", "line 3: 4 values, expected 3"),
        ("1,a,soon\n", "line 2: the start time is 'soon'; expected seconds"),
        ("1,a,nan\n", "line 2: the start time is 'nan'"),
        ('1,"a\nb",0\n1,c,x\n', "line 4: the start time"),
        ('1,a,0\n1,"b,0\n', "line 3: no row of a table"),
    ],
)
def test_a_row_that_cannot_be_used_is_named_by_its_line(rows: str, message: str, put: Put) -> None:
    path = put("x.csv", "recording,step,start\n" + rows)
    with pytest.raises(FormatError) as caught:
        read_demonstrations(path)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_a_missing_procedure_is_named_by_its_line(put: Put) -> None:
    with pytest.raises(FormatError, match="line 2: the procedure is missing"):
        read_demonstrations(put("x.csv", "recording,step,procedure\n1,a,\n"))


def test_a_table_without_rows_is_refused(put: Put) -> None:
    with pytest.raises(FormatError, match="no recordings"):
        read_demonstrations(put("x.csv", "recording,step\n,\n"))


def test_a_table_of_empty_values_is_refused(put: Put) -> None:
    with pytest.raises(FormatError, match="no line holds a value"):
        read_demonstrations(put("x.csv", '""\n""\n'))


def test_a_weight_column_says_how_many_recordings_one_stands_for(put: Put) -> None:
    path = put("t.csv", "recording,step,weight\n1,a,3\n1,b,3\n2,a,\n")
    weights = [recording.weight for recording in read_demonstrations(path).only()]
    assert weights == [3.0, 1.0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,a,3\n1,b,4\n", r"line 3: recording '1' has the weights '3' and '4'.*rename the column"),
        ("1,a,many\n", r"line 2: the weight is 'many'; expected a finite number above 0"),
        ("1,a,0\n", r"line 2: the weight is '0'"),
        ("1,a,inf\n", r"line 2: the weight is 'inf'"),
    ],
)
def test_a_weight_that_cannot_be_is_named_by_its_line(rows: str, message: str, put: Put) -> None:
    with pytest.raises(FormatError, match=message):
        read_demonstrations(put("t.csv", f"recording,step,weight\n{rows}"))
