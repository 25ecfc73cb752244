from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from stepgraph.errors import FileError, FormatError
from stepgraph.logs import read_log
from stepgraph.logs.xes import XesReader
from tests.logs.conftest import Put, variants


def event(step: str, time: str = "", transition: str = "", more: str = "") -> str:
    parts = [f'<string key="concept:name" value="{step}"/>']
    parts += [f'<date key="time:timestamp" value="{time}"/>'] if time else []
    parts += [f'<string key="lifecycle:transition" value="{transition}"/>'] if transition else []
    return f"<event>{''.join(parts)}{more}</event>"


def trace(name: str, *events: str) -> str:
    named = f'<string key="concept:name" value="{name}"/>' if name else ""
    return f"<trace>{named}{''.join(events)}</trace>"


def log(*traces: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<log xmlns="http://www.xes-standard.org/">'
        '<global scope="event"><string key="concept:name" value="unknown"/></global>'
        f'<string key="concept:name" value="tea"/>{"".join(traces)}</log>'
    )


@pytest.mark.parametrize("name", ["x.xes", "x.xes.gz"])
def test_traces_become_recordings_and_the_log_names_the_procedure(name: str, put: Put) -> None:
    path = put(name, log(trace("1", event("a"), event("b")), trace("2", event("a"), event("b"))))
    reading = read_log(path)
    assert variants(reading.only()) == {("a", "b"): 2.0}
    assert reading.only().procedure == "tea"


def test_events_are_sorted_by_time_across_time_zones(put: Put) -> None:
    late, early = "2024-01-01T10:00:00.000+01:00", "2024-01-01T10:00:00.000+02:00"
    path = put("x.xes", log(trace("1", event("late", late), event("early", early))))
    assert variants(read_log(path).only()) == {("early", "late"): 1.0}


def test_starts_and_completions_are_merged(put: Put) -> None:
    events = [
        event("a", "2024-01-01T10:00:00Z", "start"),
        event("b", "2024-01-01T10:01:00Z", "start"),
        event("b", "2024-01-01T10:02:00Z", "complete"),
        event("a", "2024-01-01T10:03:00Z", "complete"),
    ]
    path = put("x.xes", log(trace("1", *events)))
    assert variants(read_log(path).only()) == {("a", "b"): 1.0}


def test_nested_attributes_and_other_elements_are_no_events(put: Put) -> None:
    nested = '<string key="note" value="n"><string key="concept:name" value="no"/></string>'
    path = put("x.xes", log(trace("1", event("a", more=nested), event("b"))))
    reading = read_log(path)
    assert variants(reading.only()) == {("a", "b"): 1.0}
    assert "columns not used: 'note'" in reading.notes


def test_attributes_of_a_trace_may_stand_behind_its_events(put: Put) -> None:
    late = f'<trace>{event("a")}<string value="x" key="concept:name"/></trace>'
    path = put("x.xes", log(late, trace("y", event("b"))))
    assert {one.id for one in read_log(path).only()} == {"x", "y"}


def test_a_trace_attribute_may_name_the_procedure(put: Put) -> None:
    own = '<trace><string key="kind" value="green"/>{}</trace>'
    path = put("x.xes", log(own.format(event("a")), trace("2", event("b"))))
    reading = read_log(path, columns={"procedure": "case:kind"})
    assert list(reading.procedures) == ["green"]
    assert "1 of 2 rows have no procedure and were left out" in reading.notes


def test_traces_without_a_name_are_numbered_and_doubles_joined_with_a_note(put: Put) -> None:
    path = put("x.xes", log(trace("", event("a")), trace("1", event("a")), trace("1", event("b"))))
    reading = read_log(path)
    assert variants(reading.only()) == {("a",): 1.0, ("a", "b"): 1.0}
    assert "1 traces have no name and were numbered" in reading.notes
    assert "1 traces have the name of another one and were joined with it" in reading.notes


def test_batches_hold_whole_traces(put: Put) -> None:
    traces = [trace(str(number), *[event(f"s{i}") for i in range(7)]) for number in range(3000)]
    path = put("x.xes", log(*traces))
    batches = list(XesReader(path).batches(size=1000))
    assert len(batches) > 2
    names = [name for batch in batches for name in batch["case:concept:name"]]
    assert names == [str(number) for number in range(3000) for _ in range(7)]
    assert all(len(batch["concept:name"]) % 7 == 0 for batch in batches)


BOMB = """<?xml version="1.0"?><!DOCTYPE log [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>
<log><trace><string key="concept:name" value="&b;"/></trace></log>"""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BOMB, "declares a document type or entities"),
        ("<log><trace></log>", "line 1, column .*broken XML .mismatched tag"),
        ("<html><body/></html>", "the XML holds 'html', expected 'log'"),
        (" ", "broken XML .no element found"),
        ("not xml", "broken XML"),
        (log(trace("1", '<event><string key="x" value="y"/></event>')), "no event has a 'concept"),
        (log(), "no event has a 'concept:name'"),
    ],
)
def test_what_is_no_log_is_refused(content: str, message: str, put: Put) -> None:
    path = put("x.xes", content)
    with pytest.raises(FormatError, match=message) as caught:
        read_log(path)
    assert str(caught.value).startswith(path)


@pytest.mark.parametrize("encoding", ["nonsense", "utf-7", "gb2312"])
def test_an_encoding_that_cannot_be_read_is_refused(encoding: str, put: Put) -> None:
    path = put("x.xes", f"<?xml version='1.0' encoding='{encoding}'?><log/>")
    with pytest.raises(FormatError, match=r"x\.xes: line 1.*encoding"):
        read_log(path)


def test_an_endless_value_is_refused_before_it_fills_the_memory(put: Put) -> None:
    path = put("x.xes", log(trace("x" * 3_000_000, event("a"))))
    with pytest.raises(FormatError, match="a value is longer than 1,000,000 bytes"):
        read_log(path, longest_line=1_000_000)


def test_a_gzip_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.xes.gz"
    path.write_bytes(gzip.compress(log(*[trace("1", event("a"))] * 100_000).encode()))
    with pytest.raises(FormatError, match="grows to more than 200 times its size"):
        for _ in XesReader(path, ratio_from=1_000_000).batches():
            pass


def test_a_broken_gzip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.xes.gz"
    path.write_bytes(b"no gzip at all")
    with pytest.raises(FileError, match="no gzip file, or a broken one"):
        read_log(path)
