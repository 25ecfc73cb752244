"""A recogniser's file: its weights, and in the header all that it takes to run them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.errors import FormatError, StepgraphError
from stepgraph.learners.network_file import check_size, put_weights, read_network, write_network
from stepgraph.recognise.network import FrameNetwork
from stepgraph.recognise.recogniser import Pace, Recogniser
from stepgraph.recognise.settings import Design, RecogniserSettings

if TYPE_CHECKING:
    from torch import Tensor

FORMAT = "stepgraph-recogniser"
VERSION = 1


def save_recogniser(recogniser: Recogniser, path: str | Path) -> None:
    """Write a recogniser to a file, whole or not at all.

    Raises
    ------
    FileError
        If the file cannot be written.
    MissingExtraError
        If safetensors is not installed.
    """
    about = {
        "settings": asdict(recogniser.settings),
        "classes": list(recogniser.classes),
        "widths": list(recogniser.widths),
        "background": recogniser.background,
        "pace": None if recogniser.pace is None else asdict(recogniser.pace),
    }
    write_network(recogniser.network, path, format=FORMAT, version=VERSION, about=about)


def load_recogniser(path: str | Path) -> Recogniser:
    """Read a recogniser.

    Raises
    ------
    FileError
        If there is no such file.
    FormatError
        If it is truncated, no recogniser, of another version, or its weights do not have the
        shapes that its header says.
    MissingExtraError
        If safetensors is not installed.
    """
    header, weights = read_network(path, format=FORMAT, version=VERSION)
    try:
        recogniser = _from_header(header, weights, str(path))
    except FormatError:
        raise
    except (
        AttributeError, KeyError, TypeError, ValueError, OverflowError, RuntimeError, StepgraphError
    ) as error:  # fmt: skip
        raise FormatError(f"{path}: its header lacks or misstates {error}") from None
    put_weights(recogniser.network, weights, str(path))
    return recogniser


def _from_header(header: dict[str, Any], weights: Mapping[str, Tensor], where: str) -> Recogniser:
    own = header["settings"]
    settings = RecogniserSettings(
        **{field.name: own[field.name] for field in fields(RecogniserSettings)}
    )
    classes = tuple(map(str, header["classes"]))
    widths = tuple(int(width) for width in header["widths"])
    background = header["background"]
    if not classes or len(set(classes)) < len(classes):
        raise ValueError("different classes")
    if not widths or min(widths) < 1:
        raise ValueError("the widths")
    if background is not None and background not in classes:
        raise ValueError("the background")
    raw = header["pace"]
    pace = None if raw is None else Pace(**{name: float(value) for name, value in raw.items()})
    check_size(_least(settings, sum(widths), len(classes)), weights, where)
    network = FrameNetwork(sum(widths), len(classes), settings).eval()
    return Recogniser(network, settings, classes, widths, background, pace)


def _least(settings: RecogniserSettings, width: int, classes: int) -> int:
    """Return how many numbers a network of these sizes has at the least."""
    if settings.design is not Design.GRU:
        return width * classes
    recurrent = settings.layers * settings.hidden**2
    return width * settings.embedding + recurrent + settings.hidden * classes
