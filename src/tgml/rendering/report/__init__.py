"""Reports: a graph, its evidence, recordings and scores as one HTML file.

The content is plain values (`Report` and its parts), put together by `tgml.reporting`, which
may ask the monitor and the metrics; `to_html` makes the page and knows neither.
"""

from tgml.rendering.report.content import (
    DoneStep,
    Need,
    RecordingEntry,
    Report,
    ScoreEntry,
    StepEntry,
)
from tgml.rendering.report.page import to_html

__all__ = [
    "DoneStep",
    "Need",
    "RecordingEntry",
    "Report",
    "ScoreEntry",
    "StepEntry",
    "to_html",
]
