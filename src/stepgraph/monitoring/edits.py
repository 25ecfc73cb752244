"""Two sequences laid side by side with the fewest edits, and how alike that makes them."""

from __future__ import annotations

from collections.abc import Sequence


def align(true: Sequence[str], recognised: Sequence[str]) -> list[tuple[int | None, int | None]]:
    """Align two sequences by the fewest insertions, deletions and substitutions.

    Parameters
    ----------
    true, recognised
        The sequences.

    Returns
    -------
    list
        Pairs of places from 0 on, in order; None on the right where a true step was missed, on
        the left where a recognised one was made up. Of several alignments with as few edits, the
        one that substitutes late rather than early.

    Examples
    --------
    >>> align("abc", "ac")
    [(0, 0), (1, None), (2, 1)]
    """
    costs = _costs(true, recognised)
    row, column = len(true), len(recognised)
    pairs: list[tuple[int | None, int | None]] = []
    while row or column:
        here = costs[row][column]
        if row and column:
            edit = true[row - 1] != recognised[column - 1]
            if here == costs[row - 1][column - 1] + edit:
                row, column = row - 1, column - 1
                pairs.append((row, column))
                continue
        if row and here == costs[row - 1][column] + 1:
            row -= 1
            pairs.append((row, None))
        else:
            column -= 1
            pairs.append((None, column))
    return pairs[::-1]


def edit_score(true: Sequence[str], recognised: Sequence[str]) -> float:
    """Return how alike two sequences are: 1 less the edits over the longer length.

    Examples
    --------
    >>> edit_score("abcd", "abd")
    0.75
    """
    longer = max(len(true), len(recognised))
    return 1 - _costs(true, recognised)[-1][-1] / longer if longer else 1.0


def _costs(true: Sequence[str], recognised: Sequence[str]) -> list[list[int]]:
    """Return the edits between each beginning of the one and each of the other."""
    costs = [list(range(len(recognised) + 1))]
    for row, left in enumerate(true, start=1):
        above = costs[-1]
        line = [row]
        for column, right in enumerate(recognised, start=1):
            line.append(min(above[column - 1] + (left != right), above[column] + 1, line[-1] + 1))
        costs.append(line)
    return costs
