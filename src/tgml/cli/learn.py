"""`tgml learn`: recordings in, task graph out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tgml.cli import options
from tgml.cli.output import count, print_graph, print_json, print_notes, progress_bar
from tgml.errors import InputError

if TYPE_CHECKING:
    from tgml.pipeline import Learning


def learn(
    demos: options.Demos,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The graph file to write; for several procedures, a folder.",
        ),
    ] = None,
    method: Annotated[
        str, typer.Option("--method", "-m", help="How to learn; see 'tgml methods'.")
    ] = "do",
    seed: Annotated[int, typer.Option(help="For methods that draw at random.")] = 0,
    repetitions: Annotated[
        str,
        typer.Option(
            metavar="first|last|expand|random",
            help="Which occurrence counts where a recording repeats a step.",
        ),
    ] = "first",
    order: options.Order = None,
    procedure: options.Procedure = None,
    with_mistakes: Annotated[
        bool, typer.Option(help="Learn also from recordings with marked mistakes.")
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option(help="Edges weigh more than this. Default: 1 / number of nodes."),
    ] = None,
    relaxed: Annotated[
        bool, typer.Option(help="Post-process as the paper does for noisy sequences.")
    ] = False,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting of the method; repeatable."),
    ] = None,
    file_format: options.Format = None,
    column: options.ColumnNames = None,
    errors: options.Errors = None,
    changes: Annotated[
        bool, typer.Option(help="List what post-processing removed and added.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Learn a task graph from recordings.

    Example: tgml learn pancakes.csv -o pancakes.graph.json
    """
    from tgml.pipeline import learn_all
    from tgml.readers import read_demonstrations

    reading = read_demonstrations(
        demos,
        format=file_format,
        order=order,
        procedure=procedure,
        columns=options.columns(column),
        errors=errors,
    )
    several = len(reading.procedures) > 1
    if several and (output is None or output.suffix):
        reading.only(None)  # says which procedures there are and how to choose
    with progress_bar() as progress:
        learnings = learn_all(
            list(reading.procedures.values()),
            method,
            seed=seed,
            threshold=threshold,
            relaxed=relaxed,
            with_mistakes=with_mistakes,
            progress=progress,
            repetitions=repetitions,
            **options.settings(setting),
        )
    paths = _save(learnings, output, several) if output is not None else [None] * len(learnings)
    if as_json:
        print_json(
            [_as_json(learning, path) for learning, path in zip(learnings, paths, strict=True)]
        )
        return
    print_notes(reading.notes)
    for learning, path in zip(learnings, paths, strict=True):
        about = f"{learning.graph.procedure}: " if several else ""
        print_notes(f"{about}{note}" for note in learning.notes)
        if not several:
            print_graph(learning.graph)
        if changes:
            for change in learning.changes:
                typer.echo(f"{about}{change}")
        if path is not None:
            edges = count(len(learning.graph.edges), "edge")
            typer.echo(f"{path}: {count(len(learning.graph.steps), 'step')}, {edges}")


def _save(learnings: list[Learning], output: Path, several: bool) -> list[Path | None]:
    from tgml.storage import make_folder, save_graph

    if not several and not output.is_dir():
        save_graph(learnings[0].graph, output)
        return [output]
    make_folder(output)
    paths: dict[Path, str] = {}
    for learning in learnings:
        name = learning.graph.procedure or "graph"
        path = output / f"{_file_name(name)}.json"
        if path in paths:
            raise InputError(
                f"{path}: the procedures {paths[path]!r} and {name!r} would share this file; "
                "learn them one at a time with --procedure"
            )
        paths[path] = name
    for path, learning in zip(paths, learnings, strict=True):
        save_graph(learning.graph, path)
    return list(paths)


def _file_name(name: str) -> str:
    kept = "".join(char if char.isalnum() or char in "-_." else "-" for char in name)
    return kept.strip("-.") or "graph"


def _as_json(learning: Learning, path: Path | None) -> dict[str, Any]:
    from tgml.storage import graph_to_json

    return {
        "file": None if path is None else str(path),
        "graph": graph_to_json(learning.graph),
        "changes": [str(change) for change in learning.changes],
        "notes": list(learning.notes),
        "facts": dict(learning.facts),
    }
