"""Lines printed while something goes on: at once, in colour on a terminal, until nobody reads."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from stepgraph.cli.output import discard_output, shows_unicode
from stepgraph.errors import FileError

GREEN, YELLOW, RED, DIM = "32", "33", "31", "2"


class NobodyReadsError(Exception):
    """Whoever read the output has closed it; there is nothing more to do."""


def in_colour() -> bool:
    """Return whether standard output is a terminal whose user has not asked for plain text."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        # By the convention of no-color.org, an empty value asks for nothing.
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )


def say(text: str, colour: str = "") -> None:
    """Print a line at once.

    Raises
    ------
    NobodyReadsError
        If the output has been closed.
    """
    from stepgraph.layout.text import printable

    shown = printable(text)  # names come from anywhere and may hold what moves the cursor
    _print(f"\x1b[{colour}m{shown}\x1b[0m" if colour and in_colour() else shown)


def say_json(content: Any) -> None:
    """Print a value as JSON on one line, at once."""
    _print(json.dumps(content, ensure_ascii=not shows_unicode()))


def _print(line: str) -> None:
    try:
        print(line, flush=True)
    except BrokenPipeError:
        discard_output()
        raise NobodyReadsError from None
    except OSError as error:
        discard_output()
        raise FileError(f"the output cannot be written ({error.strerror})") from None
