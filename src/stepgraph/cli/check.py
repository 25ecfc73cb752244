"""`stepgraph check`: find what of recordings does not fit a graph."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stepgraph.cli import options
from stepgraph.cli.output import count, echo, print_json, print_notes
from stepgraph.cli.recordings import read_for_graph

if TYPE_CHECKING:
    from stepgraph.graph import TaskGraph
    from stepgraph.monitoring import Violation


def check(
    graph: options.Graph,
    demos: options.Demos,
    order: options.Order = None,
    procedure: options.Procedure = None,
    recording: options.Recordings = None,
    file_format: options.Format = None,
    column: options.ColumnNames = None,
    unfinished: Annotated[
        bool,
        typer.Option(
            "--unfinished", help="The recordings may break off: do not ask for steps never done."
        ),
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """List the steps that do not fit a graph, and those never done.

    A step does not fit if it is done too early, too late, again without need, or although another
    alternative was chosen. The command checks each repetition of a step, so one oversight can
    count several times, but it is listed once, with all places. It finds something if and only if
    'stepgraph watch' and 'stepgraph align' do. The exit code is 0 if all recordings fit, and 1
    otherwise.

    Example: stepgraph check pancakes.graph.json pancakes.csv
    """
    from stepgraph.formats import read_graph
    from stepgraph.graph.evidence import doubtful
    from stepgraph.monitoring import find_violations
    from stepgraph.monitoring.violations import broken_edges

    loaded = read_graph(graph)
    demonstrations, notes = read_for_graph(
        loaded,
        demos,
        only=recording,
        **options.reading(file_format, order, procedure, column),
    )
    found = [
        (one.id, find_violations(loaded, demonstrations.names(one), complete=not unfinished))
        for one in demonstrations
    ]
    performed = {one.id: set(demonstrations.names(one)) for one in demonstrations}
    print_notes(notes)
    if as_json:
        print_json([_as_json(loaded, id_, violations, performed[id_]) for id_, violations in found])
    else:
        for id_, violations in found:
            for alike in _alike(violations):
                echo(f"{id_}: {_sentence(loaded, alike, performed[id_])}")
        echo(_summary([len(violations) for _, violations in found]))
        every = [violation for _, violations in found for violation in violations]
        print_notes(doubtful(loaded, among=broken_edges(every)))
    if any(violations for _, violations in found):
        raise typer.Exit(1)


def _alike(violations: Sequence[Violation]) -> list[list[Violation]]:
    """Group the violations that differ only in their position."""
    groups: dict[tuple[object, ...], list[Violation]] = {}
    for violation in violations:
        alike = violation.step, violation.kind, violation.missing, violation.others
        groups.setdefault(alike, []).append(violation)
    return list(groups.values())


def _sentence(graph: TaskGraph, alike: Sequence[Violation], performed: Container[str]) -> str:
    """Return alike violations in words, with the probability where every edge is doubtful."""
    violation, *others = alike
    sentence = violation.describe(performed, also_at=[other.position for other in others])
    # In the order of the sentence: first the steps done later, then those never done.
    missing = sorted(violation.missing, key=lambda needed: needed not in performed)
    evidence = [graph.evidence.get((violation.step, needed)) for needed in missing]
    probable = [found.probability or 0.0 for found in evidence if found and found.doubtful]
    if not probable or len(probable) < len(evidence):
        return sentence
    shares = " and ".join(f"{100 * share:.0f} %" for share in probable)
    return f"{sentence} (doubtful: {shares} probable)"


def _summary(numbers: Sequence[int]) -> str:
    """Return a summary of the recordings from their numbers of violations."""
    recordings = count(len(numbers), "recording")
    wrong = sum(number > 0 for number in numbers)
    if not wrong:
        return f"{recordings}: {'all ' if len(numbers) > 1 else ''}as the graph says"
    right = len(numbers) - wrong
    return (
        f"{recordings}: {right} as the graph says, {wrong} with {count(sum(numbers), 'violation')}"
    )


def _as_json(
    graph: TaskGraph, id_: str, violations: Sequence[Violation], performed: Container[str]
) -> dict[str, Any]:
    return {
        "recording": id_,
        "valid": not violations,
        "violations": [
            {
                "position": violation.position,
                "step": violation.step,
                "missing": list(violation.missing),
                "never_done": [name for name in violation.missing if name not in performed],
                "kind": violation.kind.value,
                "others": list(violation.others),
                "nearest": list(violation.nearest),
                "sentence": _sentence(graph, [violation], performed),
            }
            for violation in violations
        ],
    }
