r"""The gradient of the TGML loss for some rows of many matrices Z, written out.

In the notation of `loss`: as den_{t+1} = den_t - num_t + arrival_t, a denominator is the sum of
what the nodes before it change, arrival - num each. A row adds to these changes what does not
depend on other rows. The gradient of Eq. 6 for Z[h, j] is a sum over the sequences with j before h,

.. math:: \sum_{t > j} \frac{\beta}{den_t} - \sum_{t > h} \frac{\beta}{den_t} - \frac{1}{num_h}

where t > j are the terms after the node j, and the last two are 0 in a sequence without h.

Sums run over lists of pairs of places. No list is padded, so matrices of any size and sequences of
any length are computed together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import FormatError

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
_Value = TypeVar("_Value", bound=Any)

PART_PAIRS = 4_000_000
"""Number of pairs of places in one list."""
KEPT_PAIRS = 32_000_000
"""Maximum number of pairs of places for which the lists stay in memory between epochs, about 1 GB.
Beyond it each use rebuilds them, which is slower but bounds memory."""


class Rows:
    """Some rows of some problems' matrices, their entries one after the other.

    A node of any problem has one number, its column: the nodes before it, of all problems. So the
    entry of a row in a column stands at the row's base plus the column.

    Parameters
    ----------
    sizes
        Number of nodes of each problem.
    problem, node
        (rows,): the row of which node in which problem.
    """

    def __init__(self, sizes: Numbers, problem: Numbers, node: Numbers) -> None:
        first = np.cumsum(sizes) - sizes
        self.problem, self.node = problem, node
        self.lengths = sizes[problem]
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.base = self.starts - first[problem]
        self.columns = np.arange(self.lengths.sum()) - np.repeat(self.base, self.lengths)
        """(entries,): the column of each."""
        self.total_columns = int(sizes.sum())
        self.of_column = np.full(self.total_columns, -1)
        """(columns,): which row is that of a node; -1 for none of these."""
        self.of_column[first[problem] + node] = np.arange(len(node))

    def __len__(self) -> int:
        return len(self.node)

    def spread(self, values: NDArray[_Value]) -> NDArray[_Value]:
        """Return a value of each row for each of its entries."""
        return np.repeat(values, self.lengths)

    def column_sums(self, values: Floats) -> Floats:
        """Return the sum of all entries in each column."""
        sums: Floats = np.bincount(self.columns, values, self.total_columns).astype(np.float64)
        return sums

    def softmax(self, scores: Floats) -> Floats:
        """Return Z: each row's scores as shares of one."""
        if not len(self):
            return scores
        Z: Floats = np.exp(scores - self.spread(np.maximum.reduceat(scores, self.starts)))
        Z /= self.spread(np.add.reduceat(Z, self.starts))
        return Z


class Places:
    """Sequences of some problems, START and END added, the shortest first.

    Parameters
    ----------
    owner
        (sequences,): the problem of each.
    lengths
        (sequences,): the number of places of each.
    columns
        (places,): the node at each place, one sequence after the other.
    weights
        (places,): the number of recordings behind its sequence; None if each is one.
    """

    def __init__(
        self, owner: Numbers, lengths: Numbers, columns: Numbers, weights: Floats | None
    ) -> None:
        self.owner, self.lengths = owner, lengths
        self.columns, self.weights = columns, weights

    @classmethod
    def of(
        cls,
        problems: Sequence[Sequence[Sequence[int]]],
        weights: Sequence[Sequence[float] | None],
        sizes: Numbers,
    ) -> Places:
        """List the sequences of each problem.

        Parameters
        ----------
        problems
            For each problem its sequences in node numbers, without START and END.
        weights
            For each problem, the number of recordings behind each sequence; None for one.
        sizes
            Number of nodes of each problem.

        Raises
        ------
        FormatError
            If there is no sequence at all.
        """
        flat = [steps for own in problems for steps in own]
        if not flat:
            raise FormatError("no sequences; training needs at least one")
        given = np.array([len(steps) + 2 for steps in flat])
        order = np.argsort(given, kind="stable")
        owner = np.repeat(np.arange(len(problems)), [len(own) for own in problems])[order]
        lengths = given[order]
        last = np.cumsum(lengths) - 1
        nodes = np.zeros(int(lengths.sum()), dtype=np.int64)
        between = np.ones(len(nodes), dtype=bool)
        between[last] = between[last - lengths + 1] = False
        steps = chain.from_iterable(flat[number] for number in order.tolist())
        nodes[between] = np.fromiter(steps, dtype=np.int64)
        nodes[last] = sizes[owner] - 1
        columns = nodes + np.repeat((np.cumsum(sizes) - sizes)[owner], lengths)
        if all(own is None or all(weight == 1 for weight in own) for own in weights):
            return cls(owner, lengths, columns, None)
        counts = np.array(
            [
                weight
                for own, some in zip(problems, weights, strict=True)
                for weight in (some if some is not None else [1.0] * len(own))
            ]
        )
        return cls(owner, lengths, columns, np.repeat(counts[order], lengths))

    def only(self, problems: Numbers, sizes: Numbers) -> tuple[Places, Numbers]:
        """Return the sequences of some problems, numbered anew, and which places were theirs.

        Parameters
        ----------
        problems
            Their numbers, in ascending order.
        sizes
            Number of nodes of each problem before the selection.
        """
        number = np.full(len(sizes), -1)
        number[problems] = np.arange(len(problems))
        shift = np.zeros(len(sizes), dtype=np.int64)
        kept = sizes[problems]
        shift[problems] = (np.cumsum(kept) - kept) - (np.cumsum(sizes) - sizes)[problems]
        chosen = number[self.owner] >= 0
        owner, lengths = self.owner[chosen], self.lengths[chosen]
        places = np.flatnonzero(np.repeat(chosen, self.lengths))
        columns = self.columns[places] + np.repeat(shift[owner], lengths)
        weights = None if self.weights is None else self.weights[places]
        return Places(number[owner], lengths, columns, weights), places

    def parts(self) -> Iterator[tuple[int, Numbers]]:
        """Cut the sequences into parts of about `PART_PAIRS` pairs: first place and lengths."""
        pairs = np.cumsum(self.lengths**2)
        first = place = 0
        while first < len(pairs):
            done = pairs[first - 1] if first else 0
            stop = max(first + 1, int(np.searchsorted(pairs, done + PART_PAIRS, side="right")))
            yield place, self.lengths[first:stop]
            place += int(self.lengths[first:stop].sum())
            first = stop


