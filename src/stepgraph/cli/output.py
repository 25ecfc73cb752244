"""What commands print: text, tables, graphs, JSON, notes, live lines, and progress on a terminal.

Messages of the library name parameters, as in ``with_mistakes=True``. `in_flags` turns them into
options, as in ``--with-mistakes``, on their way to the terminal. Notes on many procedures become
one note.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from stepgraph.errors import FileError
from stepgraph.layout.text import columns, pad, printable, wrap

if TYPE_CHECKING:
    from stepgraph.graph import TaskGraph
    from stepgraph.learners import Progress


MINIMUM_WIDTH = 40
"""Narrower terminals are written to as if they had this many columns."""


def prepare_streams() -> None:
    """Print characters that the terminal cannot show as escapes instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def echo(text: str = "") -> None:
    """Print a text of one or more lines."""
    # Names from files may hold anything, including control characters.
    _write(sys.stdout, "\n".join(map(printable, text.split("\n"))))


def print_notes(notes: Iterable[str]) -> None:
    """Print notes on the error stream, so that pipes stay clean."""
    for note in notes:
        _print_aside("note", note)


def print_error(message: str) -> None:
    """Print an error as one line on the error stream."""
    _print_aside("error", message)


def print_json(content: Any) -> None:
    """Print a value as JSON."""
    _write(sys.stdout, json.dumps(content, indent=2, ensure_ascii=not shows_unicode()))


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "") -> None:
    """Print a table that fits the terminal; columns of figures stand to the right."""
    if title:
        echo("\n".join(wrap(title, _width())) + "\n")
    lines = table_lines(titles, list(rows), width=_width(), unicode=shows_unicode())
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
    """Give a function that reports progress: a bar on a terminal, nothing elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total, what: None  # noqa: ARG005
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    parts = (BarColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*parts, console=Console(stderr=True), transient=True) as bar:
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


def is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def shows_unicode() -> bool:
    """Return whether standard output can show more than ASCII."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    return encoding.lower().replace("-", "").startswith("utf")


def discard_output() -> None:
    """Discard all further output, including what Python prints when it ends."""
    _discard(sys.stdout)


def _print_aside(kind: str, text: str) -> None:
    _write(sys.stderr, f"{kind}: {printable(in_flags(text))}")


def _write(stream: Any, text: str) -> None:
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        # The reader has closed the pipe; the work goes on and the exit code stays right.
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


_GAP = "  "


def table_lines(
    titles: Sequence[str], rows: Sequence[Sequence[str]], *, width: int, unicode: bool = True
) -> list[str]:
    """Return the lines of a table; columns of figures stand to the right.

    Texts that do not fit are wrapped at blanks. Where not even their longest words fit beside
    one another, each row becomes a block of lines, one a column.

    Parameters
    ----------
    titles
        The headings.
    rows
        The cells, as many in each row as there are headings.
    width
        The width of the terminal in columns.
    unicode
        Whether the terminal can show more than ASCII.

    Examples
    --------
    >>> rows = [["mix the batter", "12"], ["fry", "3"]]
    >>> for line in table_lines(["step", "times"], rows, width=40):
    ...     print(line)
    step            times
    ──────────────  ─────
    mix the batter     12
    fry                 3
    """
    heading = [printable(title, ascii_only=not unicode) for title in titles]
    body = [[printable(cell, ascii_only=not unicode) for cell in row] for row in rows]
    by_column = list(zip(heading, *body, strict=True))
    natural = [max(columns(cell) for cell in cells) for cells in by_column]
    # Each column has room for a character of two columns.
    least = [
        max(2, *(columns(word) for cell in cells for word in cell.split())) for cells in by_column
    ]
    room = width - len(_GAP) * (len(heading) - 1)
    if sum(least) > room:
        return _as_blocks(heading, body, width)
    widths = _fit(natural, least, room)
    right = [_are_figures(cells[1:]) for cells in by_column]
    rule = ["─" * size if unicode else "-" * size for size in widths]
    lines = _row(heading, widths, right)
    lines.append(_GAP.join(rule))
    for row in body:
        lines += _row(row, widths, right)
    return lines


