"""Sequences of many procedures, ready for the likelihood.

Every sum in the paper's likelihood runs over entries Z[y_t, y_s] with s < t. A batch finds these
entries once, so that an epoch is a few sums: over the square of each sequence's steps, or over the
whole of Z under masks where that is faster. Chunks of sequences have a bounded size.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from stepgraph.errors import FormatError
from stepgraph.learners.base import one_of
from stepgraph.learners.tgml.pair_sums import (
    Chunk,
    Indices,
    PairMasks,
    PairSquares,
    placed,
    with_moved_tensors,
)
from stepgraph.repetitions import Repetitions, without_repetitions
from stepgraph.sequences import Demonstrations, expect_demonstrations

CHUNK_ENTRIES = 4_000_000
"""Maximum number of entries of Z in one chunk of sequences; some 100 MB of work space."""

KEPT_ENTRIES = 64_000_000
"""Maximum number of entries of Z for which all squares stay in memory; about 1 GB."""


class Pairs(Protocol):
    """Which entries of Z the sums of a chunk run over."""

    def sums(self, models: Tensor) -> tuple[Tensor, Tensor]:
        """Return num_t and arrival_s: (sequences, terms, models) each."""

    def gradient(self, of_num: Tensor, of_arrivals: Tensor) -> Tensor:
        """Return the gradient of Z: (models, procedures, nodes, nodes)."""

    def moved(self, move: Callable[[Tensor], Tensor]) -> Pairs:
        """Return a copy with what `move` makes of its tensors."""


class Flat(NamedTuple):
    """All sequences, one after the other, with START and END.

    Parameters
    ----------
    nodes
        The nodes of all.
    lengths
        (sequences,): the number of nodes of each.
    owner
        (sequences,): the procedure each belongs to, in ascending order.
    """

    nodes: Indices
    lengths: Indices
    owner: Indices


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
        The side of the matrices Z; by default the largest size.
    device
        The device of the tensors.
    chunk_entries
        Maximum number of entries of Z in a chunk.
    kept_entries
        Maximum number of entries for which the squares of all chunks stay in memory. A larger batch
        rebuilds each chunk's squares at each use, which is slower but bounds memory.
    weights
        For each procedure, the number of recordings behind each sequence; by default one.

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
        if not any(sequences):
            raise FormatError("no sequences; a batch needs at least one")
        self.sizes = tuple(sizes)
        self.stride = max(sizes) if stride is None else stride
        self.device = _numbered(device)
        self.weights: Tensor | None = None
        """(sequences,): the number of recordings behind each; None if each is one."""
        if weights is not None and any(weight != 1 for group in weights for weight in group):
            flat_weights = [weight for group in weights for weight in group]
            self.weights = torch.tensor(flat_weights, device=self.device)
        self._flat = flattened(sequences, sizes)
        self.count = len(self._flat.lengths)
        self._order = np.argsort(self._flat.lengths, kind="stable")
        self._chunks = tuple(self._split(chunk_entries))
        self._kept: dict[int, Pairs] = {}
        self.keeps_pairs = sum(chunk.entries for chunk in self._chunks) <= kept_entries
        """Whether the pairs of all chunks stay in memory."""

    @classmethod
    def from_demonstrations(
        cls,
        demonstrations: Demonstrations | Iterable[Demonstrations],
        *,
        repetitions: Repetitions | str = Repetitions.FIRST,
        seed: int = 0,
        stride: int | None = None,
        device: torch.device | str = "cpu",
    ) -> SequenceBatch:
        """Build a batch from the recordings of one or more procedures.

        Equal sequences are taken together and weighted with the number of their recordings.
        Recordings with marked mistakes count as any other; see
        `Demonstrations.without_marked_mistakes`.

        Parameters
        ----------
        demonstrations
            The recordings of each procedure.
        repetitions
            Which occurrence of a repeated step counts.
        seed
            The seed of a policy that draws at random.
        stride, device
            As for a batch from node numbers.

        Raises
        ------
        InputError
            If a value is not `Demonstrations`, there is none, or the policy is unknown.

        Examples
        --------
        >>> tea = Demonstrations.from_steps([["boil", "pour"], ["boil", "pour"]])
        >>> toast = Demonstrations.from_steps([["cut", "toast", "butter"]])
        >>> batch = SequenceBatch.from_demonstrations([tea, toast])
        >>> len(batch), batch.sizes, batch.weights
        (2, (4, 5), tensor([2., 1.]))
        """
        if isinstance(demonstrations, Demonstrations | str) or not isinstance(
            demonstrations, Iterable
        ):
            demonstrations = [demonstrations]
        several = list(demonstrations)
        for recordings in several:
            expect_demonstrations(recordings, "SequenceBatch.from_demonstrations")
        policy = one_of("repetitions", repetitions, Repetitions)
        counted = [_counted(recordings, policy, seed) for recordings in several]
        return cls(
            [list(counts) for counts in counted],
            [len(recordings.vocabulary) + 2 for recordings in several],
            stride=stride,
            device=device,
            weights=[list(counts.values()) for counts in counted],
        )

    def to(self, device: torch.device | str, *, non_blocking: bool = False) -> SequenceBatch:
        """Return the batch on a device; itself if it is there.

        Parameters
        ----------
        device
            The device.
        non_blocking
            Whether to return before the copy is done, from memory that is pinned.
        """
        device = _numbered(device)
        if device == self.device:
            return self
        return self._moved(device, partial(Tensor.to, device=device, non_blocking=non_blocking))

    def pin_memory(self) -> SequenceBatch:
        """Return the batch in pinned memory, with all that is worked out once worked out.

        A `DataLoader` with ``pin_memory=True`` calls this.
        """
        if self.keeps_pairs:
            for number in range(len(self._chunks)):
                self.pairs(number)
        return self._moved(self.device, Tensor.pin_memory)

    def _moved(self, device: torch.device, move: Callable[[Tensor], Tensor]) -> SequenceBatch:
        other = with_moved_tensors(self, move)
        other.device = device
        other._chunks = tuple(chunk.moved(device, move) for chunk in self._chunks)
        other._kept = {number: pairs.moved(move) for number, pairs in self._kept.items()}
        return other

    def __len__(self) -> int:
        return self.count

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The sequences in parts of bounded size."""
        return self._chunks

    @cached_property
    def restore(self) -> Tensor:
        """The place of each input sequence among the chunks' sequences."""
        position = np.empty(self.count, dtype=np.int64)
        position[self._order] = np.arange(self.count)
        return placed(position, self.device)

    @cached_property
    def order(self) -> Tensor:
        """The place among the input of each of the chunks' sequences."""
        return placed(self._order, self.device)

    def pairs(self, number: int) -> Pairs:
        """Return the pairs that the sums of a chunk run over."""
        if number in self._kept:
            return self._kept[number]
        chunk = self._chunks[number]
        built: Pairs
        if self.keeps_pairs and PairMasks.suit(chunk, CHUNK_ENTRIES):
            built = PairMasks(chunk)
        else:
            built = PairSquares(chunk)
        if self.keeps_pairs:
            self._kept[number] = built
        return built

    def _split(self, limit: int) -> Iterator[Chunk]:
        """Cut sequences, shortest first, into chunks whose padded squares stay under a limit."""
        sizes = np.array(self.sizes, dtype=np.int64)
        starts = np.cumsum(self._flat.lengths) - self._flat.lengths
        lengths = self._flat.lengths[self._order]
        start = 0
        while start < self.count:
            # Squares grow with the length, so all beyond the first too large one are too large.
            cost = np.arange(1, self.count - start + 1) * lengths[start:] ** 2
            end = start + max(1, int(np.searchsorted(cost, limit, side="right")))
            some = self._order[start:end]
            places = np.arange(lengths[end - 1])
            exists = places < lengths[start:end, None]
            nodes = np.zeros(exists.shape, dtype=np.int64)
            nodes[exists] = self._flat.nodes[(starts[some][:, None] + places)[exists]]
            yield Chunk(
                nodes, lengths[start:end], self._flat.owner[some], sizes, self.stride, self.device
            )
            start = end


