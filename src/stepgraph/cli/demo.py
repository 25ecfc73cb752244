"""`stepgraph demo`: learn, score and check the procedures that ship with stepgraph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stepgraph.cli.output import (
    count,
    echo,
    print_graph,
    print_table,
    progress_bar,
    shows_unicode,
)

if TYPE_CHECKING:
    from stepgraph.graph import TaskGraph
    from stepgraph.procedures import Procedure

METHOD = "do"
"""The paper's own method."""


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder for the graphs.")
    ] = Path("demo-output"),
) -> None:
    """Learn the procedures that ship with stepgraph and score them.

    The command then replays a recording with a mistake, and points the mistake out.

    Example: stepgraph demo -o demo-output
    """
    from stepgraph.evaluation import compare_edges
    from stepgraph.evaluation.controls import no_order
    from stepgraph.files import write_into_folder
    from stepgraph.formats import graph_text
    from stepgraph.pipeline import LearningOptions, learn_together
    from stepgraph.procedures import load_procedure, procedure_names

    procedures = [load_procedure(name) for name in procedure_names()]
    given = [procedure.demonstrations for procedure in procedures]
    with progress_bar() as progress:
        learnings = [*learn_together(given, LearningOptions(METHOD), progress=progress)]
    rows, texts = [], {}
    for procedure, learning in zip(procedures, learnings, strict=True):
        for suffix in (".json", ".dot"):
            texts[f"{procedure.name}{suffix}"] = graph_text(learning.graph, suffix)
        scores = compare_edges(learning.graph, procedure.graph)
        control = compare_edges(no_order(procedure.demonstrations), procedure.graph)
        figures = (scores.precision, scores.recall, scores.f1, control.f1)
        rows.append([procedure.name, *(f"{100 * figure:.1f}" for figure in figures)])
        print_graph(learning.graph)
        echo(
            f"against the known graph: precision {100 * scores.precision:.1f}, "
            f"recall {100 * scores.recall:.1f}, F1 {100 * scores.f1:.1f}\n"
        )
    print_table(
        ["procedure", "precision", "recall", "F1", "F1 without any order"],
        rows,
        title=f"The method '{METHOD}' on the recordings without mistakes, against the known graphs",
    )
    _catch_a_mistake(procedures, [learning.graph for learning in learnings])
    write_into_folder(output, texts)
    echo(f"\n{output}: {count(2 * len(procedures), 'file')}, a graph and its DOT drawing each")


def _catch_a_mistake(procedures: list[Procedure], graphs: list[TaskGraph]) -> None:
    """Replay the first faulty recording in which the learned graph finds a mistake."""
    from stepgraph.monitoring import find_violations

    right, wrong = ("✓", "✗") if shows_unicode() else ("+", "x")
    for procedure, graph in zip(procedures, graphs, strict=True):
        for recording in procedure.faulty:
            steps = procedure.demonstrations.names(recording)
            violations = {
                violation.position: violation
                for violation in find_violations(graph, steps)
                if violation.missing
            }
            if not violations:
                continue
            echo(f"\nReplaying {recording.id} of {procedure.name}, which holds a mistake:")
            for position, step in enumerate(steps, start=1):
                mark = wrong if position in violations else right
                echo(f"  {mark} {step}")
                if position in violations:
                    missing = ", ".join(f"'{name}'" for name in violations[position].missing)
                    echo(f"    mistake: needs {missing}, not done yet")
            return
