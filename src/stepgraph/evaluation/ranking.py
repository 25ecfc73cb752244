"""How well scores tell what is wrong from what is right, without a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from stepgraph.errors import SettingError


def average_precision(wrong: Sequence[bool], scores: Sequence[float]) -> float:
    """Return the area under the curve of precision over recall.

    Entries with equal scores are one point of the curve: their order must not matter. Scores that
    say nothing have the share of what is wrong as their average precision.

    Parameters
    ----------
    wrong
        What is to be found.
    scores
        The higher, the more probably wrong.

    Raises
    ------
    SettingError
        If nothing is wrong, or there are not as many scores as entries.

    Examples
    --------
    >>> average_precision([True, False, True], [0.9, 0.5, 0.1])
    0.8333333333333333
    >>> average_precision([True, False, True], [1, 1, 1])
    0.6666666666666666
    """
    if len(wrong) != len(scores):
        raise SettingError(f"{len(scores)} scores came for {len(wrong)} entries; expected as many")
    total = sum(wrong)
    if not total:
        raise SettingError("none of the entries is wrong; average precision needs one that is")
    ranked = sorted(zip(scores, wrong, strict=True), key=lambda entry: -entry[0])
    found = looked_at = 0
    area = 0.0
    for _, tied in groupby(ranked, key=lambda entry: entry[0]):
        marks = [mark for _, mark in tied]
        found += sum(marks)
        looked_at += len(marks)
        area += sum(marks) / total * found / looked_at
    return area
