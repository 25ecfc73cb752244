"""Reports: a graph, its evidence, recordings and scores as one HTML file.

`make_report` collects the content as plain values (`Report` and its parts), and `to_html` turns
it into a page. `relearn` runs the method again for its training curve and for intervals.
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
