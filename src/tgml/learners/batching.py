"""Sequences of many procedures as index lists, ready for the likelihood.

Every sum in the paper's likelihood runs over entries Z[y_t, y_s] with s < t: half a square of
the sequence's length, whatever the number of nodes. A `SequenceBatch` lists these entries
once, so that an epoch is a few sums over lists. Lists are kept in chunks of bounded size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tgml.errors import FormatError

Indices = NDArray[np.int64]

CHUNK_ENTRIES = 4_000_000
"""How many entries of Z one chunk of sequences may list; some 100 MB while it is worked on."""
KEPT_ENTRIES = 64_000_000
"""Up to how many entries of Z the lists of all chunks are kept; about 1 GB."""


@dataclass(frozen=True, eq=False)
class EntryLists:
    """Which entries of Z each sum runs over, and where kept the transpose: which sums use an entry.

    Parameters
    ----------
    entries, offsets
        The entries of all sums, one after the other, and where each sum's begin.
    by_entry
        The sums of all entries, one after the other, and where each entry's begin; None for
        lists that are used once and thrown away, for which sorting the entries would cost more
        than it saves.
    count
        How many entries Z has.
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


Lists = tuple[EntryLists, EntryLists, EntryLists | None]
"""A chunk's feasibility, arrival and column lists."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some of a batch's sequences, padded to one length.

    Parameters
    ----------
    nodes
        (sequences, length): node numbers, START first and END last, then zeros.
    lengths
        (sequences,): how many of them count.
    owner
        (sequences,): the procedure each sequence belongs to.
    sizes
        (procedures,): how many nodes each procedure has.
    stride
        The side of the matrices Z, at least the largest size.
    device
        Where the tensors go.
    """

    nodes: Indices
    lengths: Indices
    owner: Indices
    sizes: Indices
    stride: int
    device: torch.device

    @property
    def shape(self) -> tuple[int, int]:
        """The number of sequences, and of terms in the longest of them."""
        return self.nodes.shape[0], self.nodes.shape[1] - 1

    def parts(self, most: int) -> Iterator[Chunk]:
        """Cut the chunk into smaller ones of at most so many sequences."""
        for start in range(0, len(self.nodes), max(most, 1)):
            part = slice(start, start + max(most, 1))
            yield replace(
                self, nodes=self.nodes[part], lengths=self.lengths[part], owner=self.owner[part]
            )

    @cached_property
    def padding(self) -> Tensor | None:
        """(sequences, terms, 1): the places beyond a sequence's end; None if there are none."""
        return None if bool(self.is_term.all()) else ~self.is_term[..., None]

    @cached_property
    def is_term(self) -> Tensor:
        """(sequences, terms): which terms t = 1 ... |y| a sequence has."""
        terms = np.arange(1, self.nodes.shape[1]) < self.lengths[:, None]
        return torch.from_numpy(terms).to(self.device)

    @cached_property
    def owner_tensor(self) -> Tensor:
        """The procedure of each sequence, as a tensor."""
        return torch.from_numpy(self.owner).to(self.device)

    @cached_property
    def nodes_tensor(self) -> Tensor:
        """The node numbers, as a tensor."""
        return torch.from_numpy(self.nodes).to(self.device)

    @cached_property
    def sign(self) -> Tensor:
        """(sequences, 1, 1): -1 for sequences that leave out steps of their procedure, else 1."""
        incomplete = (self.lengths < self.sizes[self.owner])[:, None, None]
        return torch.from_numpy(np.where(incomplete, -1.0, 1.0).astype(np.float32)).to(self.device)

    @cached_property
    def is_node(self) -> Tensor | None:
        """(procedures, nodes): which rows of Z are nodes and not padding; None if all are."""
        is_node = np.arange(self.stride) < self.sizes[:, None]
        return None if is_node.all() else torch.from_numpy(is_node).to(self.device)

    @cached_property
    def unobserved(self) -> Tensor:
        """(sequences, nodes, terms): which nodes have not come before a term."""
        came = np.full((len(self.nodes), self.stride), self.nodes.shape[1])
        sequence, position = (np.arange(self.nodes.shape[1]) < self.lengths[:, None]).nonzero()
        came[sequence, self.nodes[sequence, position]] = position
        is_node = np.arange(self.stride) < self.sizes[self.owner, None]
        unobserved = came[:, :, None] >= np.arange(1, self.nodes.shape[1])
        return torch.from_numpy(unobserved & is_node[:, :, None]).to(self.device)

    def feasibility_lists(self, *, transposed: bool) -> EntryLists:
        """Return, for each term t, the entries Z[y_t, y_s] of all s < t."""
        later, earlier = np.tril_indices(self.nodes.shape[1], -1)
        return self._lists(
            later, earlier, later - 1, self.lengths[:, None] > later, transposed=transposed
        )

    def arrival_lists(self, *, transposed: bool) -> EntryLists:
        """Return, for each s, entries of the column y_s.

        For a complete sequence they are the rows that come after s; for an incomplete one the
        rows up to s, to be taken off the column's sum, so that rows that never come count too.
        """
        length = self.nodes.shape[1]
        column, row = np.indices((length - 1, length)).reshape(2, -1)
        exists = (self.lengths[:, None] > row) & (self.lengths[:, None] - 1 > column)
        complete = (self.lengths == self.sizes[self.owner])[:, None]
        wanted = np.where(complete, row > column, row <= column)
        return self._lists(row, column, column, exists & wanted, transposed=transposed)

    def column_lists(self, *, transposed: bool) -> EntryLists | None:
        """Return, for each s of an incomplete sequence, its column; None if all are complete."""
        incomplete = self.lengths < self.sizes[self.owner]
        if not incomplete.any():
            return None
        places = np.arange(self.shape[1])
        sequence, place = (incomplete[:, None] & (places < self.lengths[:, None] - 1)).nonzero()
        columns = self.owner[sequence] * self.stride + self.nodes[sequence, place]
        size = (self.shape[0] * self.shape[1], len(self.sizes) * self.stride)
        sums = sequence * self.shape[1] + place
        return EntryLists.build(sums, columns, size, self.device, transposed=transposed)

    def _lists(
        self,
        row: Indices,
        column: Indices,
        term: Indices,
        wanted: NDArray[np.bool_],
        *,
        transposed: bool,
    ) -> EntryLists:
        sequence, pair = wanted.nonzero()
        entries = (
            self.owner[sequence] * self.stride + self.nodes[sequence, row[pair]]
        ) * self.stride + self.nodes[sequence, column[pair]]
        sums = sequence * self.shape[1] + term[pair]
        size = (self.shape[0] * self.shape[1], len(self.sizes) * self.stride**2)
        return EntryLists.build(sums, entries, size, self.device, transposed=transposed)


