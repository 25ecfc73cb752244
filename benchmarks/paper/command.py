"""`python -m benchmarks paper`: every table and figure of the paper, with a plan and resumption."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.datasets.command import DataDirectory
from stepgraph.cli import options
from stepgraph.cli.output import count, echo, print_json, print_notes, print_table, progress_bar
from stepgraph.cli.output_files import check_folder
from stepgraph.errors import SettingError

if TYPE_CHECKING:
    from benchmarks.harness import BenchmarkResult
    from benchmarks.paper import Plan

FINISHED = "finished"
"""The folder of finished tasks, inside that of the pictures."""


def paper(
    data: DataDirectory = None,
    parts: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Compute only these tables and figures; repeatable."),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Compute only these rows; repeatable."),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Number of runs of a method that draws at random."),
    ] = 5,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write to.")
    ] = Path("bench-output"),
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave out the rows that train a transformer.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Compute also what an earlier run has finished.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Recompute the paper's tables and figures, as a page, Markdown, LaTeX and JSON.

    It says beforehand what it computes and how long that takes, and writes each table as soon as
    it is ready. Run again, it goes on where it stopped, and reuses what was computed with the
    same data and the same program.

    Example: python -m benchmarks paper --data ~/datasets --quick
    """
    from benchmarks.datasets import data_directory
    from benchmarks.harness import Request, list_of_names
    from benchmarks.output import write_pages, write_pictures
    from benchmarks.paper import Plan, Store, whole

    if output.suffix.lower() == ".json":
        raise SettingError(f"--output {output}: expected a folder, for a page and its pictures")
    directory = data_directory(data)
    check_folder(output)
    store = Store(output / "paper" / FINISHED, directory, seeds)
    plan = Plan.of(
        Request(directory, list_of_names("--methods", methods), seeds),
        parts=list_of_names("--parts", parts),
        quick=quick,
        store=None if fresh else store,
    )
    if not as_json:
        _print_plan(plan)
    with progress_bar() as progress:
        plan = plan.told(progress)
        ready: list[BenchmarkResult] = []
        drawn: dict[str, Path] = {}
        written: tuple[Path, ...] = ()
        for result in plan.results(store):
            ready.append(result)
            drawn |= write_pictures(result.pictures(), output / "paper")
            written = write_pages(whole(ready), output, drawn)
            if not as_json:
                echo(_told(result, f"{len(ready)} of {len(plan.parts)}"))
    if as_json:
        print_json(whole(ready).content())
        return
    for path in written:
        echo(f"{path}: written")


def _told(result: BenchmarkResult, place: str) -> str:
    lacking = sum(str(row.get("reason", "")).startswith("not computed") for row in result.rows)
    about = f"; {count(lacking, 'row')} not computed, the page says why" if lacking else ""
    return f"{result.benchmark}: ready, {place}{about}"


def _print_plan(plan: Plan) -> None:
    rows = []
    for part in plan.parts:
        reused = sum(task.name in plan.finished for task in part.tasks)
        cells = [part.name, part.table, str(len(part.tasks) or 1), str(reused)]
        rows.append([*cells, str(plan.left_out(part)), in_words(plan.seconds(part))])
    print_table(["part", "what", "rows", "reused", "left out", "expected"], rows)
    tasks = plan.open_tasks()
    echo(
        f"{count(len(tasks), 'row')} to compute; expected on two cores: {in_words(plan.seconds())}"
    )
    print_notes(plan.notes)


def in_words(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> in_words(0.2), in_words(42), in_words(95)
    ('a moment', '42 s', '2 min')
    """
    if seconds < 1:
        return "a moment"
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.0f} min"
