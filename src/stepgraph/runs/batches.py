"""Procedures of similar size, put together so that they fill a tensor without much padding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

MOST_PROCEDURES = 250
"""How many procedures a batch has at the most: enough to share the cost of an epoch's many small
operations, few enough that a run has more batches than workers."""
MOST_PAIRS = 4_000_000
"""How many pairs of steps the sequences of a batch may have together; a larger procedure is a
batch of its own, which the learner cuts into chunks."""


class Sized(Protocol):
    """What is known of a procedure before its recordings are read."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def variants(self) -> int:
        """How many distinct sequences it has."""

    @property
    def longest(self) -> int:
        """The length of its longest sequence."""


@dataclass(frozen=True)
class Batch:
    """Procedures that are learned together.

    Parameters
    ----------
    number
        Its place among the batches, from 0 on.
    procedures
        Their names.
    """

    number: int
    procedures: tuple[str, ...]


def cut_batches(
    sizes: Iterable[Sized],
    *,
    most: int = MOST_PROCEDURES,
    most_pairs: int = MOST_PAIRS,
) -> list[Batch]:
    """Cut procedures into batches of similar size.

    How they are cut depends on the procedures alone, never on the number of workers, so that the
    results do not either. The first batch, which is the cheapest, is cut again into a half, a
    quarter and two eighths where there are others: done last, they let all workers end together.

    Parameters
    ----------
    sizes
        The procedures.
    most, most_pairs
        How many procedures, and pairs of steps, a batch may have.

    Examples
    --------
    >>> from stepgraph.logs import ProcedureSize
    >>> lengths = {"a": 5, "b": 50, "c": 6, "d": 51}
    >>> sizes = [ProcedureSize(name, 3, 9, longest) for name, longest in lengths.items()]
    >>> [batch.procedures for batch in cut_batches(sizes, most=2)]
    [('a',), ('c',), ('b', 'd')]
    """
    batches = _full_batches(sizes, most, most_pairs)
    if len(batches) > 1:
        first = batches[0]
        ends = [len(first) // part for part in (8, 4, 2, 1)]
        pieces = [first[start:end] for start, end in pairwise([0, *ends])]
        batches[:1] = [piece for piece in pieces if piece]
    return [Batch(number, names) for number, names in enumerate(batches)]


def _full_batches(sizes: Iterable[Sized], most: int, most_pairs: int) -> list[tuple[str, ...]]:
    batches: list[tuple[str, ...]] = []
    names: list[str] = []
    pairs = 0
    for size in sorted(sizes, key=lambda size: (size.longest, size.variants, size.name)):
        own = size.variants * (size.longest + 2) ** 2
        if names and (len(names) == most or pairs + own > most_pairs):
            batches.append(tuple(names))
            names, pairs = [], 0
        names.append(size.name)
        pairs += own
    if names:
        batches.append(tuple(names))
    return batches
