"""`stepgraph evaluate`: score a graph against a known one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output import echo, print_json, print_table
from stepgraph.errors import GraphError


def evaluate(
    graph: options.Graph,
    truth: Annotated[
        Path,
        typer.Argument(
            metavar="TRUTH", help="The known graph of the same procedure.", show_default=False
        ),
    ],
    as_json: options.AsJson = False,
) -> None:
    """Score a graph's edges against those of a known graph.

    The scores are precision, recall and F1, with the spurious and missing edges. The graph
    without any order, which needs no learning, is scored as a control.

    Example: stepgraph evaluate learned.json pancakes.graph.json
    """
    from stepgraph.evaluation import compare_edges
    from stepgraph.formats import read_graph
    from stepgraph.graph import TaskGraph

    learned, known = read_graph(graph), read_graph(truth)
    try:
        scores = compare_edges(learned, known)
    except GraphError as error:
        raise GraphError(f"{graph} and {truth}: {error}") from None
    no_order = TaskGraph.from_preconditions(dict.fromkeys(known.steps, ()))
    control = compare_edges(no_order, known)
    if as_json:
        print_json(
            {
                "precision": scores.precision,
                "recall": scores.recall,
                "f1": scores.f1,
                "common": [list(edge) for edge in scores.common],
                "spurious": [list(edge) for edge in scores.spurious],
                "missing": [list(edge) for edge in scores.missing],
                "control_no_order": {
                    "precision": control.precision,
                    "recall": control.recall,
                    "f1": control.f1,
                },
            }
        )
        return
    print_table(
        ["", "precision", "recall", "F1"],
        [
            [name, *(f"{100 * value:.1f}" for value in (row.precision, row.recall, row.f1))]
            for name, row in ((str(graph), scores), ("control: no order", control))
        ],
    )
    for title, edges in (("spurious", scores.spurious), ("missing", scores.missing)):
        for step, needed in edges:
            echo(f"{title}: '{step}' needs '{needed}'")
