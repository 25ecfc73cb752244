"""The likelihood's sums over entries of Z, for a bounded number of sequences at a time.

A `Chunk` holds sequences padded to one length. `PairSquares` picks from Z only the rows and columns
that each sequence shows, however many nodes there are. `PairMasks` multiplies the whole of Z by a
mask for each sequence: where sequences show most of their procedure's steps, that takes a third of
the time, and a mask is made in one comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Indices = NDArray[np.int64]
Moved = TypeVar("Moved")


def placed(array: NDArray[np.int64] | NDArray[np.bool_], device: torch.device) -> Tensor:
    """Return an array as a tensor on a device."""
    # What is made in inference mode and kept could not be used in training.
    with torch.inference_mode(False):
        return torch.from_numpy(array).to(device)


def with_moved_tensors(thing: Moved, move: Callable[[Tensor], Tensor]) -> Moved:
    """Return a shallow copy of an object with each of its tensors moved."""
    other = copy(thing)
    with torch.inference_mode(False):
        for name, value in vars(thing).items():
            if isinstance(value, Tensor):
                vars(other)[name] = move(value)
    return other


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some of a batch's sequences, padded to one length.

    Parameters
    ----------
    nodes
        (sequences, length): node numbers, START first and END last, then zeros.
    lengths
        (sequences,): the number of nodes that count.
    owner
        (sequences,): the procedure each sequence belongs to.
    sizes
        (procedures,): the number of nodes of each procedure.
    stride
        The side of the matrices Z, at least the largest size.
    device
        The device of the tensors.
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

    @property
    def entries(self) -> int:
        """Number of entries of Z that its sequences use, padding included."""
        return int(self.nodes.size) * int(self.nodes.shape[1])

    def moved(self, device: torch.device, move: Callable[[Tensor], Tensor]) -> Chunk:
        """Return the chunk for another device, with what `move` makes of its tensors."""
        other = with_moved_tensors(self, move)
        vars(other)["device"] = device
        return other

    def parts(self, most: int) -> Iterator[Chunk]:
        """Cut the chunk into smaller ones of at most `most` sequences."""
        for start in range(0, len(self.nodes), max(most, 1)):
            part = slice(start, start + max(most, 1))
            yield replace(
                self, nodes=self.nodes[part], lengths=self.lengths[part], owner=self.owner[part]
            )

    @cached_property
    def padding(self) -> Tensor | None:
        """(sequences, terms, 1): the places beyond a sequence's end; None if there are none."""
        exists = np.arange(1, self.nodes.shape[1]) < self.lengths[:, None]
        return None if exists.all() else placed(~exists[..., None], self.device)

    @cached_property
    def is_term(self) -> Tensor:
        """(sequences, terms): which terms t = 1 ... |y| a sequence has."""
        terms = np.arange(1, self.nodes.shape[1]) < self.lengths[:, None]
        return placed(terms, self.device)

    @cached_property
    def owner_tensor(self) -> Tensor:
        """The procedure of each sequence, as a tensor."""
        return placed(self.owner, self.device)

    @cached_property
    def nodes_tensor(self) -> Tensor:
        """The node numbers, as a tensor."""
        return placed(self.nodes, self.device)

    @cached_property
    def is_node(self) -> Tensor | None:
        """(procedures, nodes): which rows of Z are nodes and not padding; None if all are."""
        is_node = np.arange(self.stride) < self.sizes[:, None]
        return None if is_node.all() else placed(is_node, self.device)

    @cached_property
    def places(self) -> Indices:
        """(sequences, nodes): where each node comes in a sequence; beyond its end if never."""
        came = np.full((len(self.nodes), self.stride), self.nodes.shape[1])
        sequence, position = (np.arange(self.nodes.shape[1]) < self.lengths[:, None]).nonzero()
        came[sequence, self.nodes[sequence, position]] = position
        return came

    @cached_property
    def unobserved(self) -> Tensor:
        """(sequences, nodes, terms): which nodes have not come before a term."""
        is_node = np.arange(self.stride) < self.sizes[self.owner, None]
        unobserved = self.places[:, :, None] >= np.arange(1, self.nodes.shape[1])
        return placed(unobserved & is_node[:, :, None], self.device)


