"""`stepgraph convert`: a graph in another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output import echo, print_notes
from stepgraph.cli.output_files import check_file, check_format, check_replaced

if TYPE_CHECKING:
    from stepgraph.graph import TaskGraph


def convert(
    graph: options.Graph,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write; its ending says the format: .json, .dot, .gv, .graphml, .mmd, "
            ".pnml, .bpmn.",
            show_default=False,
        ),
    ],
    break_cycles: Annotated[
        bool,
        typer.Option(
            "--break-cycles",
            help="For .adjlist: post-process it, so that steps which need each other need not.",
        ),
    ] = False,
) -> None:
    """Write a task graph in another format.

    Example: stepgraph convert pancakes.graph.json -o pancakes.dot
    """
    from stepgraph.files import write_text
    from stepgraph.formats import graph_text, read_graph

    loaded = _post_processed(graph) if break_cycles else read_graph(graph)
    check_file(output)
    check_format(Path(output))
    check_replaced(output)
    write_text(output, graph_text(loaded, Path(output).suffix))
    print_notes(_not_expressed(loaded, Path(output)))
    echo(f"{Path(output)}: written")


def _not_expressed(graph: TaskGraph, path: Path) -> list[str]:
    """Return a note on repeatable steps, which a process without rules does only once."""
    from stepgraph.graph.rules import rules_in_words

    again = [f"'{step}'" for step, about in graph.attributes.items() if about.repeatable]
    if path.suffix.lower() != ".bpmn" or not again or rules_in_words(graph):
        return []
    return [f"{path}: done once, though they may be repeated: {', '.join(again)}"]


def _post_processed(path: Path) -> TaskGraph:
    """Return an adjacency list's graph without its cycles, and print the changes."""
    from stepgraph.formats import read_adjacency
    from stepgraph.postprocess import to_graph

    result = to_graph(read_adjacency(path), procedure=path.stem)
    print_notes(map(str, result.changes))
    return result.graph
