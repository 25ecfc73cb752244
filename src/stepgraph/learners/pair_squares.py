"""The likelihood's sums over entries of Z as squares: the rows and columns that a sequence shows.

However many nodes there are, only the pairs of steps of each sequence are picked from Z.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from stepgraph.learners.chunk import Chunk


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
        self._chunk = chunk
        length = nodes.shape[1]
        exists = np.arange(length) < chunk.lengths[:, None]
        # What is no pair reads the zero behind the last entry.
        none = len(chunk.sizes) * side**2
        rows = (chunk.owner[:, None] * side + nodes) * side
        both = exists[:, :, None] & exists[:, None, :]
        cells = np.where(both, rows[:, :, None] + nodes[:, None, :], none)
        self._cells = torch.from_numpy(cells.ravel()).to(chunk.device)
        self._shape = (len(nodes), length, length)
        self._room: dict[torch.dtype, tuple[Tensor, Tensor]] = {}
        self._below = torch.ones(length, length, device=chunk.device).tril_(-1)
        incomplete = (chunk.lengths < chunk.sizes[chunk.owner])[:, None]
        self._incomplete = torch.from_numpy(incomplete).to(chunk.device)
        self._some_complete = not incomplete.all()
        self._columns = None
        if incomplete.any():
            columns = chunk.owner[:, None] * side + nodes
            columns = np.where(exists & incomplete, columns, len(chunk.sizes) * side)
            self._columns = torch.from_numpy(columns.ravel()).to(chunk.device)

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
        procedures, side = len(self._chunk.sizes), self._chunk.stride
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
        """Return room for two squares of all sequences, asked for once and not at every epoch."""
        if dtype not in self._room:
            room = torch.empty((2, *self._shape), dtype=dtype, device=self._cells.device)
            self._room[dtype] = room[0], room[1]
        return self._room[dtype]

    def _over_nodes(self, Z: Tensor) -> Tensor:
        """Return Z with the rows that are padding set to 0."""
        is_node = self._chunk.is_node
        return Z if is_node is None else Z * is_node[..., None]
