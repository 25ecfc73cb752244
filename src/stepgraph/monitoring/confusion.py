"""The errors of a recogniser: steps that it confuses, misses and makes up.

`Confusion.estimate` counts them in recordings with known true steps, aligned with the recognised
steps by the fewest edits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.errors import FormatError, SettingError, UnknownNameError
from stepgraph.files import write_text
from stepgraph.formats.json_text import VERSION, dump_json, expect_format, finite_number, read_json
from stepgraph.graph import TaskGraph

if TYPE_CHECKING:
    import random


CONFUSION_FORMAT = "stepgraph-confusion"

Pair = tuple[Sequence[str], Sequence[str]]
"""The true steps of a recording, and the recognised ones."""


@dataclass(frozen=True)
class Confusion:
    """The errors of a recogniser of key-steps.

    Parameters
    ----------
    steps
        The steps that it tells apart.
    seen
        ``seen[i][j]``: the probability of recognising step j when step i is done. The rest of a
        row, up to 1, is the probability of missing the step.
    spurious
        The probability that the recogniser made a step up.
    made_up
        For each step, its share of the made-up steps.

    Raises
    ------
    FormatError
        If the numbers are not probabilities, or do not match the number of steps.

    Examples
    --------
    >>> confusion = Confusion.even(["egg", "milk"], error_rate=0.3)
    >>> [round(share, 2) for share in confusion.seen[0]], round(confusion.missed[0], 2)
    ([0.8, 0.1], 0.1)
    """

    steps: tuple[str, ...]
    seen: tuple[tuple[float, ...], ...]
    spurious: float = 0.0
    made_up: tuple[float, ...] = ()
    missed: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        steps = tuple(self.steps)
        size = len(steps)
        if not steps or len(set(steps)) < size:
            raise FormatError(
                "a confusion matrix needs steps with different names; none may repeat"
            )
        try:
            made_up = tuple(map(float, self.made_up)) or (1 / size,) * size
            seen = tuple(tuple(map(float, row)) for row in self.seen)
        except (TypeError, ValueError):
            raise FormatError(
                f"a confusion matrix is {self.seen!r:.60}; expected {size} rows of {size} numbers"
            ) from None
        if len(seen) != size or any(len(row) != size for row in seen):
            lengths = sorted({len(row) for row in seen})
            came = f"{len(seen)} rows of {' or '.join(map(str, lengths)) or 'no'} numbers"
            raise FormatError(
                f"the confusion matrix has {came}; expected {size} rows of {size}, a row for each "
                "step done and a column for each step recognised"
            )
        for name, row in zip(steps, seen, strict=True):
            _check_shares(row, f"the row of {name!r}")
        _check_shares(made_up, "'made_up'")
        if len(made_up) != size or not math.isclose(sum(made_up), 1.0, abs_tol=1e-6):
            raise FormatError(
                f"'made_up' has {len(made_up)} numbers that sum to {sum(made_up):g}; expected one "
                f"for each of the {size} steps, with the sum 1"
            )
        if not 0 <= self.spurious < 1:
            raise FormatError(
                f"'spurious' is {self.spurious!r:.40}; expected a number from 0 to below 1"
            )
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "seen", seen)
        object.__setattr__(self, "made_up", made_up)
        object.__setattr__(self, "missed", tuple(max(0.0, 1.0 - sum(row)) for row in seen))

    @classmethod
    def even(cls, steps: Iterable[str], error_rate: float) -> Confusion:
        """Return a recogniser described by a single error rate.

        One third of the errors are missed steps, one third steps taken for another (each equally
        likely), and one third made-up steps.

        Parameters
        ----------
        steps
            The steps that it tells apart.
        error_rate
            The sum of the three.

        Raises
        ------
        SettingError
            If the rate is not from 0 to below 1.
        """
        names = tuple(steps)
        if not 0 <= error_rate < 1:
            raise SettingError(f"the error rate is {error_rate}; expected 0 to below 1")
        third = error_rate / 3
        others = max(len(names) - 1, 1)
        wrong = third if len(names) > 1 else 0.0
        seen = tuple(
            tuple(1 - third - wrong if a == b else wrong / others for b in names) for a in names
        )
        return cls(names, seen, third)

    @classmethod
    def estimate(
        cls, pairs: Iterable[Pair], steps: Iterable[str], *, smoothing: float = 1.0
    ) -> Confusion:
        """Estimate the errors of a recogniser from recordings with known true steps.

        Each recognised sequence is aligned with the true one by the fewest insertions, deletions
        and substitutions. Smoothing adds to each row `smoothing` occurrences of the step with the
        mean behaviour of all steps. That mean counts one more error of each kind than the
        recordings show.

        Parameters
        ----------
        pairs
            For each recording the true and the recognised steps, by name.
        steps
            All steps.
        smoothing
            The weight of the mean, above 0.

        Raises
        ------
        UnknownNameError
            If a step is not among the steps.
        FormatError
            If there are no true steps.

        Examples
        --------
        >>> confusion = Confusion.estimate([(["a", "b"], ["a", "a"])] * 50, ["a", "b"])
        >>> confusion.seen[1][0] > confusion.seen[1][1]
        True
        """
        if not smoothing > 0:
            raise SettingError(f"smoothing is {smoothing}; expected a number above 0")
        names = tuple(steps)
        number = {name: place for place, name in enumerate(names)}
        size = len(names)
        counts = [[0.0] * size for _ in names]
        missed = [0.0] * size
        made_up = [0.0] * size
        for true, recognised in pairs:
            for name in (*true, *recognised):
                if name not in number:
                    raise UnknownNameError("step", name, names, "the paired recordings")
            for left, right in edit_alignment(true, recognised):
                if left is not None and right is not None:
                    counts[number[true[left]]][number[recognised[right]]] += 1
                elif left is not None:
                    missed[number[true[left]]] += 1
                elif right is not None:
                    made_up[number[recognised[right]]] += 1
        done = sum(map(sum, counts)) + sum(missed)
        if not done:
            raise FormatError("the paired recordings have no true steps; expected at least one")
        hits = sum(counts[place][place] for place in range(size))
        wrong = done - hits - sum(missed)
        others = max(size - 1, 1)
        total = done + 3
        mean_right, mean_wrong = (hits + 1) / total, (wrong + 1) / total / others
        seen = []
        for place in range(size):
            weight = sum(counts[place]) + missed[place] + smoothing
            seen.append(
                tuple(
                    (count + smoothing * (mean_right if place == other else mean_wrong)) / weight
                    for other, count in enumerate(counts[place])
                )
            )
        recognised_steps = sum(map(sum, counts)) + sum(made_up)
        return cls(
            names,
            tuple(seen),
            (sum(made_up) + 1) / (recognised_steps + 2),
            tuple((count + 1 / size) / (sum(made_up) + 1) for count in made_up),
        )

    def for_graph(self, graph: TaskGraph) -> Confusion:
        """Return the confusion with its steps in the order of a graph.

        Raises
        ------
        FormatError
            If its steps are not those of the graph.
        """
        missing = [step for step in graph.steps if step not in self.steps]
        foreign = [step for step in self.steps if step not in graph.vocabulary]
        if missing or foreign:
            what = f"lacks {missing[0]!r}" if missing else f"has {foreign[0]!r}, no step of it"
            raise FormatError(
                f"a confusion matrix of {len(self.steps)} steps is of no use with a graph of "
                f"{len(graph.steps)}: it {what}; expected the same steps"
            )
        places = [self.steps.index(step) for step in graph.steps]
        return Confusion(
            graph.steps,
            tuple(tuple(self.seen[row][column] for column in places) for row in places),
            self.spurious,
            tuple(self.made_up[place] for place in places),
        )

    def recognise(self, steps: Iterable[str], rng: random.Random) -> tuple[str, ...]:
        """Draw recognised steps for true steps.

        Raises
        ------
        UnknownNameError
            If the recogniser does not know a step.
        """
        return tuple(name for name, _ in self.trace(steps, rng))

    def trace(self, steps: Iterable[str], rng: random.Random) -> tuple[tuple[str, int | None], ...]:
        """Draw recognised steps for true steps, each with the place of its true step.

        Returns
        -------
        tuple
            Pairs of a recognised step and the place of its true step, from 0; None for a made-up
            step.
        """
        found: list[tuple[str, int | None]] = []
        for place, step in enumerate(steps):
            if step not in self.steps:
                raise UnknownNameError("step", step, self.steps, "the confusion matrix")
            while rng.random() < self.spurious:
                found.append((rng.choices(self.steps, self.made_up)[0], None))
            row = self.steps.index(step)
            seen = rng.choices((*self.steps, None), (*self.seen[row], self.missed[row]))[0]
            if seen is not None:
                found.append((seen, place))
        return tuple(found)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "format": CONFUSION_FORMAT,
            "version": VERSION,
            "steps": list(self.steps),
            "seen": [list(row) for row in self.seen],
            "spurious": self.spurious,
            "made_up": list(self.made_up),
        }

    @classmethod
    def from_json(cls, content: Any, where: str = "the confusion matrix") -> Confusion:
        """Return the confusion that JSON values describe.

        Raises
        ------
        FormatError
            If they are malformed or of a newer version.
        """
        expect_format(content, CONFUSION_FORMAT, where)
        steps = content.get("steps")
        if not isinstance(steps, list) or not all(isinstance(step, str) for step in steps):
            raise FormatError(f"{where}: 'steps' is {steps!r:.40}; expected a list of names")
        seen = content.get("seen")
        if not isinstance(seen, list):
            raise FormatError(f"{where}: 'seen' is {seen!r:.40}; expected a list of rows")
        rows = tuple(_numbers(row, f"{where}: a row of 'seen'") for row in seen)
        made_up = _numbers(content.get("made_up", []), f"{where}: 'made_up'")
        (spurious,) = _numbers([content.get("spurious", 0.0)], f"{where}: 'spurious'")
        try:
            return cls(tuple(steps), rows, spurious, made_up)
        except FormatError as error:
            raise FormatError(f"{where}: {error}") from None

    def save(self, path: str | Path) -> None:
        """Write it to a versioned JSON file."""
        write_text(path, dump_json(self.to_json()))

    @classmethod
    def read(cls, path: str | Path) -> Confusion:
        """Read it from a file that `save` wrote.

        Raises
        ------
        FileError
            If the file cannot be read.
        FormatError
            If it holds no confusion matrix.
        """
        return cls.from_json(read_json(path), str(path))


def _check_shares(row: Sequence[float], about: str) -> None:
    if any(not share >= 0 for share in row) or sum(row) > 1 + 1e-6:
        raise FormatError(
            f"{about} of the confusion matrix has numbers from {min(row):g} to {max(row):g} that "
            f"sum to {sum(row):g}; expected probabilities from 0 to 1 that sum to 1 at the most"
        )


def _numbers(raw: Any, where: str) -> tuple[float, ...]:
    numbers = [finite_number(value) for value in raw] if isinstance(raw, list) else [None]
    if None in numbers:
        raise FormatError(f"{where} is {raw!r:.40}; expected numbers")
    return tuple(number for number in numbers if number is not None)


def edit_alignment(
    true: Sequence[str], recognised: Sequence[str]
) -> list[tuple[int | None, int | None]]:
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
    >>> edit_alignment("abc", "ac")
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
    """Return the similarity of two sequences: 1 minus the edits over the longer length.

    Examples
    --------
    >>> edit_score("abcd", "abd")
    0.75
    """
    longer = max(len(true), len(recognised))
    return 1 - _costs(true, recognised)[-1][-1] / longer if longer else 1.0


def _costs(true: Sequence[str], recognised: Sequence[str]) -> list[list[int]]:
    """Return the number of edits between each pair of prefixes."""
    costs = [list(range(len(recognised) + 1))]
    for row, left in enumerate(true, start=1):
        above = costs[-1]
        line = [row]
        for column, right in enumerate(recognised, start=1):
            line.append(min(above[column - 1] + (left != right), above[column] + 1, line[-1] + 1))
        costs.append(line)
    return costs
