"""`tgml bench`: the paper's tables and our speed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tgml.cli import options
from tgml.cli.output import echo, print_notes, print_table, progress_bar
from tgml.cli.targets import check_file, check_folder

if TYPE_CHECKING:
    from tgml.benchmarks import BenchmarkResult


def bench(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="Which benchmark; without it, a list.", show_default=False
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The data directory. Default: the variable TGML_DATA."),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Only these methods, with commas between; repeatable."),
    ] = None,
    seeds: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many runs a method that draws gets.")
    ] = 5,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write the figures as JSON, too.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Write a page, Markdown and JSON there; some, such as 'paper', always do, by "
            "default to bench-output.",
        ),
    ] = None,
) -> None:
    """Run a benchmark; print the paper's figures beside ours.

    Example: tgml bench captaincook4d --data ~/datasets --json captaincook4d.json
    """
    from tgml.benchmarks import BENCHMARKS, run_benchmark
    from tgml.files import write_text

    if name is None:
        print_table(["benchmark", "what"], [[e.name, e.summary] for e in BENCHMARKS.values()])
        return
    chosen = options.list_of_names("--methods", ",".join(methods) if methods else None)
    if output is None and name in BENCHMARKS and BENCHMARKS[name].folder:
        output = Path(BENCHMARKS[name].folder)
    if json_file is not None:
        check_file(json_file)
    if output is not None:
        check_folder(output)
    with progress_bar() as progress:
        result = run_benchmark(name, data=data, methods=chosen, seeds=seeds, progress=progress)
    if json_file is not None:
        write_text(json_file, result.to_json())
    for part in result.parts or [result]:
        titles = [column.title for column in part.columns]
        print_table(titles, part.table(), title=part.title)
        print_notes(part.notes)
    if output is not None:
        _write_pages(result, output)


def _write_pages(result: BenchmarkResult, folder: Path) -> None:
    from tgml.benchmarks import BENCHMARKS
    from tgml.benchmarks.pages import to_html, to_markdown
    from tgml.files import write_into_folder

    name = result.benchmark
    texts = {
        f"{name}.html": to_html(result),
        f"{name}.md": to_markdown(result),
        f"{name}.json": result.to_json(),
    }
    if BENCHMARKS[name].charts_as_files:
        texts |= {f"{name}-{chart}.svg": svg for chart, svg in result.charts.items()}
    for path in write_into_folder(folder, texts):
        echo(f"{path}: written")
