"""`stepgraph watch`: steps judged as they come in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from stepgraph.cli import options
from stepgraph.cli.judging import Watched, begin_sessions
from stepgraph.cli.live import NobodyReadsError
from stepgraph.cli.output import print_notes
from stepgraph.errors import FileError, InputError

if TYPE_CHECKING:
    from stepgraph.graph import TaskGraph


def watch(
    graph: options.Graph,
    as_json: options.AsJsonLines = False,
    with_next: options.WithNext = False,
    calibration: options.CalibrationFile = None,
    confusion: options.ConfusionFile = None,
    error_rate: options.ErrorRate = None,
) -> None:
    """Judge steps from standard input as they come.

    A line is a step's name, or JSON such as {"step": "mix", "time": 3.5, "confidence": 0.9,
    "session": "anna"}; sessions are kept apart. {"undo": true} takes back the last step. Blank
    lines and lines that begin with # are passed over. When the input ends, what was never done
    is named.

    Where the steps come from a recogniser that errs, --calibration, --confusion or --error-rate
    make verdicts probabilities; a mistake is called one from the calibrated threshold on, or from
    50 %.

    The exit code is 0 if there was no mistake and nothing was left undone, else 1, and 2 if a line
    or the graph could not be used. With --json, the mistakes of the last line count what was never
    done as well.

    Example: stepgraph watch pancakes.graph.json < steps.txt
    """
    from stepgraph.formats import read_graph

    loaded = read_graph(graph)
    begin = begin_sessions(loaded, calibration, confusion, error_rate)
    watched = Watched(loaded, begin, as_json=as_json, with_next=with_next)
    if sys.stdin is not None and sys.stdin.buffer.isatty():  # somebody sits there and waits for us
        names = ", ".join(map(repr, loaded.steps))
        print_notes([f"type each step as it is done, one a line, then Ctrl-D; the steps: {names}"])
    try:
        watched.take_in(_lines(loaded))
        clean = watched.finish()
    except NobodyReadsError:
        # The exit code is still true of what came so far.
        clean = not any(monitor.mistakes for monitor in watched.sessions.values())
    if not clean:
        raise typer.Exit(1)
    if not any(monitor.observed for monitor in watched.sessions.values()):
        if watched.sessions:
            raise InputError("standard input: every step was taken back, nothing is left to judge")
        raise InputError(
            "standard input: no steps came; expected one on each line (see 'stepgraph watch "
            "--help')"
        )
    if watched.unusable:
        raise typer.Exit(2)


def _lines(graph: TaskGraph) -> Iterator[tuple[int, bytes]]:
    """Return the lines of standard input with their numbers, each as soon as it is there."""
    if sys.stdin is None:
        return
    try:
        for number, line in enumerate(sys.stdin.buffer, start=1):
            if number == 1:
                _refuse_table(line, graph)
            yield number, line
    except OSError as error:  # such as a device that was unplugged
        raise FileError(f"standard input cannot be read ({error.strerror})") from None


def _refuse_table(line: bytes, graph: TaskGraph) -> None:
    from stepgraph.formats.text import table_columns

    first = line.decode("utf-8-sig", "replace").strip()
    if first in graph.vocabulary:
        return
    if cells := table_columns(first, {}):
        raise InputError(
            f"standard input: a table, by its first line ({', '.join(map(repr, cells))}); expected "
            "a step on each line. 'stepgraph check GRAPH FILE' looks at tables"
        )
