"""What every format must do; a new one joins by being in RECORDING_FORMATS and in the samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.errors import FileError, FormatError, SettingError, StepgraphError, UnknownNameError
from stepgraph.formats import RECORDING_FORMATS, Reading, read_demonstrations

from .samples import (
    RECORDINGS,
    STEPS,
    WRITERS,
    error_annotations,
    step_annotations,
    taxonomy_annotations,
)

# No deadline: the first example of a run also pays for imports and a cold disk.
fuzzed = settings(max_examples=200, deadline=None)
every_format = pytest.mark.parametrize("name", RECORDING_FORMATS)


def sample(name: str, folder: Path) -> Path:
    file_name, text = WRITERS[name]
    path = folder / file_name
    path.write_text(text(), encoding="utf-8")
    return path


def test_every_format_has_a_sample() -> None:
    assert WRITERS.keys() == RECORDING_FORMATS.keys()


@every_format
def test_the_same_recordings_come_back(name: str, tmp_path: Path) -> None:
    found = read_demonstrations(sample(name, tmp_path)).only("tea")
    assert {recording.id: found.names(recording) for recording in found} == RECORDINGS
    assert found.vocabulary.steps == STEPS
    assert found.procedure == "tea"


@every_format
def test_the_sample_needs_no_notes(name: str, tmp_path: Path) -> None:
    assert read_demonstrations(sample(name, tmp_path)).notes == ()


@every_format
def test_the_format_is_detected_as_it_is_forced(name: str, tmp_path: Path) -> None:
    path = sample(name, tmp_path)
    assert read_demonstrations(path) == read_demonstrations(path, format=name)


@every_format
def test_line_ends_and_a_byte_order_mark_make_no_difference(name: str, tmp_path: Path) -> None:
    path = sample(name, tmp_path)
    before = read_demonstrations(path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_demonstrations(path) == before


@every_format
def test_an_unknown_procedure_is_refused_with_the_nearest(name: str, tmp_path: Path) -> None:
    path = sample(name, tmp_path)
    with pytest.raises(UnknownNameError, match=r"unknown procedure 'tee'; did you mean 'tea'") as e:
        read_demonstrations(path, procedure="tee")
    assert str(e.value).startswith(f"{path}: ")


@every_format
@pytest.mark.parametrize("text", ["", " \n\n\t"])
def test_an_empty_file_is_refused(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.write_text(text)
    with pytest.raises(FormatError, match="empty"):
        read_demonstrations(path, format=name)


@every_format
def test_a_folder_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="folder"):
        read_demonstrations(tmp_path, format=name)


@every_format
def test_a_missing_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_demonstrations(tmp_path / "nowhere", format=name)


@every_format
def test_another_encoding_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "latin"
    path.write_bytes("rühren\n".encode("latin-1"))
    with pytest.raises(FileError, match="UTF-8"):
        read_demonstrations(path, format=name)


@every_format
def test_options_that_a_format_cannot_use_are_refused(name: str, tmp_path: Path) -> None:
    path = sample(name, tmp_path)
    if "columns" not in RECORDING_FORMATS[name].options:
        with pytest.raises(SettingError, match="'columns' is of no use"):
            read_demonstrations(path, columns={"step": "x"})
    if "errors" not in RECORDING_FORMATS[name].options:
        with pytest.raises(SettingError, match="'errors' is of no use"):
            read_demonstrations(path, errors="errors.json")


def attempt(path: Path, **options: Any) -> Reading | StepgraphError:
    try:
        return read_demonstrations(path, **options)
    except StepgraphError as error:
        return error


def only_stepgraph_errors(path: Path, text: str, **options: Any) -> None:
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    for order in ("file", "start"):
        outcome = attempt(path, order=order, **options)
        if isinstance(outcome, StepgraphError):
            assert str(outcome).startswith(f"{path}: ")
        else:
            for demonstrations in outcome.procedures.values():
                "".join([*demonstrations.vocabulary.steps, *outcome.notes]).encode("utf-8")


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "fuzz.json"


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.just(float("inf"))
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["START", "\ud800", "1", "tea", "12:30", "2024-01-01T10:00"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@every_format
@fuzzed
@given(text=st.text())
def test_any_text_gives_demonstrations_or_an_error_of_stepgraph(
    name: str, text: str, scratch: Path
) -> None:
    only_stepgraph_errors(scratch, text, format=name)


@fuzzed
@given(
    text=st.text(alphabet='recording,step;start\t"\n\r1:2-. ', max_size=60), header=st.booleans()
)
def test_any_table_gives_demonstrations_or_an_error_of_stepgraph(
    text: str, header: bool, scratch: Path
) -> None:
    only_stepgraph_errors(
        scratch, ("recording,step,start\n" if header else "") + text, format="csv"
    )


@every_format
@fuzzed
@given(value=values)
def test_any_json_gives_demonstrations_or_an_error_of_stepgraph(
    name: str, value: Any, scratch: Path
) -> None:
    only_stepgraph_errors(scratch, json.dumps(value), format=name)


def changed(content: Any, draw: st.DataObject) -> Any:
    """Replace one value, somewhere in JSON content, by any other, or leave it out."""
    if isinstance(content, dict | list) and content and draw.draw(st.integers(0, 5)):
        places = list(content) if isinstance(content, dict) else list(range(len(content)))
        place = draw.draw(st.sampled_from(places))
        copy: Any = content.copy()
        if draw.draw(st.integers(0, 9)):
            copy[place] = changed(content[place], draw)
        else:
            del copy[place]
        return copy
    return draw.draw(values)


@pytest.mark.parametrize(
    "content",
    [
        json.loads(WRITERS["stepgraph"][1]()),
        taxonomy_annotations(),
        step_annotations(),
        error_annotations(),
    ],
    ids=["stepgraph", "annotations", "steps", "errors"],
)
@fuzzed
@given(draw=st.data())
def test_a_file_with_one_wrong_value_gives_only_errors_of_stepgraph(
    content: Any, draw: st.DataObject, scratch: Path
) -> None:
    only_stepgraph_errors(scratch, json.dumps(changed(content, draw)))


@fuzzed
@given(draw=st.data())
def test_a_line_with_one_wrong_value_gives_only_errors_of_stepgraph(
    draw: st.DataObject, scratch: Path
) -> None:
    whole = {
        "id": "1", "steps": ["a", "b"], "starts": [1, 2], "ends": [2, 3],
        "mistakes": [None, "x"], "skipped": ["c"], "procedure": "p",
    }  # fmt: skip
    event = {"recording": "2", "step": "a", "start": 1, "mistake": False, "procedure": "p"}
    lines = [changed(whole, draw), changed(event, draw)]
    only_stepgraph_errors(scratch, "\n".join(map(json.dumps, lines)), format="jsonl")


@fuzzed
@given(draw=st.data())
def test_wrong_error_annotations_give_only_errors_of_stepgraph(
    draw: st.DataObject, scratch: Path
) -> None:
    steps = scratch.with_name("steps.json")
    steps.write_text(json.dumps(step_annotations()))
    scratch.write_text(json.dumps(changed(error_annotations(), draw)))
    outcome = attempt(steps, errors=scratch)
    if isinstance(outcome, StepgraphError):
        assert str(outcome).startswith(f"{scratch}: ")
