"""A bounded number of sequences, padded to one length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Indices = NDArray[np.int64]


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

    @property
    def entries(self) -> int:
        """How many entries of Z its sequences meet, the padding counted."""
        return int(self.nodes.size) * int(self.nodes.shape[1])

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
    def is_node(self) -> Tensor | None:
        """(procedures, nodes): which rows of Z are nodes and not padding; None if all are."""
        is_node = np.arange(self.stride) < self.sizes[:, None]
        return None if is_node.all() else torch.from_numpy(is_node).to(self.device)

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
        return torch.from_numpy(unobserved & is_node[:, :, None]).to(self.device)
