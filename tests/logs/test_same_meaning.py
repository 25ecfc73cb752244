"""A file means the same, whether `read_demonstrations` or the engine of logs reads it."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.errors import InputError
from stepgraph.formats import Reading, read_demonstrations
from stepgraph.formats.reading import ORDERS
from stepgraph.logs import read_log
from stepgraph.sequences import Demonstrations

pytest.importorskip("duckdb")

Variant = tuple[tuple[str, ...], tuple[str | None, ...] | None, tuple[str, ...]]
Table = list[dict[str, str]]

STEPS = ("a", "b", " b", "c d", 'say "x"', "x, y; z", "line\nbreak", "A", "\u00a0e")
MARKS = ("", "no", "1", "yes", "spilled", " Order Error", "skipped", "missing_step")
NAMES: Mapping[str, tuple[str, ...]] = {
    "recording": ("recording", "case id", "Video"),
    "step": ("step", "activity", "task"),
    "start": ("start", "timestamp", "Start Time"),
    "end": ("end", "stop"),
    "mistake": ("mistake", "has_errors"),
    "procedure": ("procedure", "recipe"),
    "weight": ("weight",),
    "lifecycle": ("lifecycle:transition",),
    "other": ("note", "resource"),
}


def day(seconds: int, fraction: str, zone: str, between: str = "T") -> str:
    return f"2024-02-29{between}10:{seconds // 60:02}:{seconds % 60:02}{fraction}{zone}"


WRITTEN: dict[str, Callable[[int, str], str]] = {
    "seconds": lambda s, f: f"{s}{f}",
    "exponents": lambda s, _: f"{s}e2",
    "whole numbers": lambda s, f: str(2**60 + s * 10 + len(f)),
    "clock": lambda s, f: f"{s // 60}:{s % 60:02}{f}",
    "long clock": lambda s, f: f"1:{s // 60:02}:{s % 60:02}{f}",
    "local": lambda s, f: day(s, f, ""),
    "blank": lambda s, f: day(s, f, "", " "),
    "zoned": lambda s, f: day(s, f, ("Z", "+01:00", "-05:30")[s % 3]),
    "compact": lambda s, _: f"20240229T10{s // 60:02}{s % 60:02}+0100",
    "dates": lambda s, _: f"2024-03-{s % 28 + 1:02}",
}
FRACTIONS = ("", ".5", ".25", ".000000001", ".000000002", ".123456", ".1234567")


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Draw rows with everything that a table may hold; some lack something."""
    roles = [role for role in list(NAMES)[2:] if draw(st.booleans())]
    styles = draw(st.lists(st.sampled_from(sorted(WRITTEN)), min_size=1, max_size=2))
    lacking = draw(st.sampled_from([0, 0, 0, 6]))
    marks = draw(st.lists(st.sampled_from(MARKS), min_size=1, max_size=3))
    weights: dict[str, str] = {}
    rows = []
    for _ in range(draw(st.integers(1, 10))):
        recording = draw(st.sampled_from(["1", "2", " 3", "r x"]))
        style = styles[hash_of(recording) % len(styles)]
        row = {"recording": recording, "step": draw(st.sampled_from(STEPS))}
        for role in roles:
            if role in ("start", "end"):
                written = WRITTEN[style]
                value = written(draw(st.integers(0, 70)), draw(st.sampled_from(FRACTIONS)))
            elif role == "mistake":
                value = draw(st.sampled_from(marks))
            elif role == "weight":
                value = weights.setdefault(recording, draw(st.sampled_from(["2", "1.5", "", "3"])))
            elif role == "lifecycle":
                value = draw(st.sampled_from(["start", "complete", "Complete", "", "schedule"]))
            else:
                value = draw(st.sampled_from(["p", "q "]))
            row[role] = value
        for role in ("step", "start", "end", "procedure"):
            if role in row and lacking and draw(st.integers(0, lacking)) == 0:
                row[role] = ""
        rows.append(row)
    names = {role: draw(st.sampled_from(NAMES[role])) for role in ("recording", "step", *roles)}
    return [{names[role]: value for role, value in row.items()} for row in rows]


def hash_of(name: str) -> int:
    return sum(map(ord, name))


