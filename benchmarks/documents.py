"""Write the figures of the documents from what the benchmarks measured.

`docs/results` holds one file for each benchmark, as `python -m benchmarks NAME -o FILE` wrote it. A
document says in a comment, which no reader sees, where a figure comes from:

    F1 83.6<!--=captaincook4d-unfiltered/robust/f1-->

that is the benchmark, the row (its method; `key=value` for other keys) and the field, after which
a format may stand: `ratio:,.0f`, or `recall:.0%`, which leaves the sign to the text. Without one,
fractions are percentages with one decimal, and `f1±` adds the interval. A table of
`benchmarks.tables` stands between `<!--table=NAME-->` and `<!--end-->`.

Run: python -m benchmarks.documents               after a change of a document or a result
     python -m benchmarks.documents bench-output  to take over new results from that folder first
     python -m benchmarks.documents --rows FILE   to put the rows of a run with --methods among
                                                  those that a graph benchmark has
     python -m benchmarks.documents --check       to see what is out of step

Figures of a benchmark without a result are left as they are, and named.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.graphs.captaincook4d import LEFT_OUT_AS_SLOW
from benchmarks.graphs.edge_rows import compared
from benchmarks.harness import read_results
from benchmarks.table_parts import Missing, Results, percent
from benchmarks.tables import TABLES

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "results"
FIGURE = re.compile(r"(?:\d[\d,]*(?:\.\d+)?(?:\s±\s\d+\.\d+)?)?<!--=(?P<path>[^>]+?)-->")
TIMED = {
    **{name: name for name in ("alignment", "draw", "monitor", "speed", "serve", "scale")},
    "scaling-formulas": "scaling",
}
"""Tables of times, which stand beside the name of the machine, and their benchmarks."""
TABLE = re.compile(r"(<!--table=(?P<name>[\w-]+)-->\n).*?(<!--end-->)", re.DOTALL)


def documents() -> list[Path]:
    """Return the documents that may hold figures."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def figure(results: Results, path: str) -> str:
    """Return the text of one figure.

    Parameters
    ----------
    results
        The results by benchmark.
    path
        Which one, as the module says.

    Raises
    ------
    Missing
        If the benchmark has no result.
    ValueError
        If no row or more than one is meant, or the row has no such field.
    """
    benchmark, *selectors, field = path.split("/")
    if benchmark not in results:
        raise Missing(benchmark)
    field, _, spec = field.partition(":")
    wanted = [each.split("=", 1) if "=" in each else ("method", each) for each in selectors]
    rows = [
        row
        for row in results[benchmark]["rows"]
        if all(str(row.get(key)) == value for key, value in wanted)
    ]
    if len(rows) != 1:
        raise ValueError(f"{path}: {len(rows)} rows are meant, expected one")
    value: Any = rows[0]
    for part in field.removesuffix("±").split("."):
        if not isinstance(value, Mapping) or part not in value:
            raise ValueError(f"{path}: the row has no {part!r}")
        value = value[part]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{path}: {value!r} is no number")
    if spec.endswith("%"):
        return format(100 * value, f"{spec[:-1]}f")
    if spec:
        return format(value, spec)
    if field.endswith("±"):
        return percent(value, rows[0][field.removesuffix("±") + "_interval90"])
    return percent(value) if isinstance(value, float) else f"{value:,}"


def table(results: Results, name: str) -> str:
    """Return a table in Markdown.

    Raises
    ------
    Missing
        If a benchmark that it shows has no result.
    ValueError
        If there is no such table, or nothing for it to show.
    """
    if name not in TABLES:
        raise ValueError(f"there is no table {name!r}; there are {', '.join(TABLES)}")
    head, *lines = TABLES[name](results)
    if not lines:
        raise ValueError(f"the table {name!r} has no line: its rows are called otherwise now")
    text = "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *lines))
    return f"{text}\n\n{machine(results[TIMED[name]])}" if name in TIMED else text


