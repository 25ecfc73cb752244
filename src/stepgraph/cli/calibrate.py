"""`stepgraph calibrate`: find the alarm threshold of a monitor on recordings without mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stepgraph.cli import options
from stepgraph.cli.output import count, echo, print_json, print_notes
from stepgraph.cli.output_files import check_file, check_replaced
from stepgraph.cli.recordings import read_for_graph
from stepgraph.errors import InputError, SettingError, UnknownNameError

if TYPE_CHECKING:
    from stepgraph.graph import TaskGraph
    from stepgraph.monitoring import Confusion

Steps = dict[str, tuple[str, ...]]
"""The steps of each recording, by its name."""
Notes = tuple[str, ...]


def calibrate(
    graph: options.Graph,
    demos: options.Demos,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write the calibration."),
    ],
    budget: Annotated[
        float, typer.Option(metavar="N", help="Allowed false alarms per recording, on average.")
    ] = 0.5,
    confusion: options.ConfusionFile = None,
    error_rate: options.ErrorRate = None,
    recognised: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The recogniser's output on the recordings, under the same names, to estimate its "
            "errors from.",
        ),
    ] = None,
    mistake_rate: Annotated[
        float, typer.Option(metavar="R", help="The share of steps that are mistakes.")
    ] = 0.05,
    seed: options.Seed = 0,
    order: options.Order = None,
    procedure: options.Procedure = None,
    file_format: options.Format = None,
    column: options.ColumnNames = None,
    errors: options.Errors = None,
    as_json: options.AsJson = False,
) -> None:
    """Find the probability from which a monitor raises an alarm.

    The recordings must be free of mistakes; those with marked mistakes are left out. The command
    simulates a recogniser with the given errors on them; with --recognised it judges the real
    output of the recogniser. 'stepgraph watch --calibration FILE' uses the result.

    Example: stepgraph calibrate pancakes.graph.json pancakes.csv --error-rate 0.1 -o alarm.json
    """
    from stepgraph.formats import read_graph
    from stepgraph.monitoring import calibrate as find
    from stepgraph.monitoring.calibration import CALIBRATION_FORMAT

    check_file(output)
    check_replaced(output, CALIBRATION_FORMAT)
    _check_options(confusion, error_rate, recognised, mistake_rate)
    loaded = read_graph(graph)
    reading = options.reading(file_format, order, procedure, column)
    true, notes = _without_mistakes(loaded, demos, **reading | {"errors": errors})
    seen = None
    if recognised is not None:
        seen, more = _seen(loaded, true, recognised, **reading)
        notes += more
    found = find(
        loaded,
        list(true.values()) if seen is None else list(seen.values()),
        _recogniser(loaded, true, seen, confusion, error_rate),
        budget=budget,
        mistake_rate=mistake_rate,
        seed=seed,
        recognised=seen is not None,
    )
    found.save(output)
    print_notes(notes)
    if as_json:
        print_json({**found.to_json(), "file": str(output)})
        return
    basis = f"on {count(found.recordings, 'recording')} that the recogniser saw"
    if seen is None:
        times = found.recordings // len(true)
        basis = f"on {count(len(true), 'recording')}, each simulated {times} times"
    echo(
        f"{output}: alarm from a probability of {found.threshold:.1%} on; "
        f"{found.false_alarms:.2f} false alarms per recording, {found.budget:g} allowed, {basis}"
    )


def _check_options(
    confusion: Path | None, error_rate: float | None, recognised: Path | None, mistake_rate: float
) -> None:
    sources = sum(given is not None for given in (confusion, error_rate, recognised))
    if sources > 1:
        raise SettingError(
            "--confusion, --error-rate and --recognised exclude each other; give one of them"
        )
    if not sources:
        raise SettingError(
            "the recogniser's errors are unknown; give --error-rate R, --confusion FILE or "
            "--recognised FILE"
        )
    if not 0 < mistake_rate < 1:
        raise SettingError(f"--mistake-rate {mistake_rate}: expected a number between 0 and 1")


def _without_mistakes(graph: TaskGraph, path: Path, **reading: Any) -> tuple[Steps, Notes]:
    """Read the recordings without marked mistakes; return them by name, and notes."""
    given, notes = read_for_graph(graph, path, **reading)
    clean = [recording for recording in given if not recording.has_mistakes]
    if len(clean) < len(given):
        left_out = count(len(given) - len(clean), "recording")
        notes += (f"{left_out} with marked mistakes left out",)
    if not clean:
        raise InputError(f"{path}: every recording has a marked mistake; expected some without")
    true = {recording.id: given.names(recording) for recording in clean}
    _expect_known(graph, true, path)
    return true, (*notes, *_broken(graph, true))


def _seen(graph: TaskGraph, true: Steps, path: Path, **reading: Any) -> tuple[Steps, Notes]:
    """Read the recogniser's output on the same recordings; return it by name, and notes."""
    given, notes = read_for_graph(graph, path, **reading)
    seen = {recording.id: given.names(recording) for recording in given if recording.id in true}
    if not seen:
        raise InputError(
            f"{path}: none of its recordings has the name of a true one, such as "
            f"{next(iter(true))!r}; expected the same names in both files"
        )
    _expect_known(graph, seen, path)
    if len(seen) < len(true):
        missing = count(len(true) - len(seen), "recording")
        notes += (f"{path}: {missing} of the true ones not there; left out",)
    return seen, notes


def _broken(graph: TaskGraph, true: Steps) -> list[str]:
    """Return a note on recordings that have unmarked mistakes by the graph."""
    from stepgraph.monitoring import Monitor

    broken = []
    for id_, steps in true.items():
        monitor = Monitor(graph)
        for step in steps:
            monitor.observe(step)
        if monitor.mistakes:
            broken.append(repr(id_))
    if not broken:
        return []
    named = ", ".join(broken[:3]) + (f" and {len(broken) - 3} more" if len(broken) > 3 else "")
    note = (
        f"{named}: mistakes by this graph, which count as false alarms here; if they are mistakes"
    )
    return [f"{note}, mark them or leave these recordings out"]


def _expect_known(graph: TaskGraph, given: Steps, path: Path) -> None:
    for id_, steps in given.items():
        for step in steps:
            if step not in graph.vocabulary:
                where = f"{path}: recording {id_!r}"
                raise UnknownNameError("step", step, graph.steps, where)


def _recogniser(
    graph: TaskGraph,
    true: Steps,
    seen: Steps | None,
    confusion: Path | None,
    error_rate: float | None,
) -> Confusion:
    from stepgraph.monitoring import Confusion

    if confusion is not None:
        return Confusion.read(confusion)
    if seen is not None:
        return Confusion.estimate([(true[id_], seen[id_]) for id_ in seen], graph.steps)
    return Confusion.even(graph.steps, error_rate or 0.0)