def _counted(
    demonstrations: Demonstrations, policy: Repetitions, seed: int
) -> dict[tuple[int, ...], float]:
    """Return the distinct sequences without repetition, each with its number of recordings."""
    rng = random.Random(seed)
    counts: dict[tuple[int, ...], float] = {}
    for recording in demonstrations:
        sequences: tuple[tuple[int, ...], ...] = (recording.steps,)
        if recording.has_repetitions:
            alone = replace(demonstrations, sequences=(recording,))
            sequences = without_repetitions(alone, policy, seed=rng.getrandbits(32)).sequences
        for steps in sequences:
            counts[steps] = counts.get(steps, 0.0) + recording.weight
    return counts


def _numbered(device: torch.device | str) -> torch.device:
    """Return a device as tensors on it name it: 'cuda' is the first or current of several."""
    return torch.empty(0, device=device).device


def flattened(sequences: Sequence[Sequence[Sequence[int]]], sizes: Sequence[int]) -> Flat:
    """Check all sequences and return them with START and END added."""
    owners = np.repeat(np.arange(len(sequences)), [len(group) for group in sequences])
    lengths = np.array([len(steps) + 2 for group in sequences for steps in group], dtype=np.int64)
    ends = np.array(sizes, dtype=np.int64)[owners] - 1
    given = np.fromiter(chain.from_iterable(chain.from_iterable(sequences)), dtype=np.int64)
    last = np.cumsum(lengths) - 1
    nodes = np.zeros(int(lengths.sum()), dtype=np.int64)
    between = np.ones(len(nodes), dtype=bool)
    between[last] = between[last + 1 - lengths] = False
    nodes[between] = given
    nodes[last] = ends
    number = np.repeat(np.arange(len(lengths)), lengths)
    wrong = between & ((nodes < 1) | (nodes >= ends[number]))
    by_node = np.lexsort((nodes, number))
    again = (np.diff(nodes[by_node]) == 0) & (np.diff(number[by_node]) == 0)
    bad = np.concatenate((number[wrong], number[by_node[1:]][again]))
    if len(bad):
        first = int(bad.min())
        steps = tuple(nodes[last[first] - lengths[first] + 2 : last[first]].tolist())
        raise FormatError(
            f"the sequence {steps} of procedure {owners[first]} repeats a node or leaves "
            f"1 to {ends[first] - 1}"
        )
    return Flat(nodes, lengths, owners)
