"""The parts of sentences that every monitor's verdicts share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def finished(sentence: str, remarks: Iterable[str]) -> str:
    """Return a sentence with remarks in brackets, where there are any, and its full stop."""
    said = "; ".join(filter(None, remarks))
    sentence += f" ({said})" if said else ""
    return sentence if sentence.endswith("?") else f"{sentence}."


def listed(names: Sequence[str], word: str = "and") -> str:
    """Return names in quotes, as one says them.

    Examples
    --------
    >>> print(listed(["egg", "milk", "flour"]))
    'egg', 'milk' and 'flour'
    """
    quoted = [f"'{name}'" for name in names]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {word} {quoted[-1]}"


def coming_after(names: Sequence[str], *, optional: bool) -> str:
    """Return steps that come after another one, which may be one that can be left out.

    Examples
    --------
    >>> print(coming_after(["mix", "bake"], optional=False))
    'mix' and 'bake', which need it
    """
    one = len(names) == 1
    if optional:
        return f"{listed(names)}, which {'comes' if one else 'come'} after it if it is done at all"
    return f"{listed(names)}, which {'needs' if one else 'need'} it"


def unknown(step: str, nearest: Sequence[str]) -> str:
    """Return what is said of a step that a graph does not have."""
    advice = f"; did you mean {listed(nearest, 'or')}?" if nearest else ""
    return f"'{step}' is no step of this procedure{advice}"
