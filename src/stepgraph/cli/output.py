"""What commands print: text, tables, drawings, and progress where somebody watches."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from stepgraph.errors import FileError

if TYPE_CHECKING:
    from stepgraph.graph import TaskGraph
    from stepgraph.learners import Progress

MINIMUM_WIDTH = 40
"""Terminals narrower than this are written to as if they had so many columns."""


def prepare_streams() -> None:
    """Let characters that the terminal cannot show become escapes instead of errors."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def echo(text: str = "") -> None:
    """Print a text of one or more lines."""
    from stepgraph.layout.text import printable

    # Names come from files and may hold anything, also what would move the cursor.
    _write(sys.stdout, "\n".join(map(printable, text.split("\n"))))


def print_notes(notes: Iterable[str]) -> None:
    """Print what a reader should know, on the error stream so that pipes stay clean."""
    for note in notes:
        _print_aside("note", note)


def print_error(message: str) -> None:
    """Print what went wrong, as one line on the error stream."""
    _print_aside("error", message)


def print_json(content: Any) -> None:
    """Print a value as JSON."""
    _write(sys.stdout, json.dumps(content, indent=2, ensure_ascii=not shows_unicode()))


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "") -> None:
    """Print a table that fits the terminal; columns of figures stand to the right."""
    from stepgraph.cli.tables import lay_out
    from stepgraph.layout.text import wrap

    if title:
        echo("\n".join(wrap(title, _width())) + "\n")
    lines = lay_out(titles, list(rows), width=_width(), unicode=shows_unicode())
    echo("\n".join(lines))


def print_graph(graph: TaskGraph) -> None:
    """Print a drawing of a graph."""
    from stepgraph.drawing.terminal import draw

    about = f"{graph.procedure}: " if graph.procedure else ""
    echo(f"{about}{count(len(graph.steps), 'step')}, {count(len(graph.edges), 'edge')}")
    for line in draw(graph, width=_width(), unicode=shows_unicode()):
        echo(line)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Give a function to tell progress to: a bar on a terminal, nothing elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total, what: None  # noqa: ARG005
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
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


def somebody_looks() -> bool:
    """Return whether what is printed goes to a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def shows_unicode() -> bool:
    """Return whether what is printed may hold more than ASCII."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    return encoding.lower().replace("-", "").startswith("utf")


def discard_output() -> None:
    """Drop what is still to be printed, also what Python would print when it ends."""
    _discard(sys.stdout)


def _print_aside(kind: str, text: str) -> None:
    from stepgraph.layout.text import printable

    _write(sys.stderr, f"{kind}: {printable(text)}")


def _write(stream: Any, text: str) -> None:
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        # Whoever read this has had enough; the work goes on and the exit code stays true.
        _discard(stream)
    except OSError as error:
        _discard(stream)
        if stream is sys.stdout:
            raise FileError(f"the output cannot be written ({error.strerror})") from None


def _discard(stream: Any) -> None:
    if stream is None:
        return
    with Path(os.devnull).open("wb") as nowhere, suppress(OSError):  # not every stream is a file's
        os.dup2(nowhere.fileno(), stream.fileno())


def _width() -> int:
    return max(get_terminal_size((100, 24)).columns, MINIMUM_WIDTH)
