"""The likelihood's sums over entries of Z as lists: half a square of each sequence's length.

However many nodes there are, only the pairs of steps that a sequence shows are listed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tgml.learners.chunk import Chunk, Indices


class PairLists:
    """Which entries of Z the sums of a chunk run over.

    Parameters
    ----------
    chunk
        The sequences.
    kept
        Whether the lists will be used often. Those that are used once and thrown away have no
        transpose, for which sorting the entries would cost more than it saves.
    """

    def __init__(self, chunk: Chunk, *, kept: bool = True) -> None:
        self._chunk = chunk
        self._feasible = _feasibility(chunk, kept)
        self._arriving = _arrivals(chunk, kept)
        self._columns = _columns(chunk, kept)
        incomplete = (chunk.lengths < chunk.sizes[chunk.owner])[:, None, None]
        sign = np.where(incomplete, -1.0, 1.0).astype(np.float32)
        self._sign = torch.from_numpy(sign).to(chunk.device)

    def sums(self, models: Tensor) -> tuple[Tensor, Tensor]:
        """Return num_t and arrival_s: (sequences, terms, models) each."""
        entries = _by_entry(models)
        shape = (*self._chunk.shape, models.shape[0])
        num = self._feasible.sum(entries).view(shape)
        arrivals = self._arriving.sum(entries).view(shape)
        if self._columns is not None:
            column_sums = _over_nodes(models, self._chunk).sum(-2).flatten(1).T.contiguous()
            arrivals.mul_(self._sign).add_(
                self._columns.sum(column_sums.view(-1, len(models))).view(shape)
            )
        return num, arrivals

    def gradient(self, of_num: Tensor, of_arrivals: Tensor) -> Tensor:
        """Return the gradient of Z: (models, procedures, nodes, nodes)."""
        shape = (of_num.shape[-1], len(self._chunk.sizes), self._chunk.stride, self._chunk.stride)
        signed = of_arrivals if self._columns is None else of_arrivals * self._sign
        gradient = self._feasible.transposed_sum(of_num.flatten(0, 1))
        gradient = gradient.add_(self._arriving.transposed_sum(signed.flatten(0, 1)))
        gradient = gradient.T.reshape(shape)
        if self._columns is not None:
            columns = self._columns.transposed_sum(of_arrivals.flatten(0, 1))
            gradient += _over_nodes(columns.T.reshape(*shape[:2], 1, -1), self._chunk)
        return gradient


@dataclass(frozen=True, eq=False)
class EntryLists:
    """Which entries each sum runs over, and where kept the transpose: which sums use an entry.

    Parameters
    ----------
    entries, offsets
        The entries of all sums, one after the other, and where each sum's begin.
    by_entry
        The sums of all entries, one after the other, and where each entry's begin; None for
        lists that are used once and thrown away.
    count
        How many entries there are.
    """

    entries: Tensor
    offsets: Tensor
    by_entry: tuple[Tensor, Tensor] | None
    count: int

    def sum(self, values: Tensor) -> Tensor:
        """Return one sum a list: (entries, models) gives (sums, models)."""
        return _bag(self.entries, values, self.offsets)

    def transposed_sum(self, values: Tensor) -> Tensor:
        """Return for each entry the sum over the lists it is in: the gradient of `sum`."""
        if self.by_entry is not None:
            sums, offsets = self.by_entry
            return _bag(sums, values, offsets)
        repeated = values.repeat_interleave(self.offsets.diff(), dim=0)
        total = values.new_zeros((self.count, values.shape[1]))
        return total.index_add_(0, self.entries, repeated)

    @classmethod
    def build(
        cls,
        sums: Indices,
        entries: Indices,
        size: tuple[int, int],
        device: torch.device,
        *,
        transposed: bool,
    ) -> EntryLists:
        """Build the lists from pairs (sum, entry), the sums in ascending order."""
        kind = np.int32 if max(len(entries), *size) < 2**31 else np.int64

        def tensor(array: Indices) -> Tensor:
            return torch.from_numpy(array.astype(kind)).to(device)

        forward = (tensor(entries), tensor(_offsets(sums, size[0])))
        if not transposed:
            return cls(*forward, None, size[1])
        order = np.argsort(entries, kind="stable")
        return cls(*forward, (tensor(sums[order]), tensor(_offsets(entries, size[1]))), size[1])


def _feasibility(chunk: Chunk, transposed: bool) -> EntryLists:
    """Return, for each term t, the entries Z[y_t, y_s] of all s < t."""
    later, earlier = np.tril_indices(chunk.nodes.shape[1], -1)
    wanted = chunk.lengths[:, None] > later
    return _lists(chunk, later, earlier, later - 1, wanted, transposed)


def _arrivals(chunk: Chunk, transposed: bool) -> EntryLists:
    """Return, for each s, entries of the column y_s.

    For a complete sequence they are the rows that come after s; for an incomplete one the rows
    up to s, to be taken off the column's sum, so that rows that never come count too.
    """
    length = chunk.nodes.shape[1]
    column, row = np.indices((length - 1, length)).reshape(2, -1)
    exists = (chunk.lengths[:, None] > row) & (chunk.lengths[:, None] - 1 > column)
    complete = (chunk.lengths == chunk.sizes[chunk.owner])[:, None]
    wanted = np.where(complete, row > column, row <= column)
    return _lists(chunk, row, column, column, exists & wanted, transposed)


def _columns(chunk: Chunk, transposed: bool) -> EntryLists | None:
    """Return, for each s of an incomplete sequence, its column; None if all are complete."""
    incomplete = chunk.lengths < chunk.sizes[chunk.owner]
    if not incomplete.any():
        return None
    places = np.arange(chunk.shape[1])
    sequence, place = (incomplete[:, None] & (places < chunk.lengths[:, None] - 1)).nonzero()
    columns = chunk.owner[sequence] * chunk.stride + chunk.nodes[sequence, place]
    size = (chunk.shape[0] * chunk.shape[1], len(chunk.sizes) * chunk.stride)
    sums = sequence * chunk.shape[1] + place
    return EntryLists.build(sums, columns, size, chunk.device, transposed=transposed)


def _lists(
    chunk: Chunk,
    row: Indices,
    column: Indices,
    term: Indices,
    wanted: NDArray[np.bool_],
    transposed: bool,
) -> EntryLists:
    sequence, pair = wanted.nonzero()
    entries = (
        chunk.owner[sequence] * chunk.stride + chunk.nodes[sequence, row[pair]]
    ) * chunk.stride + chunk.nodes[sequence, column[pair]]
    sums = sequence * chunk.shape[1] + term[pair]
    size = (chunk.shape[0] * chunk.shape[1], len(chunk.sizes) * chunk.stride**2)
    return EntryLists.build(sums, entries, size, chunk.device, transposed=transposed)


def _by_entry(models: Tensor) -> Tensor:
    """Return Z as (entries, models), its last stride 1, without which embedding_bag is slow."""
    if models.shape[0] == 1:
        return models.reshape(-1, 1)
    return models.flatten(1).T.contiguous()


def _over_nodes(models: Tensor, chunk: Chunk) -> Tensor:
    """Return Z with the rows that are padding set to 0."""
    return models if chunk.is_node is None else models * chunk.is_node[..., None]


def _bag(indices: Tensor, values: Tensor, offsets: Tensor) -> Tensor:
    return nn.functional.embedding_bag(
        indices, values, offsets, mode="sum", include_last_offset=True
    )


def _offsets(sorted_or_not: Indices, count: int) -> Indices:
    counts = np.bincount(sorted_or_not, minlength=count)
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
