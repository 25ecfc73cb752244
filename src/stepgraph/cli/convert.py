"""`stepgraph convert`: a graph in another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output import echo, print_notes
from stepgraph.cli.output_files import check_file, check_format, check_replaced
from stepgraph.errors import GraphError

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
    without_rules: Annotated[
        bool,
        typer.Option(
            "--without-rules",
            help="Leave out choices, undoing and what goes with what: steps with an alternative "
            "become optional, steps that are undone repeatable.",
        ),
    ] = False,
) -> None:
    """Write a task graph in another format.

    Example: stepgraph convert pancakes.graph.json -o pancakes.dot
    """
    from stepgraph.files import write_text
    from stepgraph.formats import graph_text, read_graph
    from stepgraph.graph.rules import rules_in_words

    loaded = _post_processed(graph) if break_cycles else read_graph(graph)
    if without_rules:
        loaded = _plain(loaded)
    check_file(output)
    check_format(Path(output))
    check_replaced(output)
    try:
        text = graph_text(loaded, Path(output).suffix)
    except GraphError as error:
        if rules_in_words(loaded):
            raise GraphError(f"{error}, or leave its rules out with --without-rules") from None
        raise
    write_text(output, text)
    print_notes(_not_expressed(loaded, Path(output)))
    echo(f"{Path(output)}: written")


def _plain(graph: TaskGraph) -> TaskGraph:
    """Return a graph without its rules, and print them."""
    from stepgraph.graph.rules import rules_in_words, without_rules

    print_notes(f"left out: {rule}" for rule in rules_in_words(graph))
    return without_rules(graph)


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
