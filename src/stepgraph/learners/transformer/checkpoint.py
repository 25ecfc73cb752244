"""The file of a trained transformer: its weights, and in the header what it takes to ask it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.errors import FormatError, StepgraphError
from stepgraph.learners.network_file import check_size, put_weights, read_network, write_network
from stepgraph.learners.transformer.model import Shape, TaskGraphTransformer
from stepgraph.learners.transformer.trained import TrainedTransformer

if TYPE_CHECKING:
    from torch import Tensor

FORMAT = "stepgraph-transformer"
VERSION = 1


def save_checkpoint(trained: TrainedTransformer, path: str | Path) -> None:
    """Write a trained network to a file, whole or not at all.

    Raises
    ------
    FileError
        If the file cannot be written.
    MissingExtraError
        If safetensors is not installed.
    """
    about = {
        "shape": asdict(trained.network.shape),
        "sentence_model": trained.sentence_model,
        "procedures": list(trained.procedures),
    }
    write_network(trained.network, path, format=FORMAT, version=VERSION, about=about)


def load_checkpoint(path: str | Path) -> TrainedTransformer:
    """Read a trained network.

    Raises
    ------
    FileError
        If there is no such file.
    FormatError
        If it is truncated, no network of stepgraph, of another version, or its weights do not have
        the shape that its header says.
    MissingExtraError
        If safetensors is not installed.
    """
    header, weights = read_network(path, format=FORMAT, version=VERSION)
    network = _network(header, weights, str(path))
    put_weights(network, weights, str(path))
    return TrainedTransformer(
        network.eval(), str(header["sentence_model"]), tuple(map(str, header["procedures"]))
    )


def _network(
    header: dict[str, Any], weights: Mapping[str, Tensor], where: str
) -> TaskGraphTransformer:
    try:
        shape = header["shape"]
        own = Shape(**{field.name: shape[field.name] for field in fields(Shape)})
        if not isinstance(header["sentence_model"], str):
            raise TypeError("the sentence model is no text")
        if not isinstance(header["procedures"], list):
            raise TypeError("the procedures are no list")
    except (KeyError, TypeError, OverflowError, StepgraphError) as error:
        raise FormatError(f"{where}: its header lacks or misstates {error}") from None
    projection = own.features * own.width if own.features != own.width else 0
    check_size(own.layers * own.width**2 + projection, weights, where)
    return TaskGraphTransformer(own)