def _fit(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Shrink the widest columns until all fit, but never below their longest words."""
    widths = [max(*pair) for pair in zip(natural, least, strict=True)]
    while sum(widths) > room:
        spare = [number for number, size in enumerate(widths) if size > least[number]]
        widths[max(spare, key=widths.__getitem__)] -= 1
    return widths


def _row(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    wrapped = [wrap(cell, size) for cell, size in zip(cells, widths, strict=True)]
    lines = []
    for number in range(max(map(len, wrapped))):
        parts = []
        for texts, size, is_right in zip(wrapped, widths, right, strict=True):
            text = texts[number] if number < len(texts) else ""
            parts.append(" " * (size - columns(text)) + text if is_right else pad(text, size))
        lines.append(_GAP.join(parts).rstrip())
    return lines


def _as_blocks(titles: Sequence[str], body: Sequence[Sequence[str]], width: int) -> list[str]:
    lines: list[str] = []
    for row in body:
        if lines:
            lines.append("")
        for title, cell in zip(titles, row, strict=True):
            if cell:
                lines += wrap(f"{title}: {cell}" if title else cell, width)
    return lines


def _are_figures(cells: Sequence[str]) -> bool:
    shown = [cell for cell in cells if cell]
    return bool(shown) and all(cell[0].isdigit() or cell[0] == "-" for cell in shown)


GREEN, YELLOW, RED, DIM = "32", "33", "31", "2"


class OutputClosedError(Exception):
    """The reader has closed the output; there is nothing more to do."""


def in_colour() -> bool:
    """Return whether standard output is a terminal that wants colour."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        # By the convention of no-color.org, an empty value changes nothing.
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )


def print_line(text: str, colour: str = "") -> None:
    """Print a line at once.

    Raises
    ------
    OutputClosedError
        If the output has been closed.
    """
    shown = printable(text)  # names may hold control characters
    _print(f"\x1b[{colour}m{shown}\x1b[0m" if colour and in_colour() else shown)


def print_json_line(content: Any) -> None:
    """Print a value as JSON on one line, at once."""
    _print(json.dumps(content, ensure_ascii=not shows_unicode()))


def _print(line: str) -> None:
    try:
        print(line, flush=True)
    except BrokenPipeError:
        discard_output()
        raise OutputClosedError from None
    except OSError as error:
        discard_output()
        raise FileError(f"the output cannot be written ({error.strerror})") from None


FLAGS = {
    "columns": "--column",
    "complete": "--complete",
    "draws": "--again",
    "embeddings": "--embeddings",
    "errors": "--errors",
    "format": "--format",
    "memory": "--memory",
    "method": "--method",
    "min_step": "--min-step",
    "min_variant": "--min-variant",
    "must": "--must",
    "never": "--never",
    "one_of": "--one-of",
    "order": "--order",
    "port": "--port",
    "procedure": "--procedure",
    "repetitions": "--repetitions",
    "scheduler": "--scheduler",
    "seed": "--seed",
    "since": "--since",
    "threshold": "--threshold",
    "time_format": "--time-format",
    "top_variants": "--top-variants",
    "undoes": "--undoes",
    "until": "--until",
    "with_mistakes": "--with-mistakes",
    "workers": "--workers",
}
"""The option of each parameter that messages name."""
SETTINGS = ("base_url", "cache", "features", "least_probable", "model", "unified")
"""Settings of methods that messages name; the option --set gives them."""

_NAMES = "|".join((*FLAGS, *SETTINGS))
_PARAMETER = re.compile(
    r"(?<![-\w.'\"={])(?<!\w\()(?<!--set )(?<!--column )"
    rf"(?P<name>{_NAMES})=(?P<value>'[^']*'|\"[^\"]*\"|\{{[^}}]*\}}|\[[^\]]*\]|[^\s,;)]+)"
)
_SUBJECT = re.compile(
    rf"(?P<before>^|: )(?:the )?'?(?P<name>{'|'.join(FLAGS)})'? is (?=['\"\d-]|of no use)"
)
_ROLE = re.compile(r"['\"](\w+)['\"]: ['\"]?([^'\",}]*)")
_EDGE = re.compile(r"\[\((['\"])(.*)\1, (['\"])(.*)\3\)\]")