def machine(result: Mapping[str, Any]) -> str:
    """Return a sentence on where times were measured."""
    where = result["environment"]
    system = where["platform"].partition("-")[0]
    torch = where["packages"].get("torch", "none")
    return (
        f"One run on {system} ({where['machine']}, {where['cores']} cores) with Python "
        f"{where['python']} and torch {torch}."
    )


def filled(text: str, results: Results, missing: set[str]) -> str:
    """Return a document with its figures; benchmarks without a result are added to `missing`."""

    def replace_figure(match: re.Match[str]) -> str:
        try:
            return f"{figure(results, match['path'])}<!--={match['path']}-->"
        except Missing as lack:
            missing.add(str(lack))
            return match[0]

    def replace_table(match: re.Match[str]) -> str:
        try:
            return f"{match[1]}\n{table(results, match['name'])}\n\n{match[3]}"
        except Missing as lack:
            missing.add(str(lack))
            return match[0]

    return TABLE.sub(replace_table, FIGURE.sub(replace_figure, text))


def with_rows(recorded: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recorded result with rows of another run of the benchmark on the same data.

    Rows of the same method are replaced, and comparisons between rows made anew.

    Parameters
    ----------
    recorded, more
        The result, and that of the other run; rows hold scores for each procedure.

    Raises
    ------
    ValueError
        If they are of different benchmarks or different data, or rows cannot be compared.
    """
    if (recorded["benchmark"], recorded["title"]) != (more["benchmark"], more["title"]):
        raise ValueError(
            f"the rows are of {more['benchmark']!r}, {more['title']!r}; expected those of "
            f"{recorded['benchmark']!r}, {recorded['title']!r}"
        )
    rows = {row["method"]: row for row in (*recorded["rows"], *more["rows"])}
    if not all("procedures" in row for row in rows.values()):
        raise ValueError(f"{recorded['benchmark']}: its rows have no scores for each procedure")
    notes = []
    for note in recorded["notes"]:
        start, found, names = note.partition(LEFT_OUT_AS_SLOW)
        missing = [name for name in names.split(", ") if name not in rows]
        if not found or start:
            notes.append(note)
        elif missing:
            notes.append(f"{LEFT_OUT_AS_SLOW}{', '.join(missing)}")
    return {**recorded, "rows": compared(list(rows.values())), "notes": notes}


def _take_rows(path: Path) -> None:
    more = json.loads(path.read_text(encoding="utf-8"))
    target = RESULTS / f"{more['benchmark']}.json"
    merged = with_rows(json.loads(target.read_text(encoding="utf-8")), more)
    target.write_text(json.dumps(merged, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Bring the documents in step, or say which are not."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", nargs="?", type=Path, help="take over the results in it first")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="take over its rows first")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if out of step")
    given = parser.parse_args(arguments)
    if given.folder is not None:
        RESULTS.mkdir(exist_ok=True)
        for name in read_results(given.folder).keys() - {"paper"}:  # which repeats three others
            shutil.copyfile(given.folder / f"{name}.json", RESULTS / f"{name}.json")
    if given.rows is not None:
        _take_rows(given.rows)
    results, missing, stale = read_results(RESULTS), set[str](), []
    for path in documents():
        text = path.read_text(encoding="utf-8")
        try:
            new = filled(text, results, missing)
        except ValueError as error:
            sys.stderr.write(f"{path.relative_to(ROOT)}: {error}\n")
            return 2
        if new != text:
            stale.append(str(path.relative_to(ROOT)))
            if not given.check:
                path.write_text(new, encoding="utf-8")
    for name in stale:
        sys.stdout.write(f"{name}: {'out of step' if given.check else 'written'}\n")
    for name in sorted(missing):
        sys.stdout.write(
            f"{name}: no docs/results/{name}.json, its figures were left as they are\n"
        )
    return 1 if given.check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
