"""Reports: a graph, its evidence, recordings and scores as one HTML file.

The content is plain values (`Report` and its parts), put together by `stepgraph.reporting`, which
may ask the monitor and the metrics; `to_html` makes the page and knows neither.
"""

from stepgraph.drawing.report.content import (
    DoneStep,
    Need,
    RecordingEntry,
    Report,
    ScoreEntry,
    StepEntry,
)
from stepgraph.drawing.report.page import to_html

__all__ = [
    "DoneStep",
    "Need",
    "RecordingEntry",
    "Report",
    "ScoreEntry",
    "StepEntry",
    "to_html",
]
