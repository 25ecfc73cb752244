"""Event logs: XES as a stream, tables and JSON Lines through the engine."""

from __future__ import annotations

import gzip
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from stepgraph.errors import StepgraphError
from stepgraph.formats.rows import COLUMN_NAMES
from stepgraph.logs import profile_log, read_log
from stepgraph.logs.xes import XesReader
from tests.fuzz.target import Target, by_name, expect, put

_XES = b"""<?xml version="1.0" encoding="UTF-8"?>
<log xmlns="http://www.xes-standard.org/"><string key="concept:name" value="tea"/><trace>
<string key="concept:name" value="1"/><event><string key="concept:name" value="boil"/>
<date key="time:timestamp" value="2024-01-01T10:00:00.000+01:00"/>
<string key="lifecycle:transition" value="start"/></event><event>
<string key="concept:name" value="boil"/><date key="time:timestamp" value="2024-01-01T10:05:00Z"/>
<string key="lifecycle:transition" value="complete"/></event></trace><trace><event>
<string key="concept:name" value="pour"/></event></trace></log>
"""
_CSV = (
    b"case,activity,timestamp,process\n1,boil,2024-01-01T10:00:00Z,tea\n"
    b"1,pour,2024-01-01T10:05:00Z,tea\n2,boil,2024-01-02T10:00:00Z,tea\n"
)
_NUMBERED = b"case;activity;time\n1;boil;1.5\n1;pour;2\n"
_JSONL = (
    b'{"case": 1, "activity": "boil", "time": "2024-01-01 10:00"}\n'
    b'{"case": 1, "activity": "pour", "time": "2024-01-01 10:01"}\n'
)
_WORDS = tuple(name for names in COLUMN_NAMES.values() for name in names[:3])
_ENGINE = ("log", "source", "events", "times", "engine", "filters")
_MODULES = tuple(f"stepgraph.logs.{name}" for name in _ENGINE)


def _read(name: str, data: bytes, folder: Path) -> None:
    path = put(folder, name, data)
    reading = read_log(path, threads=1, memory="200MB")
    for found in reading.procedures.values():
        expect(len(found) > 0, "a procedure of a log has recordings")
        expect(all(sequence.weight > 0 for sequence in found), "variants stand for recordings")
        "".join((found.procedure, *found.vocabulary.steps)).encode()
    profile_log(path, threads=1, memory="200MB")


def _stream(name: str, data: bytes, folder: Path) -> None:
    """Read XES without the engine, in pieces of one trace and all at once, which must agree."""
    path = put(folder, name, data)
    whole = _events(path, 10**9)
    expect(_events(path, 1) == whole, "the size of the pieces makes no difference")


def _events(path: Path, size: int) -> object:
    reader = XesReader(path, longest=10_000)
    rows: list[tuple[object, ...]] = []
    try:
        for batch in reader.batches(size):
            rows += zip(*batch.values(), strict=True)
    except StepgraphError:
        if size == 1:
            return None
        raise
    return rows, reader.name, reader.unnamed, reader.doubled


def _parquet() -> list[bytes]:
    import duckdb

    rows = "(VALUES ('1', 'a', 1), ('1', 'b', 2), ('2', 'a', 3)) AS log(\"case\", activity, time)"
    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / "log.parquet"
        connection.execute(f"COPY (SELECT * FROM {rows}) TO '{path}'")
        return [path.read_bytes()]


TARGETS = by_name(
    Target(
        "xes",
        partial(_stream, "tea.xes"),
        lambda: [_XES],
        ("stepgraph.logs.xes",),
        ("concept:name", "time:timestamp", "trace", "event", "string", "key", "value", "log"),
        1.5,
    ),
    Target(
        "xes-gz",
        partial(_stream, "tea.xes.gz"),
        lambda: [
            gzip.compress(_XES, mtime=0),
            gzip.compress(b"<log>", mtime=0) + gzip.compress(b"</log>", mtime=0),
        ],
        ("stepgraph.logs.xes",),
        share=0.5,
    ),
    Target("log-xes", partial(_read, "tea.xes"), lambda: [_XES], _MODULES, _WORDS),
    Target("log-csv", partial(_read, "tea.csv"), lambda: [_CSV, _NUMBERED], _MODULES, _WORDS, 1.5),
    Target("log-jsonl", partial(_read, "tea.jsonl"), lambda: [_JSONL], _MODULES, _WORDS, 1.5),
    Target("log-parquet", partial(_read, "tea.parquet"), _parquet, _MODULES, share=0.5),
)
