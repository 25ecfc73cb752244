"""`stepgraph watch`: judge steps from standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from stepgraph.cli import options
from stepgraph.cli.judging import LiveSessions, session_factory
from stepgraph.cli.output import OutputClosedError, print_notes
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
    lines and lines that begin with # are ignored. When the input ends, the command lists the steps
    that were never done.

    For steps from a recogniser that errs, use --calibration, --confusion or --error-rate: verdicts
    are then probabilities, and a step is called a mistake from the calibrated threshold on, or
    from 50 %.

    The exit code is 0 if there was no mistake and every step was done, 2 if a line or the graph
    could not be used, and 1 otherwise. With --json, the mistakes of the last line include the steps
    that were never done.

    Example: stepgraph watch pancakes.graph.json < steps.txt
    """
    from stepgraph.formats import read_graph

    loaded = read_graph(graph)
    begin = session_factory(loaded, calibration, confusion, error_rate)
    watched = LiveSessions(loaded, begin, as_json=as_json, with_next=with_next)
    if sys.stdin is not None and sys.stdin.buffer.isatty():  # a person types
        names = ", ".join(map(repr, loaded.steps))
        print_notes([f"type each step as it is done, one per line, then Ctrl-D; steps: {names}"])
    try:
        watched.take_in(_lines(loaded))
        clean = watched.finish()
    except OutputClosedError:
        # The exit code is still right for the steps so far.
        clean = not any(monitor.mistakes for monitor in watched.sessions.values())
    if not clean:
        raise typer.Exit(1)
    if not any(monitor.observed for monitor in watched.sessions.values()):
        if watched.sessions:
            raise InputError("standard input: every step was taken back, nothing is left to judge")
        raise InputError(
            "standard input: no steps; expected one on each line (see 'stepgraph watch --help')"
        )
    if watched.unusable:
        raise typer.Exit(2)


def _lines(graph: TaskGraph) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of standard input with their numbers, each as soon as it comes."""
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
            "a step on each line. 'stepgraph check GRAPH FILE' reads tables"
        )
