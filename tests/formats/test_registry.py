from __future__ import annotations

import json

import pytest

from stepgraph.errors import FormatError
from stepgraph.formats import RECORDING_FORMATS, read_demonstrations
from stepgraph.formats.stepgraph_json import graph_to_json
from stepgraph.graph import TaskGraph

from .conftest import Put


def test_an_extension_that_says_nothing_lists_every_format(put: Put) -> None:
    path = put("x.dat", "a\n")
    with pytest.raises(FormatError) as caught:
        read_demonstrations(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: the extension '.dat' does not tell the format")
    assert all(
        f"{name}: {format_.description}" in message for name, format_ in RECORDING_FORMATS.items()
    )


def test_an_extension_in_upper_case_is_known(put: Put) -> None:
    assert len(read_demonstrations(put("X.TXT", "a\n")).only()) == 1


@pytest.mark.parametrize("content", ["[]", "{}", "3", "null", '{"a": 1}', '[{"b": 2}]'])
def test_json_that_fits_nothing_is_refused(content: str, put: Put) -> None:
    with pytest.raises(FormatError, match="the JSON fits no format"):
        read_demonstrations(put("x.json", content))


def test_broken_json_is_refused_with_its_place(put: Put) -> None:
    with pytest.raises(FormatError, match="line 2, column 1"):
        read_demonstrations(put("x.json", '{"a":\n}'))


def test_a_graph_in_place_of_demonstrations_is_called_one(put: Put) -> None:
    graph = graph_to_json(TaskGraph.from_preconditions({"b": ["a"]}))
    with pytest.raises(FormatError, match="a task graph, expected recordings"):
        read_demonstrations(put("x.json", json.dumps(graph)))


@pytest.mark.parametrize("name", ["events.parquet", "events.xes", "events.csv.gz"])
def test_a_log_where_recordings_are_expected_is_called_one(name: str, put: Put) -> None:
    with pytest.raises(
        FormatError, match="an event log, which 'stepgraph learn' and 'stepgraph inspect' read"
    ):
        read_demonstrations(put(name, "PAR1"))


def test_each_format_describes_itself_and_has_an_extension() -> None:
    for name, format_ in RECORDING_FORMATS.items():
        assert format_.name == name
        assert format_.description
        assert all(extension.startswith(".") for extension in format_.extensions)
