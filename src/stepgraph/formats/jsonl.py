"""JSON Lines: each line one step, or one whole recording with its list of steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stepgraph.errors import FormatError
from stepgraph.formats.json_text import (
    as_list,
    as_name,
    as_object,
    as_seconds,
    parse_json,
    shown,
)
from stepgraph.formats.reading import Draft, Event, Recording, Source, assemble
from stepgraph.formats.rows import Row, find_columns, gather, parse_mark, parse_weight

_WHOLE = ("steps", "starts", "ends", "mistakes", "skipped")
"""Further keys of a line that holds a whole recording."""


def read(source: Source) -> Draft:
    """Read JSON Lines.

    A line with ``steps`` is a whole recording: ``recording`` or ``id``, ``steps``, and
    optionally ``procedure``, ``mistakes``, ``skipped``, ``starts``, ``ends`` and ``weight``. Any
    other line is one step, with the same values under the same names as in a table.
    """
    lines = list(_objects(source))
    events = {number: entry for number, entry in lines if "steps" not in entry}
    wholes = {number: entry for number, entry in lines if "steps" in entry}
    remarks: list[str] = []
    found: list[tuple[int, Recording]] = []
    if events:
        columns, remarks = _columns(events, source, ("recording", "step"))
        rows = [_row(number, entry, columns, source) for number, entry in events.items()]
        first_line: dict[tuple[str, str], int] = {}
        for row in rows:
            first_line.setdefault((row.procedure, row.recording), row.line)
        gathered, more = gather(rows, marked="mistake" in columns)
        remarks += more
        found += [
            (first_line[recording.procedure, recording.id], recording) for recording in gathered
        ]
    if wholes:
        columns, more = _columns(wholes, source, ())
        remarks += more
        if "recording" not in columns and any("id" in entry for entry in wholes.values()):
            columns["recording"] = "id"
        found += [
            (number, _whole(number, entry, columns, source)) for number, entry in wholes.items()
        ]
        found.sort(key=lambda pair: pair[0])
    return assemble(
        (recording for _, recording in found),
        notes=[("", remark) for remark in dict.fromkeys(remarks)],
    )


def _objects(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in source.lines():
        if not line:
            continue
        try:
            content = parse_json(line, str(source.path))
        except FormatError:
            # Parses again with the lines above, so that the message gives the right number.
            content = parse_json("\n" * (number - 1) + line, str(source.path))
        yield number, as_object(content, f"line {number}")


def _columns(
    entries: Mapping[int, dict[str, Any]], source: Source, required: tuple[str, ...]
) -> tuple[dict[str, str], list[str]]:
    own = frozenset() if required else frozenset((*_WHOLE, "id"))
    present = dict.fromkeys(key for entry in entries.values() for key in entry if key not in own)
    return find_columns(list(present), source.columns, str(source.path), required)


def _row(number: int, entry: dict[str, Any], columns: Mapping[str, str], source: Source) -> Row:
    def text(role: str) -> str:
        column = columns.get(role)
        return "" if column is None else _text(entry.get(column), f"line {number}: {column!r}")

    return Row(
        number,
        text("recording"),
        text("step"),
        text("procedure") if "procedure" in columns else source.name,
        start=text("start"),
        end=text("end"),
        mistake=text("mistake"),
        weight=text("weight"),
        lifecycle=text("lifecycle"),
    )


def _text(value: Any, about: str) -> str:
    """Return a JSON value as a table would write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int):
        return as_name(value, about)
    raise FormatError(f"{about} is {shown(value)}; expected a text or a number")


def _whole(
    number: int, entry: dict[str, Any], columns: Mapping[str, str], source: Source
) -> Recording:
    about = f"line {number}"
    key = columns.get("recording", "recording")
    id_ = as_name(entry.get(key), f"{about}: {key!r}")
    procedure = source.name
    if "procedure" in columns:
        procedure = as_name(entry.get(columns["procedure"]), f"{about}: the procedure")
    steps = [
        as_name(step, f"{about}: a step") for step in as_list(entry["steps"], f"{about}: 'steps'")
    ]
    marks: list[tuple[str | None, bool]] = [(None, True)] * len(steps)
    times: dict[str, list[float | None]] = {}
    for name in ("starts", "ends"):
        values = _each(entry, name, about, len(steps))
        times[name] = [
            None if value is None else as_seconds(value, f"{about}: one of {name!r}")
            for value in values or [None] * len(steps)
        ]
    marked = _each(entry, "mistakes", about, len(steps))
    if marked is not None:
        marks = [parse_mark(_text(value, f"{about}: one of 'mistakes'")) for value in marked]
    skipped = as_list(entry.get("skipped") or [], f"{about}: 'skipped'")
    events = [
        Event(step, start, end, mark, done=done)
        for step, start, end, (mark, done) in zip(
            steps, times["starts"], times["ends"], marks, strict=True
        )
    ]
    events += [Event(as_name(step, f"{about}: a skipped step"), done=False) for step in skipped]
    weight = 1.0
    if "weight" in columns and entry.get(columns["weight"]) is not None:
        where = f"{about}: {columns['weight']!r}"
        weight = parse_weight(_text(entry[columns["weight"]], where), where)
    return Recording(id_, procedure, tuple(events), marked is not None, weight)


def _each(entry: dict[str, Any], name: str, about: str, count: int) -> list[Any] | None:
    if entry.get(name) is None:
        return None
    values = as_list(entry[name], f"{about}: {name!r}")
    if len(values) != count:
        raise FormatError(
            f"{about}: {count} steps and {len(values)} {name}; expected one for each step"
        )
    return values
