"""Edges and rules as people write them.

An edge is 'mix>crack egg', 'mix needs crack egg' or 'crack egg before mix'; a choice 'accept |
reject' or 'pack + ship | scrap'; what undoes what 'repair: test' or 'repair: test + seal'. A file
of them has one on a line, with 'must', 'never', 'one-of' or 'undoes' in front.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

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


def parse_choice(text: str, steps: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """Return the alternatives of the choice in a text.

    Parameters
    ----------
    text
        Alternatives with ``|`` between them; ``+`` joins the steps of one.
    steps
        The names of the procedure's steps.

    Raises
    ------
    FormatError
        If the text has fewer than two alternatives.
    UnknownNameError
        If it names an unknown step.

    Examples
    --------
    >>> parse_choice("pack + ship | scrap", ["pack", "ship", "scrap"])
    (('pack', 'ship'), ('scrap',))
    """
    parts = [part.strip() for part in text.split("|")]
    if len(parts) < 2 or not all(parts):
        raise FormatError(
            f"{text!r} states no choice; expected two or more alternatives, as in 'A | B' or "
            "'A + B | C'"
        )
    return tuple(_joined(part, steps, text) for part in parts)


def parse_undoing(text: str, steps: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Return the step in a text, and the steps that it undoes.

    Parameters
    ----------
    text
        A step, ``:`` or ``undoes``, and the steps that it undoes, with ``+`` between them.
    steps
        The names of the procedure's steps; they decide where a name ends.

    Raises
    ------
    FormatError
        If the text states nothing of the kind.
    UnknownNameError
        If it names an unknown step.

    Examples
    --------
    >>> parse_undoing("repair: test + seal", ["repair", "test", "seal"])
    ('repair', ('test', 'seal'))
    """
    readings = []
    for separator in (":", " undoes "):
        parts = text.split(separator)
        readings += [
            (separator.join(parts[:place]).strip(), separator.join(parts[place:]).strip())
            for place in range(1, len(parts))
        ]
    for step, undone in readings:
        if step in steps and undone:
            return step, _joined(undone, steps, text)
    for step, undone in readings:
        if step and undone and step not in steps:
            raise UnknownNameError("step", step, steps, repr(text))
    raise FormatError(f"{text!r} states no undoing; expected 'A: B' or 'A: B + C'")


def _joined(text: str, steps: Collection[str], whole: str) -> tuple[str, ...]:
    """Return the steps of a text, with ``+`` between them unless a name has it."""
    if text in steps:
        return (text,)
    names = tuple(part.strip() for part in text.split("+"))
    for name in names:
        if name not in steps:
            raise UnknownNameError("step", name, steps, repr(whole))
    return names


PARSERS: Mapping[str, Callable[[str, Collection[str]], Any]] = {
    "must": parse_edge,
    "never": parse_edge,
    "one-of": parse_choice,
    "undoes": parse_undoing,
}
"""How each kind of constraint is read."""


def read_constraints(path: str | Path, steps: Collection[str]) -> Constraints:
    """Read a file of constraints: a line such as ``must A>B`` each; ``#`` starts a comment.

    Parameters
    ----------
    path
        The file.
    steps
        The names of the procedure's steps.
    """
    text = read_text(path)
    found: dict[str, list[Any]] = {kind: [] for kind in PARSERS}
    with naming(Path(path)):
        for number, raw in enumerate(text.splitlines(), start=1):
            line = raw.strip()
            if not line or line.startswith("#"):
                continue
            verb, _, statement = line.partition(" ")
            kind = verb.rstrip(":").lower()
            if kind not in PARSERS:
                raise FormatError(
                    f"line {number}: begins with {verb!r}; expected 'must', 'never', 'one-of' or "
                    "'undoes' and a statement"
                )
            try:
                found[kind].append(PARSERS[kind](statement, steps))
            except (FormatError, UnknownNameError) as error:
                raise FormatError(f"line {number}: {error}") from None
    return Constraints(
        found["must"], found["never"], one_of=found["one-of"], undoes=found["undoes"]
    )
