"""Networks: the one training loop, and trained ones on disk.

The Task Graph Transformer and the recogniser train by `train`. A file is safetensors with a JSON
description in the header, no pickle.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from stepgraph.errors import FileError, FormatError, MissingExtraError, StepgraphError
from stepgraph.files import write_bytes
from stepgraph.formats.json_text import parse_json

Batch = TypeVar("Batch")


def train(
    network: nn.Module,
    batches: Callable[[int], Iterable[Batch]],
    loss_of: Callable[[Batch], Tensor],
    optimizer: Optimizer,
    *,
    epochs: int,
    finished: Callable[[int, float], bool],
    rates: LRScheduler | None = None,
    largest_norm: float | None = None,
) -> list[float]:
    """Train a network; return the mean loss of each epoch.

    Parameters
    ----------
    network
        Trained in place.
    batches
        The batches of an epoch, counted from 1.
    loss_of
        The loss of a batch, one number.
    optimizer, rates
        The optimizer, and the schedule of its learning rate, if any.
    epochs
        The largest number of epochs.
    finished
        Called after each epoch with its number and mean loss; True ends the training.
    largest_norm
        Maximum norm of a gradient; None for no limit.
    """
    losses: list[float] = []
    for epoch in range(1, epochs + 1):
        network.train()
        found = []
        for batch in batches(epoch):
            loss = loss_of(batch)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            if largest_norm is not None:
                nn.utils.clip_grad_norm_(network.parameters(), largest_norm)
            optimizer.step()
            if rates is not None:
                rates.step()
            found.append(float(loss.detach()))
        losses.append(sum(found) / len(found))
        if finished(epoch, losses[-1]):
            break
    return losses


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread inside the block, which is faster for small networks."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


KEY = "stepgraph"
"""The entry of the header that holds the JSON."""


class HasNetwork(Protocol):
    """A network with what it needs to be used."""

    @property
    def network(self) -> nn.Module:
        """The network."""
        ...


Made = TypeVar("Made", bound=HasNetwork)


def write_network(
    network: nn.Module,
    path: str | Path,
    *,
    format: str,  # noqa: A002 - the word users know it by
    version: int,
    about: Mapping[str, Any],
) -> None:
    """Write a network to a file, whole or not at all.

    Parameters
    ----------
    network
        The network.
    path
        The file.
    format, version
        The kind of network, and the version of its file format.
    about
        The description that rebuilds the network, as plain JSON values.

    Raises
    ------
    FileError
        If the file cannot be written.
    MissingExtraError
        If safetensors is not installed.
    """
    save, _, _ = _safetensors()
    header = {"format": format, "version": version, **about}
    weights = {
        name: values.detach().cpu().contiguous() for name, values in network.state_dict().items()
    }
    text = json.dumps(header, sort_keys=True, ensure_ascii=False)
    write_bytes(path, save(weights, metadata={KEY: text}))


def read_network(
    path: str | Path,
    *,
    format: str,  # noqa: A002 - the word users know it by
    version: int,
    oldest: int | None = None,
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Read a file that `write_network` wrote: the header, and the weights by name.

    Parameters
    ----------
    path
        The file.
    format, version
        Those that it was written with.
    oldest
        The oldest version that can be read too; None for `version` alone.

    Raises
    ------
    FileError
        If there is no such file.
    FormatError
        If it is truncated, of another format, or of another version.
    MissingExtraError
        If safetensors is not installed.
    """
    path = Path(path)
    _, open_file, broken = _safetensors()
    if not path.is_file():
        problem = "a folder" if path.is_dir() else "no such file"
        raise FileError(f"{path}: {problem}; expected a network that stepgraph saved")
    try:
        with open_file(path, framework="pt") as content:
            metadata = content.metadata() or {}
            weights = {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118
    except (broken, OSError, ValueError) as error:
        raise FormatError(
            f"{path}: cannot be read as safetensors, is it whole? ({str(error).splitlines()[0]})"
        ) from None
    try:
        header = parse_json(metadata.get(KEY, ""), str(path))
    except FormatError:
        header = None
    if not isinstance(header, dict) or header.get("format") != format:
        came = header.get("format") if isinstance(header, dict) else None
        raise FormatError(
            f"{path}: {f'a {came!r}' if came else 'no network that stepgraph saved'}; expected a "
            f"{format!r}"
        )
    readable = range(version if oldest is None else oldest, version + 1)
    if header.get("version") not in readable:
        raise FormatError(
            f"{path}: version {header.get('version')!r} of the format; this stepgraph reads "
            f"{' and '.join(map(str, readable))}"
        )
    try:
        json.dumps(header, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise FormatError(f"{path}: a text in its header has half of a character") from None
    return header, weights


def check_size(least: int, weights: Mapping[str, Tensor], where: str) -> None:
    """Check, before building a network, that the file holds enough weights for its header.

    Parameters
    ----------
    least
        Minimum number of weights in a network of the header's sizes.
    weights
        The weights in the file.
    where
        The file, for messages.

    Raises
    ------
    FormatError
        If the file holds fewer.
    """
    came = sum(values.numel() for values in weights.values())
    if least > came:
        raise FormatError(
            f"{where}: by its header the network has {least:,} numbers or more, but the file holds "
            f"{came:,}; copy or write it again"
        )


def put_weights(network: nn.Module, weights: Mapping[str, Tensor], where: str) -> None:
    """Load weights into a network after a check of names, shapes and values.

    Raises
    ------
    FormatError
        If some are missing, too many, of another shape, or not finite.
    """
    expected = {name: tuple(values.shape) for name, values in network.state_dict().items()}
    came = {name: tuple(values.shape) for name, values in weights.items()}
    for name in sorted(expected.keys() | came.keys()):
        if expected.get(name) != came.get(name):
            raise FormatError(
                f"{where}: the weights {name!r} have shape {came.get(name)}; by its header "
                f"{expected.get(name)} was expected"
            )
        if not weights[name].isfinite().all():
            raise FormatError(f"{where}: the weights {name!r} hold values that are not finite")
    network.load_state_dict(dict(weights))


def load_network(
    path: str | Path,
    *,
    format: str,  # noqa: A002 - the word users know it by
    version: int,
    oldest: int | None = None,
    make: Callable[[dict[str, Any], Mapping[str, Tensor], str], Made],
) -> Made:
    """Read a file that `write_network` wrote, and give the network that it describes its weights.

    Parameters
    ----------
    path
        The file.
    format, version, oldest
        As for `read_network`.
    make
        Returns an object with the network, from the header, the weights and the file's name; it
        calls `check_size` before it makes the network.

    Raises
    ------
    FileError
        If there is no such file.
    FormatError
        If it is truncated, no network of this format, of another version, or its weights do not
        have the shapes that its header says.
    MissingExtraError
        If safetensors is not installed.
    """
    header, weights = read_network(path, format=format, version=version, oldest=oldest)
    try:
        made = make(header, weights, str(path))
    except FormatError:
        raise
    except (
        AttributeError, KeyError, TypeError, ValueError, OverflowError, RuntimeError, StepgraphError
    ) as error:  # fmt: skip
        raise FormatError(f"{path}: its header lacks or misstates {error}") from None
    put_weights(made.network, weights, str(path))
    return made


def _safetensors() -> tuple[Any, Any, type[Exception]]:
    try:
        from safetensors import SafetensorError, safe_open
        from safetensors.torch import save
    except ModuleNotFoundError:
        raise MissingExtraError("the file of a network", "torch") from None
    return save, safe_open, SafetensorError
