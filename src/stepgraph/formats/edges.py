"""Edges as people write them: 'mix>crack egg', 'mix needs crack egg', 'crack egg before mix'.

A file of them has one on a line, with 'must' or 'never' in front.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from stepgraph.errors import FormatError, UnknownNameError
from stepgraph.files import read_text
from stepgraph.formats.reading import naming
from stepgraph.graph import Constraints, Edge


def parse_edge(text: str, steps: Collection[str]) -> Edge:
    """Return the edge (step, precondition) in a text.

    ``A>B`` and ``A needs B`` say that A needs B, with the arrow of the paper; ``B before A``
    says the same.

    Parameters
    ----------
    text
        The statement.
    steps
        The names of the procedure's steps; they decide where a name ends.

    Raises
    ------
    FormatError
        If the text is not an edge.
    UnknownNameError
        If it names an unknown step.

    Examples
    --------
    >>> parse_edge("mix > crack egg", ["crack egg", "mix"])
    ('mix', 'crack egg')
    >>> parse_edge("crack egg before mix", ["crack egg", "mix"])
    ('mix', 'crack egg')
    """
    # Every separator is a candidate, so a text that is too long would take too long.
    if len(text) > 4 * max(map(len, steps), default=0) + 200:
        raise FormatError(
            f"{text[:40]!r}... is longer than any edge between these steps; expected "
            "'A needs B', 'B before A' or 'A>B'"
        )
    readings = []
    for separator, turned in ((">", False), (" needs ", False), (" before ", True)):
        parts = text.split(separator)
        for place in range(1, len(parts)):
            left = separator.join(parts[:place]).strip()
            right = separator.join(parts[place:]).strip()
            readings.append((right, left) if turned else (left, right))
    for step, needed in readings:
        if step in steps and needed in steps:
            return step, needed
    for step, needed in readings:
        for name in (step, needed):
            if name not in steps:
                raise UnknownNameError("step", name, steps, repr(text))
    raise FormatError(f"{text!r} states no edge; expected 'A needs B', 'B before A' or 'A>B'")


def read_constraints(path: str | Path, steps: Collection[str]) -> Constraints:
    """Read a file of edges: a line ``must A>B`` or ``never A>B`` each; ``#`` starts a comment.

    Parameters
    ----------
    path
        The file.
    steps
        The names of the procedure's steps.
    """
    text = read_text(path)
    found: dict[str, list[Edge]] = {"must": [], "never": []}
    with naming(Path(path)):
        for number, raw in enumerate(text.splitlines(), start=1):
            line = raw.strip()
            if not line or line.startswith("#"):
                continue
            verb, _, statement = line.partition(" ")
            kind = verb.rstrip(":").lower()
            if kind not in found:
                raise FormatError(
                    f"line {number}: begins with {verb!r}; expected 'must' or 'never' and an edge"
                )
            try:
                found[kind].append(parse_edge(statement, steps))
            except (FormatError, UnknownNameError) as error:
                raise FormatError(f"line {number}: {error}") from None
    return Constraints(tuple(found["must"]), tuple(found["never"]))
