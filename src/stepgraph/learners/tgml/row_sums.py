r"""The gradient of the TGML loss for some rows of many procedures' matrices Z.

In the notation of `likelihood`: as den_{t+1} = den_t - num_t + arrival_t, a denominator is the sum
of what the nodes before it change, arrival - num each. A row adds to these changes what does not
depend on other rows. The gradient of Eq. 6 for Z[h, j] is a sum over the sequences with j before h,

.. math:: \sum_{t > j} \frac{\beta}{den_t} - \sum_{t > h} \frac{\beta}{den_t} - \frac{1}{num_h}

where t > j are the terms after the node j, and the last two are 0 in a sequence without h.

Arrays end in rows or in procedures, so that one instruction serves many of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stepgraph.learners.tgml.batches import flattened

# Wherever `np.take` writes into room of its own every index is in range; 'clip' spares a copy.
Array = NDArray[np.floating]
Numbers = NDArray[np.int64]


class Places(NamedTuple):
    """Where the nodes come in the sequences of some procedures.

    Parameters
    ----------
    of_node
        (sequences, nodes, procedures): the place of a node, START's is 0; `never` if it has none.
    terms
        (sequences, procedures): how many terms a sequence has; 0 if there is no such sequence.
    never
        A number behind all places.
    """

    of_node: NDArray[np.int32]
    terms: NDArray[np.int64]
    never: int

    @classmethod
    def of(cls, sequences: Sequence[Sequence[Sequence[int]]], sizes: Sequence[int]) -> Places:
        """Return the places in the sequences of each procedure, with so many nodes each."""
        flat = flattened(sequences, sizes)
        counts = np.bincount(flat.owner, minlength=len(sizes))
        rank = _ranks(counts)
        number = np.repeat(np.arange(len(flat.owner)), flat.lengths)
        never = int(flat.lengths.max())
        of_node = np.full((counts.max(), max(sizes), len(sizes)), never, dtype=np.int32)
        of_node[rank[number], flat.nodes, flat.owner[number]] = _ranks(flat.lengths)
        terms = np.zeros((counts.max(), len(sizes)), dtype=np.int64)
        terms[rank, flat.owner] = flat.lengths - 1
        return cls(of_node, terms, never)

    def only(self, procedures: Numbers) -> Places:
        """Return the places of some procedures."""
        of_node = self.of_node.take(procedures, axis=-1)
        return Places(of_node, self.terms.take(procedures, axis=-1), self.never)


class Rows:
    """Some rows, and which of their entries each sequence counts.

    Parameters
    ----------
    places
        The sequences.
    procedure, node
        (rows,): the row of which node in which procedure, in turns: each procedure's first row,
        then each one's second, and so on.
    dtype
        Of Z.
    """

    def __init__(
        self, places: Places, procedure: Numbers, node: Numbers, dtype: np.dtype[np.floating]
    ) -> None:
        sequences, nodes, procedures = places.of_node.shape
        self._turns = _turns(procedure)
        # Where each row's own node stands among (sequences, nodes, procedures).
        self._own = (np.arange(sequences)[:, None] * nodes + node) * procedures + procedure
        own_place = places.of_node.take(self._own)
        self._shown = (own_place < places.never).astype(dtype)
        self._mask = (places.of_node.take(procedure, axis=2) < own_place[:, None]).astype(dtype)
        # Room that every epoch needs; to ask for it anew each time would cost more than the sums.
        self._room = np.empty_like(self._mask)
        self._num, self._less = np.empty_like(self._shown), np.empty_like(self._shown)
        self._gradient = np.empty_like(self._mask[0])

    def add_changes(self, Z: Array, changes: Array) -> None:
        """Add to each node's arrival - num what the rows contribute.

        Parameters
        ----------
        Z
            (nodes, rows).
        changes
            (sequences, nodes, procedures); it is added to in place.
        """
        counted = np.multiply(self._mask, Z, out=self._room)
        counted.sum(1, out=self._num)
        for procedures, rows in self._turns:
            changes[:, :, procedures] += counted[:, :, rows]
        flat = changes.reshape(-1)
        own = np.take(flat, self._own, out=self._less, mode="clip")
        own -= self._num  # where a sequence has no such node, nobody asks for its change
        flat[self._own] = own

    def gradient(self, later: Array, epsilon: float) -> Array:
        """Return the gradient of Z: (nodes, rows), once for the Z that changes were added for.

        Parameters
        ----------
        later
            (sequences, nodes, procedures): the sum of beta / den over the terms after each node.
        epsilon
            Added to each num.
        """
        self._num += self._num.dtype.type(epsilon)
        np.divide(self._shown, self._num, out=self._num)
        less = np.take(later.reshape(-1), self._own, out=self._less, mode="clip")
        less += self._num
        for procedures, rows in self._turns:
            np.subtract(later[:, :, procedures], less[:, None, rows], out=self._room[:, :, rows])
        np.multiply(self._room, self._mask, out=self._room)
        gradient: Array = np.add.reduce(self._room, out=self._gradient)
        return gradient


class Denominators:
    """The denominators of all terms.

    Parameters
    ----------
    places
        The sequences.
    beta, epsilon
        The weight of the contrastive term, and what is added to each denominator.
    dtype
        Of Z.
    """

    def __init__(
        self, places: Places, beta: float, epsilon: float, dtype: np.dtype[np.floating]
    ) -> None:
        sequences, nodes, procedures = places.of_node.shape
        terms = np.arange(places.never - 1)
        self._shape = (len(terms), sequences, procedures)
        # Which node comes just before a term; where there is no term, a zero behind the last.
        self._before = np.full(self._shape, places.of_node.size)
        sequence, node, procedure = (places.of_node < places.terms[:, None]).nonzero()
        place = places.of_node[sequence, node, procedure]
        cell = (sequence * nodes + node) * procedures + procedure
        self._before[place, sequence, procedure] = cell
        # Which term comes just after a node; behind the last stand zeros.
        term = np.minimum(places.of_node, len(terms))
        row = term * sequences + np.arange(sequences)[:, None, None]
        self._after = row * procedures + np.arange(procedures)
        exists = terms[:, None, None] < places.terms
        self._beta = exists.astype(dtype) * dtype.type(beta)
        self._epsilon = dtype.type(epsilon)

        self._changes = np.zeros(places.of_node.size + 1, dtype)
        self.changes = self._changes[:-1].reshape(places.of_node.shape)
        """(sequences, nodes, procedures): arrival - num of each node, to be filled."""
        self._den = np.empty(self._shape, dtype)
        self._sums = np.zeros((len(terms) + 1, sequences, procedures), dtype)
        self._later = np.empty(places.of_node.shape, dtype)

    def later(self) -> Array:
        """Return the sum of beta / den over the terms after each node, for the present changes."""
        den = np.take(self._changes, self._before, out=self._den, mode="clip")
        for earlier, term in pairwise(den):
            np.add(earlier, term, out=term)
        # Rounding must not take a denominator below zero.
        np.maximum(den, 0, out=den)
        den += self._epsilon
        sums = self._sums
        np.divide(self._beta, den, out=sums[:-1])
        for term in range(len(den) - 1, 0, -1):
            np.add(sums[term - 1], sums[term], out=sums[term - 1])
        return np.take(sums, self._after, out=self._later, mode="clip")


def contradicted(places: Places, procedure: Numbers, node: Numbers) -> NDArray[np.bool_]:
    """Return which preconditions of some rows a sequence contradicts: (nodes, rows).

    A node that does not come before the row's own in every sequence with that one is no
    precondition of it.
    """
    own_place = places.of_node[:, node, procedure]
    not_before = places.of_node.take(procedure, axis=2) >= own_place[:, None]
    found: NDArray[np.bool_] = np.any(not_before & (own_place < places.never)[:, None], axis=0)
    return found


def in_turns(procedure: Numbers) -> Numbers:
    """Return the order of rows in which each procedure's first comes before any one's second."""
    by_procedure = np.argsort(procedure, kind="stable")
    rank = np.empty_like(procedure)
    rank[by_procedure] = _ranks(np.bincount(procedure))
    return np.lexsort((procedure, rank))


def _turns(procedure: Numbers) -> list[tuple[slice | Numbers, slice]]:
    """Return the procedures and the rows of each turn."""
    stops = [*(np.flatnonzero(np.diff(procedure) <= 0) + 1).tolist(), len(procedure)]
    turns: list[tuple[slice | Numbers, slice]] = []
    for start, stop in zip([0, *stops], stops, strict=False):
        these = procedure[start:stop]
        first = len(these) > 0 and these[-1] == len(these) - 1
        turns.append((slice(0, len(these)) if first else these, slice(start, stop)))
    return turns


def _ranks(counts: Numbers) -> Numbers:
    """Return 0, 1, ... for each of several groups, one group after the other."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
