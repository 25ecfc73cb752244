"""`python -m benchmarks simulate`: features, labels and a graph to try a recogniser with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output import count, echo, print_notes
from stepgraph.cli.targets import check_folder


def simulate(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="Which procedure that ships with stepgraph."),
    ] = "pancakes",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write.")
    ] = Path("camera"),
    recordings: Annotated[
        int, typer.Option(metavar="N", min=2, help="How many recordings to train on.")
    ] = 20,
    test: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many to run, every second with errors.")
    ] = 4,
    noise: Annotated[float, typer.Option(metavar="X", help="How blurred frames are.")] = 2.0,
    seed: options.Seed = 0,
) -> None:
    """Write simulated features, labels and a graph to try it with.

    They are drawn at random, not taken from any video: each step is a point of its own in
    feature space, blurred by noise and a slow drift. Figures measured on them say nothing about
    real video.

    Example: python -m benchmarks simulate pancakes -o camera
    """
    from benchmarks.generators.features import SimulatedCamera, draw_sessions
    from stepgraph.files import make_folder, write_text
    from stepgraph.procedures import load_procedure
    from stepgraph.recognise import save_frames
    from stepgraph.storage import save_graph

    graph = load_procedure(name).graph
    camera = SimulatedCamera(graph.steps, noise=noise, seed=seed)
    check_folder(output)
    make_folder(output)
    kinds = ("rgb", "flow")
    films = camera.film(draw_sessions(graph, recordings, seed=seed), seed=2 * seed)
    tests = camera.film(
        draw_sessions(graph, test, seed=seed + 1, every_second_errs=True), seed=2 * seed + 1
    )
    save_frames(films, output, kinds)
    save_frames(tests, output / "test", kinds)
    write_text(output / "classes.txt", "\n".join(camera.classes) + "\n")
    save_graph(graph, output / "graph.json")
    frames = sum(map(len, films))
    echo(
        f"{output}: simulated features of {count(len(films), 'recording')} to train on "
        f"({frames:,} frames) and {len(tests)} to run"
    )
    print_notes(
        [
            "simulated: no video was involved",
            (
                f"next: stepgraph recognise train {output}/rgb {output}/flow --labels "
                f"{output}/labels --classes {output}/classes.txt --background {camera.classes[0]} "
                f"-o {output}/model.safetensors"
            ),
        ]
    )
