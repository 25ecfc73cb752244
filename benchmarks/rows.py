"""Which rows of a benchmark to compute, and computing them one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from benchmarks.asked import Asked
from stepgraph.errors import UnavailableError, UnknownNameError

Result = TypeVar("Result")


def choose_rows(
    asked: Sequence[str] | None,
    known: Iterable[str],
    *,
    default: Iterable[str] | None = None,
    kind: str = "method",
) -> list[str]:
    """Return the names of the rows to compute: those asked for, each once, or the default ones.

    Parameters
    ----------
    asked
        What the user named; None for the default.
    known
        Every row that there is.
    default
        The rows where nothing is asked for; by default all.
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
    if asked is None:
        return every if default is None else list(default)
    for name in asked:
        if name not in every:
            raise UnknownNameError(kind, name, every)
    return list(dict.fromkeys(asked))


def compute_rows(
    chosen: Sequence[str],
    compute: Callable[[str], Result],
    asked: Asked,
) -> tuple[list[Result], list[str]]:
    """Compute rows one after the other; return them, and notes on those that were left out.

    Parameters
    ----------
    chosen
        The names of the rows.
    compute
        Makes the row, or rows, of a name.
    asked
        What the user asked for. A row that lacks data or an optional dependency is left out and
        noted; it is an error if it was asked for by name, or nothing else can be computed either.
    """
    rows: list[Result] = []
    notes: list[str] = []
    first: UnavailableError | None = None
    for done, name in enumerate(chosen):
        asked.progress(done, len(chosen), name)
        try:
            rows.append(compute(name))
        except UnavailableError as error:
            if asked.methods is not None:
                raise
            first = first or error
            notes.append(f"{name} was left out: {error}")
    if first is not None and not rows:
        raise first
    asked.progress(len(chosen), len(chosen), "done")
    return rows, notes


def measure_rows(
    measures: Mapping[str, Callable[[], Mapping[str, Any]]],
    asked: Asked,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Take the measures asked for, by default all; return a row each, and what was left out."""
    return compute_rows(
        choose_rows(asked.methods, measures, kind="measure"),
        lambda name: {"method": name, **measures[name]()},
        asked,
    )
