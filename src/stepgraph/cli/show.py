"""`stepgraph show`: a graph, drawn in the terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output import echo, print_graph, print_json, print_notes


def show(
    graph: options.Graph,
    evidence: Annotated[
        bool,
        typer.Option(
            "--evidence",
            help="Also list the evidence for each edge, the optional and repeatable steps, and the "
            "choices and other rules.",
        ),
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Draw a task graph in the terminal, START on top.

    Example: stepgraph show pancakes.graph.json
    """
    from stepgraph.formats import read_graph

    loaded = read_graph(graph)
    if as_json:
        from stepgraph.formats.stepgraph_json import graph_to_json

        print_json(graph_to_json(loaded))
    else:
        from stepgraph.graph.evidence import doubtful

        print_graph(loaded)
        print_notes(doubtful(loaded))
        if evidence:
            from stepgraph.drawing.facts import describe

            lines = list(describe(loaded))
            echo("\n".join(lines) if lines else "the graph has no evidence and no attributes")
