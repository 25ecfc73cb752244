"""Optional: from the features of video frames to key-steps, online.

A causal recurrent network after MiniROAD names the step of each frame: `fit_recogniser` trains
it, `Recogniser` runs it, `save_recogniser` and `load_recogniser` write and read it.
`train_recogniser` trains on some recordings and measures on others. `KeyStepStream` turns frames
into key-steps for `stepgraph.monitoring` to judge. Nothing here looks ahead.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from stepgraph.errors import MissingExtraError
from stepgraph.recognise.files import read_classes, read_features, save_frames
from stepgraph.recognise.frames import FrameRecording, hold_out
from stepgraph.recognise.scores import FrameMeasurements, confusion_for, measure_frames
from stepgraph.recognise.settings import Design, RecogniserSettings
from stepgraph.recognise.smoother import FrameSmoother, KeyStep, KeyStepStream, key_steps

if TYPE_CHECKING:
    from stepgraph.recognise.recogniser import (
        FrameStream,
        Recogniser,
        load_recogniser,
        save_recogniser,
    )
    from stepgraph.recognise.training import (
        Fitted,
        TrainedRecogniser,
        fit_recogniser,
        train_recogniser,
    )

# Import torch only to train or to run a network.
_NEED_TORCH = {
    "Fitted": "training",
    "FrameStream": "recogniser",
    "Recogniser": "recogniser",
    "TrainedRecogniser": "training",
    "fit_recogniser": "training",
    "load_recogniser": "recogniser",
    "save_recogniser": "recogniser",
    "train_recogniser": "training",
}

__all__ = [
    "Design",
    "Fitted",
    "FrameMeasurements",
    "FrameRecording",
    "FrameSmoother",
    "FrameStream",
    "KeyStep",
    "KeyStepStream",
    "Recogniser",
    "RecogniserSettings",
    "TrainedRecogniser",
    "confusion_for",
    "fit_recogniser",
    "hold_out",
    "key_steps",
    "load_recogniser",
    "measure_frames",
    "read_classes",
    "read_features",
    "save_frames",
    "save_recogniser",
    "train_recogniser",
]


def __getattr__(name: str) -> object:
    if name not in _NEED_TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(f"{__name__}.{_NEED_TORCH[name]}")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "torch":
            raise
        raise MissingExtraError("the recogniser", "torch") from None
    return getattr(module, name)
