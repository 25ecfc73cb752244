"""`stepgraph align`: explain recordings by a graph, as moves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output import count, echo, print_json, print_notes
from stepgraph.cli.recordings import read_for_graph
from stepgraph.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from stepgraph.alignment import Alignment, Costs, Kind
    from stepgraph.graph import TaskGraph


def align(
    graph: options.Graph,
    demos: options.Demos,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            "--cost",
            metavar="KIND[:STEP]=X",
            help="The cost of a move (done, skipped or inserted), for every step or for one, as in "
            "'skipped:serve=3'; repeatable. Default: skipped=1, inserted=1, done=0.",
        ),
    ] = None,
    order: options.Order = None,
    procedure: options.Procedure = None,
    recording: options.Recordings = None,
    file_format: options.Format = None,
    column: options.ColumnNames = None,
    as_json: options.AsJson = False,
) -> None:
    """Explain each recording by the graph, as cheaply as possible.

    The explanation lists the skipped, moved, repeated and inserted steps; all others stay in
    place. Fitness is 1 where all stay. Precision is the share of the next
    steps allowed by the graph that the recordings show.

    Example: stepgraph align pancakes.graph.json pancakes.csv
    """
    from stepgraph.alignment import conformance
    from stepgraph.formats import read_graph
    from stepgraph.graph.evidence import doubtful
    from stepgraph.monitoring import find_violations
    from stepgraph.monitoring.violations import broken_edges

    costs = _costs(cost)
    loaded = read_graph(graph)
    demonstrations, notes = read_for_graph(
        loaded,
        demos,
        only=recording,
        **options.reading(file_format, order, procedure, column),
    )
    result = conformance(loaded, demonstrations, costs=costs)
    print_notes(notes)
    if as_json:
        print_json(
            {
                "cost": result.cost,
                "fitness": result.fitness,
                "precision": result.precision,
                "recordings": [alignment.to_json() for alignment in result.alignments],
            }
        )
        return
    for alignment in result.alignments:
        _print_alignment(loaded, alignment)
    fitting = sum(not alignment.cost for alignment in result.alignments)
    echo(
        f"{count(len(result.alignments), 'recording')}: {fitting} as the graph says; "
        f"cost {result.cost:g}, fitness {result.fitness:.3f}, precision {result.precision:.3f}"
    )
    wrong = [
        violation
        for one in demonstrations
        for violation in find_violations(loaded, demonstrations.names(one))
    ]
    print_notes(doubtful(loaded, among=broken_edges(wrong)))


def _print_alignment(graph: TaskGraph, alignment: Alignment) -> None:
    from stepgraph.alignment import explain_alignment

    lines = explain_alignment(graph, alignment)
    if not lines:
        echo(f"{alignment.recording}: as the graph says")
        return
    stayed = len(alignment.done)
    of = stayed + len(alignment.inserted)
    echo(
        f"{alignment.recording}: cost {alignment.cost:g}, fitness {alignment.fitness:.3f}; "
        f"{stayed} of {count(of, 'step')} stay"
    )
    for line in lines:
        echo(f"  {line}")


def _costs(options: Iterable[str] | None) -> Costs:
    """Return ``--cost`` options as costs."""
    from stepgraph.alignment import KINDS, Costs

    every: dict[str, float] = {}
    single: dict[tuple[Kind, str], float] = {}
    for text in options or ():
        what, equals, number = text.rpartition("=")  # a step's name may hold the sign, too
        kind, colon, step = what.partition(":")
        kind, step = kind.strip(), step.strip()
        if not equals or not kind or (colon and not step):
            raise SettingError(f"--cost {text!r}: expected KIND=X or KIND:STEP=X")
        if kind not in KINDS:
            raise UnknownNameError("kind of move", kind, KINDS, "--cost")
        try:
            value = float(number)
        except ValueError:
            raise SettingError(f"--cost {text!r}: {number.strip()!r} is not a number") from None
        if (kind, step) in single or (not step and kind in every):
            raise SettingError(f"--cost: {what.strip()!r} is given twice")
        if step:
            single[kind, step] = value
        else:
            every[kind] = value
    return Costs(**every, steps=single)