class Pairs:
    """The pairs of places that the sums of some rows run over, in some sequences.

    In a sequence that shows h, num is the sum of Z[h, j] over all j before h. A node j arrives in
    the denominators with the rows that do not come before it: with its whole column, less Z[h, j]
    for all h before j. No node needs itself, so Z[j, j] is 0.

    Parameters
    ----------
    places, rows
        The sequences and the rows.
    start, lengths
        A part of the sequences, as `Places.parts` gives it.
    """

    def __init__(self, places: Places, rows: Rows, start: int, lengths: Numbers) -> None:
        self.part = slice(start, start + int(lengths.sum()))
        self.columns = places.columns[self.part]
        self.weights = None if places.weights is None else places.weights[self.part]
        found, counts = np.unique(lengths, return_counts=True)
        stops = np.cumsum(found * counts)
        self._blocks = [
            (slice(stop - length * count, stop), length)
            for stop, length, count in zip(
                stops.tolist(), found.tolist(), counts.tolist(), strict=True
            )
        ]
        """Where the sequences of each length stand, and that length."""
        listed = [self._listed(rows, block, length) for block, length in self._blocks]
        self.row_places, before, self.counts, after, self.arriving = map(
            np.concatenate, zip(*listed, strict=True)
        )
        self.entries = np.concatenate((before, after))
        self.before = len(before)
        self.begins = np.cumsum(self.counts) - self.counts

    def _listed(self, rows: Rows, block: slice, length: int) -> tuple[Numbers, ...]:
        """List, for sequences of one length, the entries of each row shown.

        Returned are the rows' places, the entries before them and how many these are, the entries
        after them and at which places those are.
        """
        columns = self.columns[block].reshape(-1, length)
        place = np.arange(block.start, block.stop).reshape(-1, length)
        row = rows.of_column[columns[:, 1:]]
        sequence, term = (row >= 0).nonzero()
        own = term + 1
        entries = rows.base[row[sequence, term]][:, None] + columns[sequence, :-1]
        others = np.arange(length - 1)
        before, after = others < own[:, None], others > own[:, None]
        arriving = place[sequence, :-1][after]
        return place[sequence, own], entries[before], own, entries[after], arriving

    def add_changes(self, Z: Floats, column_sums: Floats, changes: Floats, num: Floats) -> None:
        """Add to each place's arrival - num what the rows contribute, and note their num.

        Parameters
        ----------
        Z
            The entries of the rows.
        column_sums
            Of Z, by column.
        changes, num
            By place of all sequences; the first is added to.
        """
        changes, num = changes[self.part], num[self.part]
        changes += column_sums.take(self.columns)
        if len(self.row_places):
            values = Z.take(self.entries)
            sums = np.add.reduceat(values[: self.before], self.begins)
            num[self.row_places] = sums
            changes[self.row_places] -= sums
            changes -= np.bincount(self.arriving, values[self.before :], minlength=len(changes))

    def add_gradient(self, later: Floats, less: Floats, gradient: Floats, whole: Floats) -> None:
        """Add the gradient of the rows' entries.

        Parameters
        ----------
        later
            By place of this part: the sum of beta / den over the terms after it.
        less
            By place of this part: that sum and 1 / num.
        gradient
            By entry of the rows; added to.
        whole
            By column, what every entry of it gains; added to.
        """
        whole += np.bincount(self.columns, later, minlength=len(whole))
        if len(self.row_places):
            values = np.concatenate(
                (np.repeat(less.take(self.row_places), self.counts), later.take(self.arriving))
            )
            gradient -= np.bincount(self.entries, values, minlength=len(gradient))

    def denominators(self, changes: Floats, num: Floats) -> Floats:
        """Return by place of this part the denominator of the term after it; 1 after the last."""
        den: Floats = changes[self.part].copy()
        for block, length in self._blocks:
            terms, nums = (a[block].reshape(-1, length) for a in (den, num[self.part]))
            np.cumsum(terms, axis=1, out=terms)
            # The next node is unobserved, so den >= num, despite rounding.
            np.maximum(terms[:, :-1], nums[:, 1:], out=terms[:, :-1])
            terms[:, -1] = 1.0
        return den

    def loss(self, changes: Floats, num: Floats, beta: float, epsilon: float) -> float:
        """Return Eq. 6, summed over the sequences of this part."""
        contrast = beta * np.log(self.denominators(changes, num) + epsilon)
        observed = np.log(num[self.part] + epsilon)
        if self.weights is not None:
            contrast *= self.weights
            observed *= self.weights
        total = 0.0
        for block, length in self._blocks:
            total += float(contrast[block].reshape(-1, length)[:, :-1].sum())
            total -= float(observed[block].reshape(-1, length)[:, 1:].sum())
        return total

    def after(self, values: Floats) -> Floats:
        """Return by place of this part the sum of the values from it up to the last but one."""
        for block, length in self._blocks:
            terms = values[block].reshape(-1, length)
            terms[:, -1] = 0.0
            terms[:] = np.cumsum(terms[:, ::-1], axis=1)[:, ::-1]
        return values