class PairSquares:
    """Which entries of Z the sums of a chunk run over.

    The square of a sequence y is Z[y_t, y_s] for all places t and s. Its row t up to the diagonal
    is num_t. Its column s below the diagonal is arrival_s, if the sequence shows every node; if
    not, arrival_s is the sum of Z over the whole column of y_s, so that rows which never come
    count too, less the square's column s down to the diagonal.

    Parameters
    ----------
    chunk
        The sequences.
    """

    def __init__(self, chunk: Chunk) -> None:
        nodes, side = chunk.nodes, chunk.stride
        self._procedures, self._side, self._is_node = len(chunk.sizes), side, chunk.is_node
        length = nodes.shape[1]
        exists = np.arange(length) < chunk.lengths[:, None]
        # Places without a pair read the zero behind the last entry.
        none = len(chunk.sizes) * side**2
        rows = (chunk.owner[:, None] * side + nodes) * side
        both = exists[:, :, None] & exists[:, None, :]
        cells = np.where(both, rows[:, :, None] + nodes[:, None, :], none)
        self._cells = placed(cells.ravel(), chunk.device)
        self._shape = (len(nodes), length, length)
        self._room: dict[torch.dtype, tuple[Tensor, Tensor]] = {}
        self._below = placed(np.tri(length, k=-1, dtype=np.bool_), chunk.device)
        incomplete = (chunk.lengths < chunk.sizes[chunk.owner])[:, None]
        self._incomplete = placed(incomplete, chunk.device)
        self._some_complete = not incomplete.all()
        self._columns = None
        if incomplete.any():
            columns = chunk.owner[:, None] * side + nodes
            columns = np.where(exists & incomplete, columns, len(chunk.sizes) * side)
            self._columns = placed(columns.ravel(), chunk.device)

    def moved(self, move: Callable[[Tensor], Tensor]) -> PairSquares:
        """Return a copy with what `move` makes of its tensors."""
        other = with_moved_tensors(self, move)
        other._room = {}
        return other

    def sums(self, models: Tensor) -> tuple[Tensor, Tensor]:
        """Return num_t and arrival_s: (sequences, terms, models) each."""
        zero = models.new_zeros(1)
        below = self._below.to(models.dtype)
        square, earlier = self._working(models.dtype)
        nums, arrivals = [], []
        for Z in models:
            entries = torch.cat((Z.reshape(-1), zero))
            torch.index_select(entries, 0, self._cells, out=square.view(-1))
            torch.mul(square, below, out=earlier)
            if self._columns is None:
                arrival = earlier.sum(-2)
            else:
                column = torch.cat((self._over_nodes(Z).sum(-2).view(-1), zero))
                whole = column.index_select(0, self._columns).view(self._shape[:2])
                arrival = whole.sub_(square.sub_(earlier).sum(-2))
                if self._some_complete:
                    arrival = torch.where(self._incomplete, arrival, earlier.sum(-2))
            nums.append(earlier.sum(-1)[:, 1:])
            arrivals.append(arrival[:, :-1])
        return torch.stack(nums, -1), torch.stack(arrivals, -1)

    def gradient(self, of_num: Tensor, of_arrivals: Tensor) -> Tensor:
        """Return the gradient of Z: (models, procedures, nodes, nodes)."""
        procedures, side = self._procedures, self._side
        below = self._below.to(of_num.dtype)
        edge = of_num.new_zeros(len(of_num), 1)
        square, _ = self._working(of_num.dtype)
        parts = []
        for num, arrivals in zip(of_num.unbind(-1), of_arrivals.unbind(-1), strict=True):
            rows = torch.cat((edge, num), 1)[:, :, None]
            columns = torch.cat((arrivals, edge), 1)
            torch.add(rows, columns[:, None], out=square).mul_(below)
            gradient = num.new_zeros(procedures * side**2 + 1)
            of_columns = None
            if self._columns is not None:
                if self._some_complete:
                    columns = columns * self._incomplete
                square.sub_(columns[:, None])
                of_columns = num.new_zeros(procedures * side + 1)
                of_columns.scatter_add_(0, self._columns, columns.view(-1))
            gradient.scatter_add_(0, self._cells, square.view(-1))
            part = gradient[:-1].view(procedures, side, side)
            if of_columns is not None:
                whole = of_columns[:-1].view(procedures, 1, side).expand_as(part)
                part = part + self._over_nodes(whole)
            parts.append(part)
        return torch.stack(parts)

    def _working(self, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Return buffers for two squares of all sequences, allocated once."""
        if dtype not in self._room:
            with torch.inference_mode(False):
                room = torch.empty((2, *self._shape), dtype=dtype, device=self._cells.device)
                self._room[dtype] = room[0], room[1]
        return self._room[dtype]

    def _over_nodes(self, Z: Tensor) -> Tensor:
        """Return Z with the rows that are padding set to 0."""
        return Z if self._is_node is None else Z * self._is_node[..., None]


DENSE = 3
"""Maximum ratio of a chunk's mask entries to its square entries; at this ratio both cost the
same."""


class PairMasks:
    """Which entries of Z the sums of a chunk run over.

    The entry Z[h, j] counts in a sequence that shows j, and h later or never: for the row h in
    num, at the term of h; for the column j in arrival, at the term of j. Sequences are arranged by
    procedure, (procedures, places), so that Z need not be copied for each of them.

    Parameters
    ----------
    chunk
        The sequences.
    """

    def __init__(self, chunk: Chunk) -> None:
        nodes, side = chunk.nodes, chunk.stride
        counts = np.bincount(chunk.owner)
        most = int(counts.max())
        by_owner = np.argsort(chunk.owner, kind="stable")
        rank = np.empty(len(nodes), dtype=np.int64)
        rank[by_owner] = np.arange(len(nodes)) - np.repeat(np.cumsum(counts) - counts, counts)
        slot = chunk.owner * most + rank
        self._shape = (len(chunk.sizes), most, side)

        places = np.full((len(chunk.sizes) * most, side), -1, dtype=np.int32)
        is_node = np.arange(side) < chunk.sizes[chunk.owner, None]
        places[slot] = np.where(is_node, chunk.places, -1)
        # A node that never comes is later than all that come, and nothing is later than it.
        earlier = np.full_like(places, nodes.shape[1])
        earlier[slot] = chunk.places
        with torch.inference_mode(False):
            mask = torch.from_numpy(places)[:, :, None] > torch.from_numpy(earlier)[:, None, :]
            self._mask = mask.to(chunk.device).view(*self._shape, side)
        self._masks: dict[torch.dtype, tuple[Tensor, Tensor]] = {}

        # Where each term's row and column stand among (procedures, places, nodes), and back; what
        # is at no term reads the zero behind the last.
        is_term = np.arange(1, nodes.shape[1]) < chunk.lengths[:, None]
        self._terms = (*nodes[:, 1:].shape, 1)
        self._row, self._column = (
            placed((slot[:, None] * side + where).ravel(), chunk.device)
            for where in (nodes[:, 1:], nodes[:, :-1])
        )
        none = is_term.size
        numbers = np.arange(none).reshape(is_term.shape)
        back = []
        for where in (nodes[:, 1:], nodes[:, :-1]):
            found = np.full(len(places) * side, none)
            found[(slot[:, None] * side + where)[is_term]] = numbers[is_term]
            back.append(placed(found, chunk.device))
        self._of_row, self._of_column = back

    @staticmethod
    def suit(chunk: Chunk, most: int) -> bool:
        """Return whether masks are faster than squares and have at most `most` entries."""
        places = int(np.bincount(chunk.owner).max())
        cells = len(chunk.sizes) * places * chunk.stride**2
        return cells <= min(DENSE * chunk.entries, most)

    def moved(self, move: Callable[[Tensor], Tensor]) -> PairMasks:
        """Return a copy with what `move` makes of its tensors."""
        other = with_moved_tensors(self, move)
        other._masks = {}
        return other

    def sums(self, models: Tensor) -> tuple[Tensor, Tensor]:
        """Return num_t and arrival_s: (sequences, terms, models) each."""
        mask, counted = self._working(models.dtype)
        nums, arrivals = [], []
        for Z in models:
            torch.mul(mask, Z[:, None], out=counted)
            by_row, by_column = counted.sum(-1).view(-1), counted.sum(-2).view(-1)
            nums.append(by_row.index_select(0, self._row).view(self._terms))
            arrivals.append(by_column.index_select(0, self._column).view(self._terms))
        return _joined(nums), _joined(arrivals)

    def gradient(self, of_num: Tensor, of_arrivals: Tensor) -> Tensor:
        """Return the gradient of Z: (models, procedures, nodes, nodes)."""
        mask, counted = self._working(of_num.dtype)
        zero = of_num.new_zeros(1)
        parts = []
        for num, arrivals in zip(of_num.unbind(-1), of_arrivals.unbind(-1), strict=True):
            rows = torch.cat((num.flatten(), zero)).index_select(0, self._of_row)
            columns = torch.cat((arrivals.flatten(), zero)).index_select(0, self._of_column)
            rows, columns = rows.view(*self._shape, 1), columns.view(*self._shape[:2], 1, -1)
            torch.add(rows, columns, out=counted)
            parts.append(counted.mul_(mask).sum(1))
        return torch.stack(parts)

    def _working(self, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Return the mask in the type of Z, and a buffer for products."""
        if dtype not in self._masks:
            with torch.inference_mode(False):
                mask = self._mask.to(dtype)
                self._masks[dtype] = mask, torch.empty_like(mask)
        return self._masks[dtype]


def _joined(models: list[Tensor]) -> Tensor:
    """Return the terms of each model side by side; one model's need no copy."""
    return models[0] if len(models) == 1 else torch.cat(models, -1)
