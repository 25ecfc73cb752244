"""The work behind the paper's tables: tasks, their outcomes, and the files of finished ones.

A task computes one row of a benchmark, or a benchmark whole. Several tables may show its outcome.
`Store` keeps each finished task in a file of its own, with a fingerprint of everything that its
figures depend on: a run that is interrupted, or repeated, computes only what is not finished.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import benchmarks
import stepgraph
from benchmarks.harness import BenchmarkResult, Column, Request, Row, timed
from stepgraph._version import __version__
from stepgraph.errors import FileError, FormatError, StepgraphError
from stepgraph.files import read_text, write_into_folder

Run = Callable[[Request], BenchmarkResult]

USUAL_SEEDS = 5
"""The number of seeds that expected times are measured with."""
LAYOUT = (
    "__main__.py",
    "documents.py",
    "latex.py",
    "output.py",
    "pages.py",
    "paper",
    "table_parts.py",
    "tables.py",
)
"""What shows figures and computes none in `benchmarks`; tasks stay finished when it changes."""
SHORT = 60
"""A reason of at most so many characters stands with each row that it concerns."""
LEFT_OUT = "--quick leaves out what trains a transformer"


@dataclass(frozen=True)
class Task:
    """A row of a benchmark, or a benchmark whole.

    Parameters
    ----------
    benchmark
        What computes it, as in the names of its files.
    run
        The function that does.
    method
        The row; empty for the whole.
    needs
        The folders of the data directory that it reads.
    seconds
        How long it takes on two cores with `USUAL_SEEDS` seeds, as measured.
    """

    benchmark: str
    run: Run
    method: str = ""
    needs: tuple[str, ...] = ()
    seconds: float = 1.0

    @property
    def name(self) -> str:
        """What its file is called."""
        return f"{self.benchmark}-{self.method}" if self.method else self.benchmark

    @property
    def is_slow(self) -> bool:
        """Whether it trains a transformer."""
        return self.method.startswith("tgt-")

    def expected_seconds(self, seeds: int) -> float:
        """Return how long it is expected to take."""
        return self.seconds * seeds / USUAL_SEEDS


@dataclass(frozen=True)
class Outcome:
    """What became of a task.

    Parameters
    ----------
    task
        The task.
    title, rows, notes, charts
        As the benchmark's result has them.
    titles, cells
        The benchmark's own table, as text.
    seconds
        How long it took.
    reason
        Why there is none of this; empty where the task was done.
    """

    task: Task
    title: str = ""
    rows: Sequence[Row] = ()
    notes: Sequence[str] = ()
    charts: Mapping[str, str] = field(default_factory=dict)
    titles: Sequence[str] = ()
    cells: Sequence[Sequence[str]] = ()
    seconds: float = 0.0
    reason: str = ""

    def row(self, **wanted: Any) -> Row | None:
        """Return the first row with these values; None if there is none."""
        for row in self.rows:
            if all(row.get(key) == value for key, value in wanted.items()):
                return row
        return None

    def result(self) -> BenchmarkResult:
        """Return the benchmark's result with its own table."""
        numbered = [dict(enumerate(line)) for line in self.cells]
        columns = [
            Column(title, lambda line, place=place: str(line[place]))  # type: ignore[misc]
            for place, title in enumerate(self.titles)
        ]
        return BenchmarkResult(
            self.task.benchmark,
            self.title,
            self.rows,
            columns,
            self.notes,
            charts=self.charts,
            table_rows=numbered,  # type: ignore[arg-type]
        )


def remarks(outcomes: Sequence[Outcome]) -> tuple[dict[str, str], list[str]]:
    """Return why tasks were not done, by their names, and notes on what several tasks lack.

    Parameters
    ----------
    outcomes
        The outcomes behind a table.
    """
    lacking: dict[str, list[str]] = {}
    for outcome in outcomes:
        if outcome.reason:
            lacking.setdefault(outcome.reason, []).append(outcome.task.name)
    said: dict[str, str] = {}
    notes = []
    for reason, names in lacking.items():
        if len(names) > 1 and len(reason) > SHORT:
            said |= dict.fromkeys(names, "not computed, see the notes")
            notes.append(f"not computed, {len(names)} rows: {reason}")
        else:
            said |= dict.fromkeys(names, f"not computed: {reason}")
    return said, notes


def compute(task: Task, request: Request) -> Outcome:
    """Do a task; what it lacks becomes the reason of its outcome.

    Parameters
    ----------
    task
        The task.
    request
        The data directory, the number of seeds and who is told of progress.
    """
    own = replace(request, methods=[task.method] if task.method else None)
    try:
        seconds, result = timed(lambda: task.run(own))
    except StepgraphError as error:
        return Outcome(task, reason=str(error))
    return Outcome(
        task,
        result.title,
        result.rows,
        result.notes,
        result.charts,
        [column.title for column in result.columns],
        result.table(),
        seconds,
    )


@dataclass(frozen=True)
class Store:
    """The files of finished tasks.

    Parameters
    ----------
    folder
        Where they are.
    data
        The data directory.
    seeds
        The number of runs of a method that draws at random.
    """

    folder: Path
    data: Path
    seeds: int
    _digests: dict[str, str] = field(default_factory=dict)

    def load(self, task: Task) -> tuple[Outcome | None, str]:
        """Return the outcome of a finished task, and a note where its file is of no use.

        Parameters
        ----------
        task
            The task; None comes back if it is not finished, or was finished with other data,
            another number of seeds or another state of the program.
        """
        path = self._path(task)
        if not path.exists():
            return None, ""
        try:
            content = json.loads(read_text(path))
            fingerprint = content.pop("fingerprint")
            outcome = Outcome(task, **content)
            outcome.result().table()
        except (FileError, FormatError) as error:
            return None, f"{error}; computed again"
        except (ValueError, TypeError, KeyError, AttributeError, LookupError):
            return None, f"{path}: not a finished part of the paper's tables; computed again"
        return (outcome if fingerprint == self._fingerprint(task) else None), ""

    def save(self, outcome: Outcome) -> None:
        """Keep the outcome of a task that was done."""
        content = {
            "fingerprint": self._fingerprint(outcome.task),
            "title": outcome.title,
            "rows": [dict(row) for row in outcome.rows],
            "notes": list(outcome.notes),
            "charts": dict(outcome.charts),
            "titles": list(outcome.titles),
            "cells": [list(line) for line in outcome.cells],
            "seconds": outcome.seconds,
        }
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        write_into_folder(self.folder, {self._path(outcome.task).name: text})

    def _path(self, task: Task) -> Path:
        return self.folder / f"{task.name}.json"

    def _fingerprint(self, task: Task) -> str:
        parts = [
            __version__,
            task.name,
            str(self.seeds),
            source_digest(),
            *map(self._data_digest, task.needs),
        ]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def _data_digest(self, name: str) -> str:
        if name not in self._digests:
            self._digests[name] = _folder_digest(self.data / name)
        return self._digests[name]


@cache
def source_digest() -> str:
    """Return a digest of the program, but for what only shows figures."""
    digest = hashlib.sha256()
    for module in (stepgraph, benchmarks):
        base = Path(str(module.__file__)).parent
        for path in sorted(base.rglob("*.py")):
            own = path.relative_to(base)
            if not (module is benchmarks and own.parts[0] in LAYOUT):
                digest.update(f"{own}\n".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _folder_digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(folder)}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
