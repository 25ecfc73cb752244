"""Reports: a graph, its evidence, recordings and scores as one HTML file.

`make_report` puts the content together as plain values (`Report` and its parts); `to_html` makes
the page of them. A method is run again (`relearn`) for its training curve and for intervals.
"""

from stepgraph.report.content import (
    DoneStep,
    Need,
    RecordingEntry,
    Report,
    StepEntry,
    make_report,
)
from stepgraph.report.page import to_html
from stepgraph.report.relearning import Relearned, relearn
from stepgraph.report.scores import ScoreEntry

__all__ = [
    "DoneStep",
    "Need",
    "RecordingEntry",
    "Relearned",
    "Report",
    "ScoreEntry",
    "StepEntry",
    "make_report",
    "relearn",
    "to_html",
]
