"""A trained network on disk: safetensors, with what it is as JSON in the header. Never a pickle."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from tgml.errors import FileError, FormatError, MissingExtraError, TgmlError
from tgml.files import write_bytes
from tgml.learners.tgt.model import Shape, TaskGraphTransformer
from tgml.learners.tgt.trained import TrainedTransformer

FORMAT = "tgml-transformer"
VERSION = 1
KEY = "tgml"
"""Under which entry of the header the JSON stands."""


def save_checkpoint(trained: TrainedTransformer, path: str | Path) -> None:
    """Write a trained network to a file, whole or not at all.

    Raises
    ------
    FileError
        If the file cannot be written.
    MissingExtraError
        If safetensors is not installed.
    """
    save, _, _ = _safetensors()
    header = {
        "format": FORMAT,
        "version": VERSION,
        "shape": asdict(trained.network.shape),
        "sentence_model": trained.sentence_model,
        "procedures": list(trained.procedures),
    }
    weights = {
        name: values.detach().cpu().contiguous()
        for name, values in trained.network.state_dict().items()
    }
    text = json.dumps(header, sort_keys=True, ensure_ascii=False)
    write_bytes(path, save(weights, metadata={KEY: text}))


def load_checkpoint(path: str | Path) -> TrainedTransformer:
    """Read a trained network.

    Raises
    ------
    FileError
        If there is no such file.
    FormatError
        If it is truncated, no network of tgml, of another version, or its weights do not have
        the shape that its header says.
    MissingExtraError
        If safetensors is not installed.
    """
    path = Path(path)
    _, open_file, broken = _safetensors()
    if not path.is_file():
        raise FileError(f"{path}: no such file; expected a network that tgml saved")
    try:
        with open_file(path, framework="pt") as content:
            metadata = content.metadata() or {}
            weights = {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118
    except (broken, OSError, ValueError) as error:
        raise FormatError(
            f"{path}: cannot be read as safetensors, is it whole? ({str(error).splitlines()[0]})"
        ) from None
    header = _header(metadata.get(KEY), str(path))
    network = _network(header, str(path))
    expected = {name: tuple(values.shape) for name, values in network.state_dict().items()}
    came = {name: tuple(values.shape) for name, values in weights.items()}
    for name in sorted(expected.keys() | came.keys()):
        if expected.get(name) != came.get(name):
            raise FormatError(
                f"{path}: the weights {name!r} have shape {came.get(name)}; its header says width "
                f"{network.shape.width}, so {expected.get(name)} was expected"
            )
        if not weights[name].isfinite().all():
            raise FormatError(f"{path}: the weights {name!r} hold values that are not finite")
    network.load_state_dict(weights)
    return TrainedTransformer(
        network.eval(), str(header["sentence_model"]), tuple(map(str, header["procedures"]))
    )


def _header(text: str | None, where: str) -> dict[str, Any]:
    try:
        header = json.loads(text or "")
    except json.JSONDecodeError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FormatError(f"{where}: no network that tgml saved")
    if header.get("version") != VERSION:
        raise FormatError(
            f"{where}: version {header.get('version')!r} of the format; this tgml reads {VERSION}"
        )
    return header


def _network(header: dict[str, Any], where: str) -> TaskGraphTransformer:
    try:
        shape = header["shape"]
        own = Shape(**{field.name: shape[field.name] for field in fields(Shape)})
        if not isinstance(header["sentence_model"], str):
            raise TypeError("the sentence model is no text")
        list(header["procedures"])
        return TaskGraphTransformer(own)
    except (KeyError, TypeError, TgmlError) as error:
        raise FormatError(f"{where}: its header lacks or misstates {error}") from None


def _safetensors() -> tuple[Any, Any, type[Exception]]:
    try:
        from safetensors import SafetensorError, safe_open
        from safetensors.torch import save
    except ModuleNotFoundError:
        raise MissingExtraError("the file of a network", "text") from None
    return save, safe_open, SafetensorError
