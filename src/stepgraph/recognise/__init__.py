"""Optional: from the features of video frames to key-steps, as they come.

A causal recurrent network after MiniROAD names the step of each frame: `fit_recogniser` trains
one, `Recogniser` runs it, `save_recogniser` and `load_recogniser` keep it. `train_recogniser`
trains on some recordings and measures on others; `KeyStepStream` turns frames into key-steps
for `stepgraph.monitoring` to judge. Nothing here looks ahead.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from stepgraph.errors import MissingExtraError
from stepgraph.recognise.frame_files import save_frames
from stepgraph.recognise.habits import FrameHabits, confusion_for, measure_frames
from stepgraph.recognise.settings import Design, RecogniserSettings
from stepgraph.recognise.stream import KeyStepStream, key_steps
from stepgraph.recognise.training import TrainedRecogniser, hold_out, train_recogniser

if TYPE_CHECKING:
    from stepgraph.recognise.checkpoint import load_recogniser, save_recogniser
    from stepgraph.recognise.fitting import Fitted, fit_recogniser
    from stepgraph.recognise.recogniser import FrameStream, Recogniser

# Torch is loaded only to train or to run a network.
_NEED_TORCH = {
    "Fitted": "fitting",
    "FrameStream": "recogniser",
    "Recogniser": "recogniser",
    "fit_recogniser": "fitting",
    "load_recogniser": "checkpoint",
    "save_recogniser": "checkpoint",
}

__all__ = [
    "Design",
    "Fitted",
    "FrameHabits",
    "FrameStream",
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
