"""`python -m benchmarks`: run benchmarks, the paper's too, get data, simulate a camera.

It runs from a checkout of the repository: the wheel does not hold the benchmarks.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.datasets.command import DataDirectory, data_app
from benchmarks.harness import list_of_names
from stepgraph.cli import options
from stepgraph.cli.main import run_app
from stepgraph.cli.output import count, echo, print_json, print_notes, print_table, progress_bar
from stepgraph.cli.output_files import check_file, check_folder

if TYPE_CHECKING:
    from benchmarks import BenchmarkResult

NAME = "python -m benchmarks"
SETTINGS = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


def bench(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="The benchmark; without it, list all.",
            show_default=False,
        ),
    ] = None,
    data: DataDirectory = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Run only these methods; repeatable."),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Number of runs of a method that draws at random."),
    ] = 5,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="Write the figures to this .json file, or a page, Markdown, LaTeX and JSON to "
            "this folder. Benchmarks with charts write to bench-output by default.",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Run a benchmark; print the paper's figures beside ours.

    'data' in place of a name lists the public data sets and 'data fetch' downloads them;
    'simulate' writes features to try a recogniser with; 'paper' recomputes all of the paper's
    tables and figures. Each has a --help of its own.

    Example: python -m benchmarks captaincook4d --data ~/datasets -o captaincook4d.json
    """
    from benchmarks import BENCHMARKS, run_benchmark

    if name is None:
        _list_benchmarks(as_json)
        return
    chosen = list_of_names("--methods", methods)
    if output is None and name in BENCHMARKS and BENCHMARKS[name].folder:
        output = BENCHMARKS[name].folder
    if output is not None:
        check_file(output) if _is_json(output) else check_folder(Path(output))
    with progress_bar() as progress:
        result = run_benchmark(name, data=data, methods=chosen, seeds=seeds, progress=progress)
    written = [] if output is None else _write(result, output)
    if as_json:
        print_json(result.content())
        return
    for part in result.tables():
        titles = [column.title for column in part.columns]
        print_table(titles, part.table(), title=part.title)
        print_notes(part.notes)
    for path in written:
        echo(f"{path}: written")


def _list_benchmarks(as_json: bool) -> None:
    from benchmarks import BENCHMARKS

    if as_json:
        print_json([{"name": e.name, "summary": e.summary} for e in BENCHMARKS.values()])
    else:
        print_table(["benchmark", "what"], [[e.name, e.summary] for e in BENCHMARKS.values()])


def _is_json(output: str) -> bool:
    return Path(output).suffix.lower() == ".json"


def _write(result: BenchmarkResult, output: str) -> Sequence[Path]:
    """Write a result to a JSON file, or as a page, Markdown, LaTeX and JSON to a folder."""
    from benchmarks.output import write_result
    from stepgraph.files import write_text

    if _is_json(output):
        write_text(output, result.to_json())
        return [Path(output)]
    return write_result(result, Path(output))


def simulate(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A procedure that ships with stepgraph."),
    ] = "pancakes",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write.")
    ] = Path("camera"),
    recordings: Annotated[
        int, typer.Option(metavar="N", min=2, help="Number of recordings to train on.")
    ] = 20,
    test: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Number of recordings to run; every second one has errors."
        ),
    ] = 4,
    noise: Annotated[float, typer.Option(metavar="X", help="Noise of the frames.")] = 2.0,
    seed: options.Seed = 0,
) -> None:
    """Write simulated features, labels and a graph to try a recogniser with.

    They are drawn at random, not taken from any video: each step is a point of its own in
    feature space, blurred by noise and a slow drift. Figures measured on them say nothing about
    real video.

    Example: python -m benchmarks simulate pancakes -o camera
    """
    from benchmarks.generators.features import SimulatedCamera, draw_sessions
    from stepgraph.files import make_folder, write_text
    from stepgraph.formats import save_graph
    from stepgraph.procedures import load_procedure
    from stepgraph.recognise import save_frames

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


def _single(command: object) -> typer.Typer:
    app = typer.Typer(name=NAME, add_completion=False, **SETTINGS)  # type: ignore[arg-type]
    app.command()(command)  # type: ignore[type-var]
    return app


def main() -> None:
    """Run what the first word names: a benchmark, `paper`, `data` or `simulate`."""
    match sys.argv[1:2]:
        case ["data"]:
            del sys.argv[1]
            run_app(data_app, f"{NAME} data")
        case ["paper"]:
            from benchmarks.paper.command import paper  # every benchmark comes with it

            del sys.argv[1]
            run_app(_single(paper), f"{NAME} paper")
        case ["simulate"]:
            del sys.argv[1]
            run_app(_single(simulate), f"{NAME} simulate")
        case _:
            run_app(_single(bench), NAME)


if __name__ == "__main__":
    main()
