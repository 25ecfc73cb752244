"""Compare the figures of two folders of results: which differ that have no time in them.

Run: python -m benchmarks.compare docs/results bench-output

A folder holds one JSON file for each benchmark, as `python -m benchmarks NAME -o FILE` wrote it.
Rows are matched by what names them (method, rule, data, ...), figures by their field. Fields about
time, speed and memory differ from run to run, so they are left out by name. Exit 1 says that some
figure differs, exit 2 that there is nothing to compare.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.harness import MissingDataError, Row, read_results
from stepgraph.errors import StepgraphError

MEASURED_TIME = re.compile(
    r"seconds|.*_seconds|.*_ms|microseconds.*|.*per_second|processor|ratio|.*_ratio|turns|.*_turns"
    r"|megabytes|.*_megabytes|load|acknowledged|in_flight"
)
"""Fields about time, speed and memory, and those that depend on when a process was killed."""
TEXTS = frozenset({"about", "must"})
"""Fields that describe a row; they neither name it nor hold a figure of their own."""
NAMING_NUMBERS = frozenset({"x", "rate", "error_rate", "size", "recordings"})
"""Numbers that name a row rather than being measured: the point of a curve, a setting."""
CLOSE = 1e-6
"""Figures that differ by a smaller share than this are equal: processors add in another order, and
optimisers stop a little earlier or later. Documents show three or four digits."""


@dataclass
class Comparison:
    """What two folders of results have in common, and where they differ.

    Parameters
    ----------
    differences
        One line for each figure, row or field that differs.
    benchmarks
        The benchmarks in both folders.
    figures
        How many figures were compared.
    left_out
        The fields that were left out by name, and how many figures each has.
    only_before, only_after
        The benchmarks that one folder lacks.
    """

    differences: list[str] = field(default_factory=list)
    benchmarks: list[str] = field(default_factory=list)
    figures: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    only_before: list[str] = field(default_factory=list)
    only_after: list[str] = field(default_factory=list)


def compare_folders(before: Path, after: Path) -> Comparison:
    """Compare the results that two folders have in common.

    Raises
    ------
    FileError
        If a file cannot be read as JSON.
    MissingDataError
        If the folders have no benchmark in common.
    """
    old, new = read_results(before), read_results(after)
    found = Comparison(
        benchmarks=sorted(old.keys() & new.keys()),
        only_before=sorted(old.keys() - new.keys()),
        only_after=sorted(new.keys() - old.keys()),
    )
    if not found.benchmarks:
        raise MissingDataError(f"{before} and {after} have no benchmark's result in common")
    for name in found.benchmarks:
        compare_rows(name, old[name]["rows"], new[name]["rows"], found)
    return found


def compare_rows(name: str, before: Sequence[Row], after: Sequence[Row], found: Comparison) -> None:
    """Compare the rows of one benchmark, and add what differs to a comparison.

    Examples
    --------
    >>> found = Comparison()
    >>> compare_rows("toy", [{"method": "do", "f1": 0.5}], [{"method": "do", "f1": 0.25}], found)
    >>> found.differences
    ['toy / do / f1: 0.5 -> 0.25']
    """
    old, new = _by_name(before), _by_name(after)
    for row in old.keys() | new.keys():
        where = " / ".join((name, *row))
        if row not in new:
            found.differences.append(f"{where}: the row is gone")
        elif row not in old:
            found.differences.append(f"{where}: the row is new")
        else:
            _compare_fields(where, old[row], new[row], found)
    found.differences.sort()


def _compare_fields(where: str, before: Row, after: Row, found: Comparison) -> None:
    old, new = dict(_figures(before)), dict(_figures(after))
    for path in dict.fromkeys((*old, *new)):
        timed = [part for part in path if MEASURED_TIME.fullmatch(part)]
        if timed:
            found.left_out[timed[0]] += 1
            continue
        found.figures += 1
        here = f"{where} / {'.'.join(path)}"
        if path not in new:
            found.differences.append(f"{here}: {old[path]!r} -> nothing")
        elif path not in old:
            found.differences.append(f"{here}: nothing -> {new[path]!r}")
        elif not _equal(old[path], new[path]):
            found.differences.append(f"{here}: {old[path]!r} -> {new[path]!r}")


def _by_name(rows: Sequence[Row]) -> dict[tuple[str, ...], Row]:
    """Return rows by what names them; the second of a name is called so."""
    named: dict[tuple[str, ...], Row] = {}
    for row in rows:
        parts = [value if isinstance(value, str) else f"{key}={value}" for key, value in _name(row)]
        key, number = tuple(parts), 1
        while key in named:
            number += 1
            key = (*parts, f"number {number}")
        named[key] = row
    return named


def _name(row: Row) -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        if key in NAMING_NUMBERS or (isinstance(value, str) and key not in TEXTS):
            yield key, value


def _figures(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the numbers in a row with the names that lead to them."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            if key not in NAMING_NUMBERS:
                yield from _figures(part, (*path, key))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            name = part.get("procedure") if isinstance(part, Mapping) else None
            yield from _figures(part, (*path, name or str(place)))
    elif not isinstance(value, str):
        yield path, value


def _equal(before: Any, after: Any) -> bool:
    if isinstance(before, int | float) and isinstance(after, int | float):
        return math.isclose(before, after, rel_tol=CLOSE, abs_tol=CLOSE)
    return bool(before == after)


def report(found: Comparison) -> Iterator[str]:
    """Yield what a comparison found, line by line."""
    yield from found.differences
    yield (
        f"{found.figures:,} figures of {len(found.benchmarks)} benchmarks compared "
        f"({', '.join(found.benchmarks)}); {len(found.differences)} differ"
    )
    if found.left_out:
        fields = ", ".join(sorted(found.left_out))
        yield f"{found.left_out.total():,} figures about time and memory left out: {fields}"
    for title, names in (("before", found.only_before), ("after", found.only_after)):
        if names:
            yield f"only {title}, not compared: {', '.join(names)}"


def main(arguments: Sequence[str]) -> int:
    """Compare two folders; return 0 if every figure is the same, 1 if some differ."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare",
        description="List every figure that differs between two folders of results.",
    )
    parser.add_argument("before", type=Path, help="a folder of results, such as docs/results")
    parser.add_argument("after", type=Path, help="another, such as bench-output")
    given = parser.parse_args(arguments)
    try:
        found = compare_folders(given.before, given.after)
    except StepgraphError as error:
        sys.stderr.write(f"python -m benchmarks.compare: {error}\n")
        return 2
    sys.stdout.writelines(f"{line}\n" for line in report(found))
    return 1 if found.differences else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
