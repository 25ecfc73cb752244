"""`python -m benchmarks`: the paper's tables and our speed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output import echo, print_json, print_notes, print_table, progress_bar
from stepgraph.cli.targets import check_file, check_folder

if TYPE_CHECKING:
    from benchmarks import BenchmarkResult


def _names() -> Iterable[str]:
    from benchmarks import BENCHMARKS

    return BENCHMARKS


def bench(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Which benchmark; without it, a list.",
            show_default=False,
            autocompletion=options.completing(_names),
        ),
    ] = None,
    data: options.DataDirectory = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Only these methods, with commas between; repeatable."),
    ] = None,
    seeds: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many runs a method that draws gets.")
    ] = 5,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="Write the figures to this .json file; or a page, Markdown and JSON to this "
            "folder, which some, such as 'paper', always do, by default to bench-output.",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Run a benchmark; print the paper's figures beside ours.

    Example: python -m benchmarks captaincook4d --data ~/datasets -o captaincook4d.json
    """
    from benchmarks import BENCHMARKS, run_benchmark
    from stepgraph.files import write_text

    if name is None:
        if as_json:
            print_json([{"name": e.name, "summary": e.summary} for e in BENCHMARKS.values()])
        else:
            print_table(["benchmark", "what"], [[e.name, e.summary] for e in BENCHMARKS.values()])
        return
    chosen = options.list_of_names("--methods", ",".join(methods) if methods else None)
    if output is None and name in BENCHMARKS and BENCHMARKS[name].folder:
        output = BENCHMARKS[name].folder
    is_file = output is not None and Path(output).suffix.lower() == ".json"
    if output is not None:
        check_file(output) if is_file else check_folder(Path(output))
    with progress_bar() as progress:
        result = run_benchmark(name, data=data, methods=chosen, seeds=seeds, progress=progress)
    written: Sequence[Path] = ()
    if output is not None and is_file:
        write_text(output, result.to_json())
        written = [Path(output)]
    elif output is not None:
        written = _write_pages(result, Path(output))
    if as_json:
        print_json(result.content())
        return
    for part in result.parts or [result]:
        titles = [column.title for column in part.columns]
        print_table(titles, part.table(), title=part.title)
        print_notes(part.notes)
    for path in written:
        echo(f"{path}: written")


def _write_pages(result: BenchmarkResult, folder: Path) -> Sequence[Path]:
    from benchmarks import BENCHMARKS
    from benchmarks.pages import to_html, to_markdown
    from stepgraph.files import write_into_folder

    name = result.benchmark
    texts = {
        f"{name}.html": to_html(result),
        f"{name}.md": to_markdown(result),
        f"{name}.json": result.to_json(),
    }
    if BENCHMARKS[name].charts_as_files:
        texts |= {f"{name}-{chart}.svg": svg for chart, svg in result.charts.items()}
    return write_into_folder(folder, texts)
