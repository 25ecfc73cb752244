"""What commands print: text, tables, drawings, and progress where somebody watches."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from tgml.graph import TaskGraph
    from tgml.learners import Progress


def print_json(content: Any) -> None:
    """Print a value as JSON."""
    typer.echo(json.dumps(content, indent=2, ensure_ascii=False))


def print_notes(notes: Iterable[str]) -> None:
    """Print what a reader should know, on the error stream so that pipes stay clean."""
    for note in notes:
        typer.echo(f"note: {note}", err=True)


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "") -> None:
    """Print a table that fits the terminal; columns of figures stand to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    body = [list(row) for row in rows]
    table = Table(title=title or None, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for number, heading in enumerate(titles):
        cells = [row[number] for row in body if row[number]]
        figures = bool(cells) and all(cell[0].isdigit() or cell[0] == "-" for cell in cells)
        table.add_column(heading, justify="right" if figures else "left", overflow="fold")
    for row in body:
        table.add_row(*(Text(cell) for cell in row))
    Console(width=_width(), highlight=False, soft_wrap=False).print(table)


def print_graph(graph: TaskGraph) -> None:
    """Print a drawing of a graph."""
    from tgml.rendering.terminal import MINIMUM_WIDTH, draw

    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    if graph.procedure:
        typer.echo(f"{graph.procedure}: {len(graph.steps)} steps, {len(graph.edges)} edges")
    for line in draw(graph, width=max(_width(), MINIMUM_WIDTH), unicode=encoding.startswith("utf")):
        typer.echo(line)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Give a function to tell progress to: a bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda done, total, what: None  # noqa: ARG005
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda done, total, what: bar.update(
            task, completed=done, total=total, description=what
        )


def count(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> count(1, "step"), count(3, "step")
    ('1 step', '3 steps')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def _width() -> int:
    return get_terminal_size((100, 24)).columns
