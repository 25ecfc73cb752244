"""Text in a terminal: its width in columns, and functions that make it fit.

A step name may hold anything, so every drawing needs the same three things: visible control
characters, the width in columns, and lines of a given width.
"""

from __future__ import annotations

import unicodedata

# Zero-width joiners belong to the spelling of emoji and of several scripts; every other
# format character (such as a switch of the writing direction) could garble the drawing.
_JOINERS = "\u200c\u200d"
# Selects the emoji form of the character before it, which is two columns wide.
_EMOJI_FORM = "\ufe0f"


def printable(text: str, *, ascii_only: bool = False) -> str:
    r"""Return a text with its control characters written as escapes.

    Parameters
    ----------
    text
        Any text.
    ascii_only
        Whether everything beyond ASCII is written as an escape, too.

    Examples
    --------
    >>> print(printable("stir\nwell"))
    stir\nwell
    >>> print(printable("sauté", ascii_only=True))
    saut\xe9
    """
    return "".join(
        character
        if _is_visible(character) and (character.isascii() or not ascii_only)
        # Unlike a codec, this has an escape for lone surrogates as well.
        else ascii(character)[1:-1]
        for character in text
    )


def _is_visible(character: str) -> bool:
    # Python counts the spaces of other scripts as not printable.
    return (
        character.isprintable() or character in _JOINERS or unicodedata.category(character) == "Zs"
    )


def columns(text: str) -> int:
    """Return the number of terminal columns of a printable text.

    Where terminals differ, such as for joined emoji, the larger number is returned.

    Examples
    --------
    >>> columns("egg"), columns("卵")
    (3, 2)
    """
    return len(text) if text.isascii() else sum(map(_character_columns, text))


def _character_columns(character: str) -> int:
    if character == _EMOJI_FORM:
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, width: int) -> str:
    """Return a text with spaces behind it up to a number of columns."""
    return text + " " * (width - columns(text))


def shorten(text: str, width: int, ellipsis: str = "…") -> str:
    """Return a text cut to a number of columns, with an ellipsis where something is lost.

    Examples
    --------
    >>> shorten("crack the egg", 10)
    'crack the…'
    """
    if columns(text) <= width:
        return text
    head, _ = _split(text, width - columns(ellipsis))
    return head.rstrip() + ellipsis


def wrap(
    text: str, width: int, max_lines: int | None = None, ellipsis: str = "…"
) -> tuple[str, ...]:
    """Return a printable text as lines of at most a number of columns.

    Parameters
    ----------
    text
        The text; it is broken at spaces, and within a word only where the word is too long.
    width
        The number of columns, at least two because a character can take two.
    max_lines
        Maximum number of lines; the last one is shortened then.
    ellipsis
        The text in place of the lost part.

    Examples
    --------
    >>> wrap("crack the egg into a bowl", 10)
    ('crack the', 'egg into a', 'bowl')
    """
    if columns(text) <= width:
        return (text,)
    lines = [""]
    words = text.split()
    for position, word in enumerate(words):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if columns(joined) <= width:
            lines[-1] = joined
            continue
        if len(lines) == max_lines:
            rest = " ".join(words[position:])
            lines[-1] = shorten(f"{lines[-1]} {rest}" if lines[-1] else rest, width, ellipsis)
            return tuple(lines)
        if lines[-1]:
            lines.append("")
        rest = word
        while columns(rest) > width:
            if len(lines) == max_lines:
                lines[-1] = shorten(" ".join((rest, *words[position + 1 :])), width, ellipsis)
                return tuple(lines)
            lines[-1], rest = _split(rest, width)
            lines.append("")
        lines[-1] = rest
    return tuple(lines)


def _split(text: str, width: int) -> tuple[str, str]:
    """Return as much of a text as fits into a number of columns, and the rest."""
    used = 0
    for position, character in enumerate(text):
        used += _character_columns(character)
        if used > width:
            return text[:position], text[position:]
    return text, ""
