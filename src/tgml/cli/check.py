"""`tgml check`: recordings held against a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from tgml.cli import options
from tgml.cli.output import count, print_json, print_notes
from tgml.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from pathlib import Path

    from tgml.graph import TaskGraph
    from tgml.readers import Reading
    from tgml.sequences import Demonstrations


def check(
    graph: options.Graph,
    sequences: options.Demos,
    order: options.Order = None,
    procedure: options.Procedure = None,
    file_format: options.Format = None,
    column: options.ColumnNames = None,
    as_json: options.AsJson = False,
) -> None:
    """Name each step that was done before something it needs.

    The exit code is 0 if there is none, 1 if there are some.

    Example: tgml check pancakes.graph.json pancakes.csv
    """
    from tgml.monitoring import find_violations
    from tgml.readers import read_demonstrations, read_graph

    loaded = read_graph(graph)
    reading = read_demonstrations(
        sequences,
        format=file_format,
        order=order,
        procedure=procedure,
        columns=options.columns(column),
    )
    demonstrations = _of_this_procedure(reading, loaded)
    _share_a_step(loaded, demonstrations, sequences)
    found = [
        (recording.id, find_violations(loaded, demonstrations.names(recording)))
        for recording in demonstrations
    ]
    if as_json:
        print_json([_as_json(id_, violations) for id_, violations in found])
    else:
        print_notes(reading.notes)
        for id_, violations in found:
            for violation in violations:
                typer.echo(f"{id_}: {violation}")
        wrong = sum(bool(violations) for _, violations in found)
        total = sum(len(violations) for _, violations in found)
        typer.echo(
            f"{count(len(found), 'recording')}: {len(found) - wrong} in a valid order, "
            f"{wrong} with {count(total, 'violation')}"
        )
    if any(violations for _, violations in found):
        raise typer.Exit(1)


def _of_this_procedure(reading: Reading, graph: TaskGraph) -> Demonstrations:
    """Return the recordings of the graph's own procedure where a file holds several."""
    if len(reading.procedures) > 1 and graph.procedure in reading.procedures:
        return reading.procedures[graph.procedure]
    return reading.only(None)


def _share_a_step(graph: TaskGraph, demonstrations: Demonstrations, path: Path) -> None:
    shown = [demonstrations.vocabulary.name(node) for node in sorted(demonstrations.seen)]
    if any(name in graph.vocabulary for name in shown):
        return
    example = UnknownNameError("step", shown[0], graph.steps)
    raise InputError(
        f"{path}: none of its {count(len(shown), 'step')} is in the graph; {example}; "
        "is this a recording of another procedure?"
    )


def _as_json(id_: str, violations: Any) -> dict[str, Any]:
    return {
        "recording": id_,
        "valid": not violations,
        "violations": [
            {
                "position": violation.position,
                "step": violation.step,
                "missing": list(violation.missing),
                "known": violation.known,
                "nearest": list(violation.nearest),
            }
            for violation in violations
        ],
    }