class Sums:
    """The sums behind the gradient of some rows, over sequences and rows at rest.

    Parameters
    ----------
    places
        The sequences.
    rows
        The rows that move.
    """

    def __init__(self, places: Places, rows: Rows) -> None:
        self._places, self._rows = places, rows
        self._at_rest: Floats = np.zeros(len(places.columns))
        """By place: the part of arrival - num that the rows at rest contribute."""
        self._changes = self._at_rest
        self._num: Floats = np.ones(len(places.columns))
        self._kept: list[Pairs] | None = None

    def gradient(self, Z: Floats, beta: float, epsilon: float) -> Floats:
        """Return the gradient of the loss for the entries of the rows that move.

        Parameters
        ----------
        Z
            Their entries.
        beta, epsilon
            The weight of the contrastive term, and the constant inside the logarithms.
        """
        gradient = np.zeros(len(Z))
        whole = np.zeros(self._rows.total_columns)
        column_sums = self._rows.column_sums(Z)
        self._changes = self._at_rest.copy()
        for pairs in self._pairs():
            pairs.add_changes(Z, column_sums, self._changes, self._num)
            weights = 1.0 if pairs.weights is None else pairs.weights
            den = pairs.denominators(self._changes, self._num) + epsilon
            later = pairs.after(beta * weights / den)
            less = later + weights / (self._num[pairs.part] + epsilon)
            pairs.add_gradient(later, less, gradient, whole)
        gradient += whole.take(self._rows.columns)
        return gradient

    def loss(self, beta: float, epsilon: float) -> float:
        """Return Eq. 6, summed over all sequences, for the Z of the last gradient."""
        return sum(pairs.loss(self._changes, self._num, beta, epsilon) for pairs in self._pairs())

    def rest(self, rows: Rows, Z: Floats) -> None:
        """Add the contribution of rows that do not move from now on."""
        column_sums = rows.column_sums(Z)
        for part in self._places.parts():
            pairs = Pairs(self._places, rows, *part)
            pairs.add_changes(Z, column_sums, self._at_rest, self._num)

    def only(self, problems: Numbers, sizes: Numbers, rows: Rows) -> Sums:
        """Return the sums of some problems; see `Places.only`."""
        places, kept = self._places.only(problems, sizes)
        smaller = Sums(places, rows)
        smaller._at_rest, smaller._num = self._at_rest[kept], self._num[kept]
        return smaller

    def contradicted(self) -> NDArray[np.bool_]:
        """Return which entries of the rows a sequence contradicts.

        A node that does not come before the row's own in every sequence with that one is no
        precondition of it.
        """
        rows = self._rows
        before, shown = np.zeros(len(rows.columns)), np.zeros(len(rows))
        for pairs in self._pairs():
            before += np.bincount(pairs.entries[: pairs.before], minlength=len(before))
            row = rows.of_column[pairs.columns[pairs.row_places]]
            shown += np.bincount(row, minlength=len(shown))
        contradicted: NDArray[np.bool_] = before < rows.spread(shown)
        return contradicted

    def _pairs(self) -> Iterable[Pairs]:
        """Yield the pairs of the moving rows, part by part; rebuild them if there are too many."""
        if self._kept is not None:
            return self._kept
        every = (Pairs(self._places, self._rows, *part) for part in self._places.parts())
        if int((self._places.lengths**2).sum()) > KEPT_PAIRS:
            return every
        self._kept = list(every)
        return self._kept