def in_flags(message: str) -> str:
    """Return a message of the library with the options of the command line in it.

    Parameters
    ----------
    message
        The message.

    Examples
    --------
    >>> in_flags("to keep them use with_mistakes=True, or order='start'")
    'to keep them use --with-mistakes, or --order start'
    >>> in_flags("columns={'recording': NAME, 'step': 'what'} names them")
    '--column recording=NAME --column step=what names them'
    >>> in_flags("least_probable=0.5 rules it out")
    '--set least_probable=0.5 rules it out'
    >>> in_flags("never=[('A', 'B')] rules it out")
    "--never 'A needs B' rules it out"
    >>> in_flags("min_step is -1; expected a whole number from 1 on")
    '--min-step is -1; expected a whole number from 1 on'
    """
    named = _SUBJECT.sub(lambda found: f"{found['before']}{FLAGS[found['name']]} is ", message)
    return _PARAMETER.sub(_flag, named)


def _flag(found: re.Match[str]) -> str:
    name, value = found["name"], found["value"]
    if name in SETTINGS:
        plain = value.strip("'\"")
        return f"--set {name}={plain.lower() if plain in ('True', 'False') else plain}"
    if value == "True":
        return FLAGS[name]
    if value.startswith("{"):
        return " ".join(f"{FLAGS[name]} {role}={column}" for role, column in _ROLE.findall(value))
    if edge := _EDGE.fullmatch(value):
        return f"{FLAGS[name]} '{edge[2]} needs {edge[4]}'"
    plain = value.strip("'\"")
    return f"{FLAGS[name]} {repr(plain) if ' ' in plain else plain}"


MANY = 3
"""Minimum number of procedures whose similar notes become one."""
NAMED = 3
"""Maximum number of procedures to name."""
_NUMBER = re.compile(r"('[^']*')|\d+(?:\.\d+)?")  # names in quotes may hold numbers; they stay


def print_notes_on(procedures: Iterable[str], notes: Iterable[str]) -> None:
    """Print notes; a note on one procedure begins with its name and a colon.

    Parameters
    ----------
    procedures
        All names.
    notes
        The notes.
    """
    print_notes(merge_notes(procedures, notes))


def print_notes_of(by_procedure: Sequence[tuple[str, Iterable[str]]]) -> None:
    """Print the notes on each procedure, with its name if there are several.

    Parameters
    ----------
    by_procedure
        Names and notes.
    """
    if len(by_procedure) == 1:
        print_notes(by_procedure[0][1])
        return
    notes = [f"{name}: {note}" for name, own in by_procedure for note in own]
    print_notes_on([name for name, _ in by_procedure], notes)


def merge_notes(procedures: Iterable[str], notes: Iterable[str]) -> list[str]:
    """Return notes, merged where they differ only in procedure and numbers.

    Parameters
    ----------
    procedures, notes
        Those of `print_notes_on`.

    Examples
    --------
    >>> notes = ["tea: 2 steps left out", "soup: 5 steps left out", "rice: 2 steps left out"]
    >>> merge_notes(["tea", "soup", "rice"], notes)
    ['3 procedures (tea, soup, rice): 2 to 5 steps left out']
    """
    fronts = sorted((f"{name}: " for name in procedures), key=len, reverse=True)
    alike: dict[tuple[bool, str], list[tuple[str, str]]] = {}
    for note in notes:
        front = next((front for front in fronts if note.startswith(front)), "")
        text = note.removeprefix(front)
        kind = _NUMBER.sub(lambda found: found[1] or "#", text) if front else text
        key = bool(front), kind
        alike[key] = [*alike.pop(key, ()), (front, text)]  # where the last of them stands
    merged: list[str] = []
    for group in alike.values():
        of = dict.fromkeys(front for front, _ in group)
        if len(of) >= MANY:
            names = [front.removesuffix(": ") for front in of]
            listed = ", ".join(names[:NAMED]) + (", ..." if names[NAMED:] else "")
            text = _with_ranges([text for _, text in group])
            merged.append(f"{len(of)} procedures ({listed}): {text}")
        else:
            merged += [f"{front}{text}" for front, text in group]
    return merged


def _with_ranges(texts: list[str]) -> str:
    """Return texts that differ only in numbers as one text with ranges of numbers."""
    numbers = [[found[0] for found in _NUMBER.finditer(text) if not found[1]] for text in texts]
    ranges = iter([_range(column) for column in zip(*numbers, strict=True)])
    return _NUMBER.sub(lambda found: found[1] or next(ranges), texts[0])


def _range(numbers: tuple[str, ...]) -> str:
    low, high = min(numbers, key=float), max(numbers, key=float)
    return low if low == high else f"{low} to {high}"
