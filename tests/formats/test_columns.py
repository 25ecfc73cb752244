from __future__ import annotations

from collections import Counter

import pytest

from stepgraph.errors import FormatError, SettingError, UnknownNameError
from stepgraph.formats.columns import COLUMN_NAMES, find_columns


def test_plain_names_are_no_guess() -> None:
    assert find_columns(["Recording", "step"], {}, "x.csv") == (
        {"recording": "Recording", "step": "step"},
        [],
    )


@pytest.mark.parametrize(
    ("recording", "step"),
    [
        ("Video ID", "Key-Step"),
        ("case:concept:name", "concept:name"),
        ("CASE_ID", "Activity"),
        ("demo", "label"),
        ("session", "description"),
    ],
)
def test_usual_names_are_guessed_and_noted(recording: str, step: str) -> None:
    found, remarks = find_columns([step, recording], {}, "x.csv")
    assert found == {"recording": recording, "step": step}
    assert remarks == [f"columns guessed: recording = {recording!r}, step = {step!r}"]


def test_no_name_but_the_tasks_stands_for_two_things() -> None:
    names = Counter(name for usual in COLUMN_NAMES.values() for name in usual)
    assert {name for name, times in names.items() if times > 1} == {"task", "task_name"}


def test_a_task_is_the_step_where_no_other_column_is() -> None:
    assert find_columns(["recording", "task"], {}, "x.csv")[0]["step"] == "task"


def test_a_task_is_the_procedure_beside_a_step() -> None:
    found, _ = find_columns(["task", "recording", "action"], {}, "x.csv")
    assert found == {"recording": "recording", "step": "action", "procedure": "task"}


def test_a_column_that_is_missing_can_be_named_on_both_ways() -> None:
    with pytest.raises(FormatError, match=r"--column step=NAME, in Python columns={'step': NAME}"):
        find_columns(["recording", "what"], {}, "x.csv")


def test_the_likeliest_of_several_is_taken_and_noted() -> None:
    found, remarks = find_columns(["description", "step", "recording"], {}, "x.csv")
    assert found["step"] == "step"
    assert remarks == ["columns guessed: step = 'step'", "columns not used: 'description'"]


def test_a_named_column_wins_over_the_guess() -> None:
    found, _ = find_columns(["step", "recording", "Text"], {"step": "Text"}, "x.csv")
    assert found["step"] == "Text"


def test_a_named_column_that_is_absent_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"x.csv: unknown column 'Vido'; did you .* 'Video'"):
        find_columns(["Video", "step"], {"recording": "Vido"}, "x.csv")


def test_naming_something_a_table_has_not_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="kind of column 'recoding'"):
        find_columns(["a", "b"], {"recoding": "a"}, "x.csv")


def test_one_column_for_two_things_is_refused() -> None:
    with pytest.raises(SettingError, match="named twice"):
        find_columns(["a", "b"], {"recording": "a", "step": "a"}, "x.csv")


def test_a_column_that_cannot_be_guessed_is_asked_for() -> None:
    with pytest.raises(
        FormatError, match=r"like the recording; the columns are 'who', 'step' .* recording=NAME"
    ):
        find_columns(["who", "step"], {}, "x.csv")


def test_a_column_that_counts_and_comes_twice_is_refused() -> None:
    with pytest.raises(FormatError, match="two columns are called 'step'"):
        find_columns(["recording", "step", "step"], {}, "x.csv")
