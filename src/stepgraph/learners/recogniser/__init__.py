"""From the features of video frames to the step that each frame shows.

A causal recurrent network after MiniROAD: trained on windows whose latest frames count, run
frame by frame with a state that is carried on. `fit_recogniser` trains one, `Recogniser` runs
it, `save_recogniser` and `load_recogniser` keep it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from stepgraph.errors import MissingExtraError

if TYPE_CHECKING:
    from stepgraph.learners.recogniser.checkpoint import load_recogniser, save_recogniser
    from stepgraph.learners.recogniser.fitting import Fitted, fit_recogniser
    from stepgraph.learners.recogniser.recogniser import FrameStream, Recogniser
    from stepgraph.learners.recogniser.settings import Design, RecogniserSettings

# Torch is loaded by who trains or runs a network only.
_HOMES = {
    "Design": "settings",
    "Fitted": "fitting",
    "FrameStream": "recogniser",
    "Recogniser": "recogniser",
    "RecogniserSettings": "settings",
    "fit_recogniser": "fitting",
    "load_recogniser": "checkpoint",
    "save_recogniser": "checkpoint",
}

__all__ = [
    "Design",
    "Fitted",
    "FrameStream",
    "Recogniser",
    "RecogniserSettings",
    "fit_recogniser",
    "load_recogniser",
    "save_recogniser",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(f"{__name__}.{_HOMES[name]}")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "torch":
            raise
        raise MissingExtraError("the recogniser", "torch") from None
    return getattr(module, name)
