"""`stepgraph predict`: the graph of a procedure without recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output_files import GraphTarget, print_report


def predict(
    steps: Annotated[
        Path,
        typer.Argument(
            metavar="STEPS", help="A text file with one step name a line.", show_default=False
        ),
    ],
    model: Annotated[
        Path,
        typer.Option(
            "--model",
            metavar="FILE",
            help="A network from 'stepgraph learn --method tgt-text --save-model'.",
            show_default=False,
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="The graph file to write, .json or a format of 'stepgraph convert'.",
        ),
    ] = None,
    embeddings: options.Embeddings = None,
    threshold: options.Threshold = None,
    relaxed: options.Relaxed = False,
    changes: options.Changes = False,
    as_json: options.AsJson = False,
) -> None:
    """Predict a task graph from the names of its steps alone.

    The procedure need not have been demonstrated; a network trained on others predicts it.

    Example: stepgraph predict steps.txt --model network.safetensors -o predicted.json
    """
    from stepgraph.formats import read_steps
    from stepgraph.pipeline import predict as predict_graph
    from stepgraph.pipeline.outcomes import Outcome
    from stepgraph.pipeline.procedures import LearningReport

    names = read_steps(steps)
    target = GraphTarget.of(steps, [steps.stem], output)
    learning = predict_graph(
        names,
        model,
        embeddings=embeddings,
        procedure=steps.stem,
        threshold=threshold,
        relaxed=relaxed,
    )
    report = LearningReport((Outcome.of(learning, steps.stem),), batches=1)
    target.write(report.learned)
    print_report(report, target, changes=changes, as_json=as_json)
