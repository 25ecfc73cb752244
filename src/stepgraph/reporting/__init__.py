"""What a report says, put together: the graph, what speaks for it, recordings, and scores.

`make_report` asks the monitor, the aligner and the metrics, and runs the graph's own method again
to tell how its training went and how far its scores would vary; `stepgraph.drawing.report` makes
the page of it.
"""

from stepgraph.reporting.again import Again, learn_again
from stepgraph.reporting.making import make_report

__all__ = ["Again", "learn_again", "make_report"]
