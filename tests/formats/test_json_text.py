"""JSON text: laid out for people, read with the place of what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FileError, FormatError
from stepgraph.files import read_text, write_text
from stepgraph.formats import save_graph
from stepgraph.formats.json_text import (
    SHOWN,
    as_name,
    as_seconds,
    dump_json,
    parse_json,
    read_json,
    shown,
)
from stepgraph.graph import Provenance, TaskGraph
from tests.formats.wrong import names_in
from tests.strategies import JSON_VALUES


@given(st.dictionaries(st.text(max_size=5), JSON_VALUES))
def test_any_json_object_is_laid_out_as_json_or_refused(content: dict[str, Any]) -> None:
    try:
        text = dump_json(content)
    except FormatError:
        # Only NaN and infinities have no place in JSON.
        with pytest.raises(ValueError, match="not JSON compliant"):
            json.dumps(content, allow_nan=False)
    else:
        assert json.loads(text) == content


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), float("inf"), object(), [[b"x"]]])
def test_what_json_cannot_hold_is_refused_before_anything_is_written(
    value: Any, tmp_path: Path
) -> None:
    graph = TaskGraph("a", [], provenance=Provenance(other={"odd": value}))
    with pytest.raises(FormatError, match="cannot be written as JSON"):
        save_graph(graph, tmp_path / "g.json")
    assert names_in(tmp_path) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", r"line 1, column 2: not JSON"),
        ('{\n "a": 1,\n}', r"line 3, column 1: not JSON"),
        ("[NaN]", "NaN is no number"),
        ("[-Infinity]", "-Infinity is no number"),
        ("[1e999]", "1e999 is too large a number"),
        ("[" * 100_000, "not JSON that can be used"),
        ("1" * 5000, "not JSON that can be used"),
        ('[{"a": {"b": 1, "c": 2, "b": 1}}]', "an object has 'b' twice"),
    ],
)
def test_text_that_is_no_usable_json_is_refused_with_the_place(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=f"^here: .*{reason}"):
        parse_json(text, "here")


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes("\N{BYTE ORDER MARK}[1]".encode())
    assert read_json(tmp_path / "x") == [1]


@pytest.mark.parametrize("content", [b"", b" \n\t", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FormatError, match="the file is empty"):
        read_text(tmp_path / "x")


def test_another_encoding_is_refused_with_the_byte(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes("Küche".encode("latin-1"))
    with pytest.raises(FileError, match=r"byte 1 \(0xfc\) is not UTF-8; save the file"):
        read_text(tmp_path / "x")


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_text(tmp_path / "x")
    with pytest.raises(FileError, match="a folder, expected a file"):
        read_text(tmp_path)


@pytest.mark.parametrize("name", ["a\0b", "n" * 5000])
def test_a_path_that_cannot_be_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileError):
        read_text(tmp_path / name)
    with pytest.raises(FileError):
        write_text(tmp_path / name, "text")
    assert names_in(tmp_path) == []


def test_what_is_large_is_counted_instead_of_shown() -> None:
    assert shown({"a": 1}) == "{'a': 1}"
    assert shown([1, 2]) == "[1, 2]"
    assert shown({str(number): "x" * 20 for number in range(9)}) == "an object with 9 entries"
    assert shown([["x" * 90] * 3]) == "a list of 1 entry"
    assert len(shown("x" * 1000)) <= SHOWN


@pytest.mark.parametrize("value", [None, True, 1.5, [], {}, "", "  "])
def test_what_is_no_name_is_refused(value: object) -> None:
    with pytest.raises(FormatError, match="expected a text"):
        as_name(value, "it")


def test_a_whole_number_may_be_a_name() -> None:
    assert as_name(12, "it") == "12"


@pytest.mark.parametrize("value", [None, True, "1", 10**400, float("inf"), []])
def test_what_is_no_number_of_seconds_is_refused(value: object) -> None:
    with pytest.raises(FormatError, match="expected a number of seconds"):
        as_seconds(value, "it")


def test_values_are_shown_short() -> None:
    assert len(shown(["long"] * 1000)) < 100
    assert shown(None) == "null"
