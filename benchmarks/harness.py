"""What every benchmark shares: the request it takes, the rows it computes, the result it returns.

A benchmark takes a `Request`, chooses its rows (`choose_rows`), computes them one after the other
(`compute_rows`, `measure_rows`) and returns a `BenchmarkResult`: rows of figures, how to show
them, and where they were measured.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import stepgraph
from stepgraph._version import __version__
from stepgraph.errors import (
    FileError,
    LearningWarning,
    SettingError,
    UnavailableError,
    UnknownNameError,
)
from stepgraph.graph import TaskGraph
from stepgraph.learners import Progress, no_progress
from stepgraph.sequences import Demonstrations

Row = Mapping[str, Any]
Result = TypeVar("Result")


class MissingDataError(UnavailableError):
    """A data set that a benchmark reads is not where it was looked for."""


def learn_with_defaults(demonstrations: Demonstrations) -> TaskGraph:
    """Return the graph that a user gets; what it warns of is what a benchmark measures."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LearningWarning)
        return stepgraph.learn(demonstrations)


@dataclass(frozen=True)
class Request:
    """What a user asks of a benchmark; a benchmark ignores the settings that it has no use for.

    Parameters
    ----------
    data
        The data directory; by default the one that the environment variable STEPGRAPH_DATA names.
    methods
        Which methods, measures or rows; by default those that the benchmark says.
    seeds
        How many runs a method that draws at random gets, or how many random procedures there are
        of each size.
    progress
        Called with the progress.
    """

    data: str | Path | None = None
    methods: Sequence[str] | None = None
    seeds: int = 5
    progress: Progress = no_progress


@dataclass(frozen=True)
class Column:
    """One column of the table that a terminal shows.

    Parameters
    ----------
    title
        Its heading.
    cell
        Makes the text of a row's cell.
    """

    title: str
    cell: Callable[[Row], str]


@dataclass(frozen=True)
class BenchmarkResult:
    """The outcome of a benchmark.

    Parameters
    ----------
    benchmark
        Its name.
    title
        What was measured on what, in one line.
    rows
        One entry for each method, with ``method`` and its figures; fractions lie between 0 and 1.
    columns
        How to show the rows.
    notes
        What a reader must know to judge the figures.
    environment
        Where they were measured.
    charts
        Pictures of the figures for a page, as SVG text by name.
    parts
        The results that this one is made of, where it is made of several.
    table_rows
        What `columns` show, one entry for each line, where that is not `rows` themselves: rows of a
        curve, say, are points, and a table shows a curve on one line.
    heading
        What a page calls it, where that is not `benchmark`.
    """

    benchmark: str
    title: str
    rows: Sequence[Row]
    columns: Sequence[Column]
    notes: Sequence[str] = ()
    environment: Mapping[str, Any] = field(default_factory=lambda: environment())
    charts: Mapping[str, str] = field(default_factory=dict)
    table_rows: Sequence[Row] | None = None
    parts: Sequence[BenchmarkResult] = ()
    heading: str = ""

    def tables(self) -> Iterator[BenchmarkResult]:
        """Yield the results that have a table of their own: this one, or those it is made of."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.tables()

    def pictures(self) -> dict[str, str]:
        """Return every chart, also those of the parts, as SVG text by name."""
        found = dict(self.charts)
        for part in self.parts:
            found |= part.pictures()
        return found

    def table(self) -> list[list[str]]:
        """Return the table's cells, one list for each line; `columns` hold the headings."""
        rows = self.rows if self.table_rows is None else self.table_rows
        return [[column.cell(row) for column in self.columns] for row in rows]

    def content(self) -> dict[str, Any]:
        """Return the result as plain JSON values: every figure, no picture."""
        return {
            "benchmark": self.benchmark,
            "title": self.title,
            "rows": [dict(row) for row in self.rows],
            "notes": list(self.notes),
            "environment": dict(self.environment),
        }

    def to_json(self) -> str:
        """Return the result as JSON text: every figure, no picture."""
        return json.dumps(self.content(), indent=2, ensure_ascii=False) + "\n"


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the results that `BenchmarkResult.to_json` wrote into a folder, by benchmark.

    Raises
    ------
    FileError
        If a file cannot be read as JSON; JSON of another kind is ignored.
    """
    results = {}
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise FileError(f"{path}: cannot be read as JSON ({error})") from None
        if isinstance(content, Mapping) and "benchmark" in content and "rows" in content:
            results[content["benchmark"]] = dict(content)
    return results


def environment() -> dict[str, Any]:
    """Return what the machine and its software are."""
    versions = {}
    for name in ("numpy", "networkx", "scipy", "torch"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "stepgraph": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "packages": versions,
    }


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """Return how many seconds some work took, and its result."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def percent(value: float | None, half_width: float | None = None) -> str:
    """Return a fraction as a percentage with one decimal, with its interval where given."""
    if value is None:
        return ""
    text = f"{100 * value:.1f}"
    return text if half_width is None else f"{text} ± {100 * half_width:.1f}"


def list_of_names(option: str, texts: Sequence[str] | None) -> list[str] | None:
    """Return the names in texts with commas between them; None stays None.

    Parameters
    ----------
    option
        The option that they come from, for the error.
    texts
        What the user gave.

    Raises
    ------
    SettingError
        If there is no name in them.
    """
    if not texts:
        return None
    text = ",".join(texts)
    names = [part.strip() for part in text.split(",") if part.strip()]
    if not names:
        raise SettingError(f"{option} {text!r}: expected one or more names")
    return names


def choose_rows(
    names: Sequence[str] | None,
    known: Iterable[str],
    *,
    default: Iterable[str] | None = None,
    kind: str = "method",
) -> list[str]:
    """Return the names of the rows to compute: the named ones, each once, or the default ones.

    Parameters
    ----------
    names
        What the user named; None for the default.
    known
        Every row that there is.
    default
        The rows where none is named; by default all.
    kind
        What a row is called in an error.

    Raises
    ------
    UnknownNameError
        If there is no row of a name.

    Examples
    --------
    >>> choose_rows(["b", "a", "b"], "abc")
    ['b', 'a']
    >>> choose_rows(None, "abc", default="c")
    ['c']
    """
    every = list(known)
    if names is None:
        return every if default is None else list(default)
    for name in names:
        if name not in every:
            raise UnknownNameError(kind, name, every)
    return list(dict.fromkeys(names))


def compute_rows(
    chosen: Sequence[str],
    compute: Callable[[str], Result],
    request: Request,
) -> tuple[list[Result], list[str]]:
    """Compute rows one after the other; return them, and notes on those that were left out.

    Parameters
    ----------
    chosen
        The names of the rows.
    compute
        Makes the row, or rows, of a name.
    request
        The request. A row that lacks data or an optional dependency is left out and
        noted; it is an error if the request names it, or nothing else can be computed either.
    """
    rows: list[Result] = []
    notes: list[str] = []
    first: UnavailableError | None = None
    for done, name in enumerate(chosen):
        request.progress(done, len(chosen), name)
        try:
            rows.append(compute(name))
        except UnavailableError as error:
            if request.methods is not None:
                raise
            first = first or error
            notes.append(f"{name} was left out: {error}")
    if first is not None and not rows:
        raise first
    request.progress(len(chosen), len(chosen), "done")
    return rows, notes


def measure_rows(
    measures: Mapping[str, Callable[[], Mapping[str, Any]]],
    request: Request,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Take the requested measures, by default all; return rows, and notes on those left out."""
    return compute_rows(
        choose_rows(request.methods, measures, kind="measure"),
        lambda name: {"method": name, **measures[name]()},
        request,
    )