class SequenceBatch:
    """The sequences of one or more procedures.

    Parameters
    ----------
    sequences
        For each procedure its sequences, in node numbers 1 to n, without repetition and
        without START and END, which are added here.
    sizes
        For each procedure its number of nodes, n + 2.
    stride
        The side of the matrices Z that the batch will meet; by default the largest size.
    device
        Where the tensors go.
    chunk_entries
        How many entries of Z a chunk may list.
    kept_entries
        Up to how many entries the lists of all chunks are kept. A larger batch builds each
        chunk's lists whenever they are needed, which is slower, so that memory stays bounded.
    weights
        For each procedure how many recordings each of its sequences stands for; by default one.

    Raises
    ------
    FormatError
        If a sequence repeats a node or holds one that its procedure does not have.
    """

    def __init__(
        self,
        sequences: Sequence[Sequence[Sequence[int]]],
        sizes: Sequence[int],
        *,
        stride: int | None = None,
        device: torch.device | str = "cpu",
        chunk_entries: int = CHUNK_ENTRIES,
        kept_entries: int = KEPT_ENTRIES,
        weights: Sequence[Sequence[float]] | None = None,
    ) -> None:
        self.sizes = tuple(sizes)
        if not any(sequences):
            raise FormatError("no sequences; a batch needs at least one")
        self.stride = max(self.sizes) if stride is None else stride
        self.device = torch.device(device)
        flat = [
            (owner, (0, *steps, self.sizes[owner] - 1))
            for owner, group in enumerate(sequences)
            for steps in group
        ]
        for owner, nodes in flat:
            if len(set(nodes)) < len(nodes) or max(nodes) >= self.sizes[owner] or min(nodes) < 0:
                raise FormatError(
                    f"the sequence {nodes[1:-1]} of procedure {owner} repeats a node or leaves "
                    f"1 to {self.sizes[owner] - 2}"
                )
        self.weights: Tensor | None = None
        """(sequences,): how many recordings each stands for; None if each is one."""
        if weights is not None and any(weight != 1 for group in weights for weight in group):
            flat_weights = [weight for group in weights for weight in group]
            self.weights = torch.tensor(flat_weights, device=self.device)
        self._order = sorted(range(len(flat)), key=lambda number: len(flat[number][1]))
        self.count = len(flat)
        self._chunks = self._split(flat, chunk_entries)
        self._kept: dict[int, Lists] = {}
        self.keeps_lists = (
            sum(chunk.nodes.size * chunk.nodes.shape[1] for chunk in self._chunks) <= kept_entries
        )
        """Whether the lists of all chunks are kept."""

    def __len__(self) -> int:
        return self.count

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The sequences in parts of bounded size."""
        return self._chunks

    @cached_property
    def restore(self) -> Tensor:
        """Where each sequence, as given, stands among the chunks' sequences."""
        position = np.empty(self.count, dtype=np.int64)
        position[self._order] = np.arange(self.count)
        return torch.from_numpy(position).to(self.device)

    def lists(self, number: int) -> Lists:
        """Return a chunk's feasibility, arrival and column lists."""
        if number in self._kept:
            return self._kept[number]
        chunk = self._chunks[number]
        built = (
            chunk.feasibility_lists(transposed=self.keeps_lists),
            chunk.arrival_lists(transposed=self.keeps_lists),
            chunk.column_lists(transposed=self.keeps_lists),
        )
        if self.keeps_lists:
            self._kept[number] = built
        return built

    def _split(self, flat: list[tuple[int, tuple[int, ...]]], limit: int) -> tuple[Chunk, ...]:
        sizes = np.array(self.sizes, dtype=np.int64)
        return tuple(
            Chunk(
                np.array(
                    [nodes + (0,) * (width - len(nodes)) for _, nodes in part], dtype=np.int64
                ),
                np.array([len(nodes) for _, nodes in part], dtype=np.int64),
                np.array([owner for owner, _ in part], dtype=np.int64),
                sizes,
                self.stride,
                self.device,
            )
            for part, width in _parts([flat[number] for number in self._order], limit)
        )


def _parts(
    ordered: list[tuple[int, tuple[int, ...]]], limit: int
) -> Iterator[tuple[list[tuple[int, tuple[int, ...]]], int]]:
    """Cut sequences, shortest first, into parts whose padded squares stay under a limit."""
    start = 0
    for number in range(1, len(ordered) + 1):
        if number < len(ordered):
            width = len(ordered[number][1])
            if (number + 1 - start) * width * width <= limit:
                continue
        yield ordered[start:number], len(ordered[number - 1][1])
        start = number


def _bag(indices: Tensor, values: Tensor, offsets: Tensor) -> Tensor:
    return nn.functional.embedding_bag(
        indices, values, offsets, mode="sum", include_last_offset=True
    )


def _offsets(sorted_or_not: Indices, count: int) -> Indices:
    counts = np.bincount(sorted_or_not, minlength=count)
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