def as_csv(table: Table, delimiter: str, *, quoted: bool, blank: bool) -> str:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(
        out,
        table[0],
        delimiter=delimiter,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL,
    )
    writer.writeheader()
    for row in table:
        if delimiter == ";":  # commas are decimal points there
            row = {key: v.replace(".", ",") if is_decimal(v) else v for key, v in row.items()}
        writer.writerow(row)
        if blank:
            out.write("\n" + delimiter * (len(row) - 1) + "\n")
    return ("\n" if blank else "") + out.getvalue()


def is_decimal(value: str) -> bool:
    return value.count(".") == 1 and value.replace(".", "").isdigit()


def as_json_lines(table: Table, *, typed: bool) -> str:
    return "\n".join(
        json.dumps({key: as_json(value) if typed else value for key, value in row.items()})
        for row in table
    )


def as_json(value: str) -> Any:
    if value in ("yes", "no"):
        return value == "yes"
    if value.isdigit() and not (len(value) > 1 and value[0] == "0"):
        return int(value)
    return value or None


def merged(found: Demonstrations) -> dict[Variant, tuple[str, float]]:
    """Return equal recordings once, with the name of the first one and what they weigh."""
    counted: dict[Variant, tuple[str, float]] = {}
    for one in found:
        skipped = tuple(found.vocabulary.name(node) for node in one.skipped)
        variant = (found.names(one), one.mistakes, skipped)
        id_, weight = counted.get(variant, (one.id, 0.0))
        counted[variant] = (id_, weight + one.weight)
    return counted


def outcome(read: Any, path: Path, **options: Any) -> Reading | None:
    try:
        found = read(path, **options)
    except InputError:
        return None
    assert isinstance(found, Reading)
    return found


def shared_notes(reading: Reading) -> set[str]:
    """Return the notes on columns, times and lifecycles, which both readers give."""
    begins = ("columns ", "lifecycle", "sorting by")
    bare = {note.partition(": ")[2] if note[:3] in ("p: ", "q: ") else note
            for note in reading.notes}  # fmt: skip
    return {note for note in bare if note.startswith(begins) or "of their start times" in note}


def check_same(path: Path, order: str | None) -> None:
    plain, engine = (
        outcome(read_demonstrations, path, order=order),
        outcome(read_log, path, order=order),
    )
    if plain is None or engine is None:
        assert plain is engine, f"one refuses {path.read_text()!r}, {plain}, {engine}"
        return
    assert plain.procedures.keys() == engine.procedures.keys()
    for name, found in engine.procedures.items():
        expected = merged(plain.procedures[name])
        assert merged(found) == expected
        assert len(found) == len(expected)
        assert [*merged(found)] == [*expected]
        assert found.vocabulary == plain.procedures[name].vocabulary
    if len(plain.procedures) == 1:
        assert shared_notes(engine) == shared_notes(plain)


@settings(max_examples=60, deadline=None)
@given(
    tables(),
    st.sampled_from([",", ";", "\t"]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, *ORDERS]),
)
def test_a_table_means_the_same_to_both_readers(
    table: Table, delimiter: str, quoted: bool, blank: bool, order: str | None
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tea.csv"
        path.write_text(as_csv(table, delimiter, quoted=quoted, blank=blank), encoding="utf-8")
        check_same(path, order)


@settings(max_examples=40, deadline=None)
@given(tables(), st.booleans(), st.sampled_from([None, *ORDERS]))
def test_json_lines_mean_the_same_to_both_readers(
    table: Table, typed: bool, order: str | None
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tea.jsonl"
        path.write_text(as_json_lines(table, typed=typed), encoding="utf-8")
        check_same(path, order)


def test_steps_are_numbered_as_the_file_lists_them_however_they_are_sorted(tmp_path: Path) -> None:
    path = tmp_path / "tea.csv"
    path.write_text(
        "recording,step,start,mistake\n1,serve,9,skipped\n1,pour,3,\n1,boil,2,\n2,fill,0,\n2,boil,1,\n"
    )
    for order in ORDERS[:2]:
        found = read_log(path, order=order).only()
        assert found.vocabulary.steps == ("serve", "pour", "boil", "fill")
        assert found.vocabulary == read_demonstrations(path, order=order).only().vocabulary
