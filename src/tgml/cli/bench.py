"""`tgml bench`: the paper's tables and our speed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tgml.cli.output import print_notes, print_table, progress_bar
from tgml.errors import SettingError


def bench(
    name: Annotated[
        str | None, typer.Argument(help="Which benchmark; without it, a list.", show_default=False)
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="The data directory. Default: the variable TGML_DATA.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="Only these methods, with commas between them.")
    ] = None,
    seeds: Annotated[int, typer.Option(help="How many runs a method that draws gets.")] = 5,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures as JSON, too.")
    ] = None,
) -> None:
    """Run a benchmark and print its table, the paper's figures beside ours.

    Example: tgml bench captaincook4d --data ~/datasets --json captaincook4d.json
    """
    from tgml.benchmarks import BENCHMARKS, run_benchmark
    from tgml.storage import write_text

    if name is None:
        print_table(["benchmark", "what"], [[e.name, e.summary] for e in BENCHMARKS.values()])
        return
    if seeds < 1:
        raise SettingError(f"--seeds is {seeds}; expected 1 or more")
    chosen = (
        None if methods is None else [part.strip() for part in methods.split(",") if part.strip()]
    )
    with progress_bar() as progress:
        result = run_benchmark(name, data=data, methods=chosen, seeds=seeds, progress=progress)
    if json_file is not None:
        write_text(json_file, result.to_json())
    print_table(
        [column.title for column in result.columns],
        [[column.cell(row) for column in result.columns] for row in result.rows],
        title=result.title,
    )
    print_notes(result.notes)
