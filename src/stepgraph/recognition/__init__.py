"""From video to verdicts: a recogniser trained and measured, its frames as key-steps.

`train_recogniser` trains on some recordings and measures on others; `KeyStepStream` turns frames
into key-steps as they come, for `stepgraph.monitoring` to judge. Both never look ahead.
"""

from stepgraph.recognition.frame_files import save_frames
from stepgraph.recognition.habits import FrameHabits, confusion_for, measure_frames
from stepgraph.recognition.stream import KeyStepStream, key_steps
from stepgraph.recognition.training import TrainedRecogniser, hold_out, train_recogniser

__all__ = [
    "FrameHabits",
    "KeyStepStream",
    "TrainedRecogniser",
    "confusion_for",
    "hold_out",
    "key_steps",
    "measure_frames",
    "save_frames",
    "train_recogniser",
]
