"""Tables as plain text: aligned, no wider than the terminal, without trailing blanks."""

from __future__ import annotations

from collections.abc import Sequence

from stepgraph.layout.text import columns, pad, printable, wrap

_GAP = "  "


def lay_out(
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
        How many columns of a terminal there are.
    unicode
        Whether the terminal can show more than ASCII.

    Examples
    --------
    >>> for line in lay_out(["step", "times"], [["mix the batter", "12"], ["fry", "3"]], width=40):
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
    # No column is so narrow that a character of two columns would not fit.
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
    """Take from the widest columns until all fit, but never more than their words allow."""
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
