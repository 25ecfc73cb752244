"""The likelihood's sums over entries of Z as masks: a square of the nodes for each sequence.

Where sequences show most of their procedure's steps, multiplying the whole of Z by a mask takes a
third of the time that picking entries takes, and a mask is made in one comparison.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from stepgraph.learners.chunk import Chunk

DENSE = 3
"""How many times the entries that its sequences meet a chunk's masks may have: at that, a square
and a mask cost the same."""


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
        # What never comes is later than all that come, and nothing is later than it.
        earlier = np.full_like(places, nodes.shape[1])
        earlier[slot] = chunk.places
        mask = torch.from_numpy(places)[:, :, None] > torch.from_numpy(earlier)[:, None, :]
        self._mask = mask.to(chunk.device).view(*self._shape, side)
        self._masks: dict[torch.dtype, tuple[Tensor, Tensor]] = {}

        # Where each term's row and column stand among (procedures, places, nodes), and back; what
        # is at no term reads the zero behind the last.
        is_term = np.arange(1, nodes.shape[1]) < chunk.lengths[:, None]
        self._terms = (*nodes[:, 1:].shape, 1)
        self._row, self._column = (
            torch.from_numpy((slot[:, None] * side + where).ravel()).to(chunk.device)
            for where in (nodes[:, 1:], nodes[:, :-1])
        )
        none = is_term.size
        numbers = np.arange(none).reshape(is_term.shape)
        back = []
        for where in (nodes[:, 1:], nodes[:, :-1]):
            found = np.full(len(places) * side, none)
            found[(slot[:, None] * side + where)[is_term]] = numbers[is_term]
            back.append(torch.from_numpy(found).to(chunk.device))
        self._of_row, self._of_column = back

    @staticmethod
    def suit(chunk: Chunk, most: int) -> bool:
        """Return whether masks are faster than squares, and have at most so many entries."""
        places = int(np.bincount(chunk.owner).max())
        cells = len(chunk.sizes) * places * chunk.stride**2
        return cells <= min(DENSE * chunk.entries, most)

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
        """Return the mask in the type of Z, and room to multiply it in."""
        if dtype not in self._masks:
            mask = self._mask.to(dtype)
            self._masks[dtype] = mask, torch.empty_like(mask)
        return self._masks[dtype]


def _joined(models: list[Tensor]) -> Tensor:
    """Return the terms of each model side by side; one model's need no copy."""
    return models[0] if len(models) == 1 else torch.cat(models, -1)
