"""Charts of figures, as SVG text: lines with intervals, and dots.

They need no library and no script, read as well in grey, and tell people who cannot see them
every figure. The same figures give the same bytes, and any number of charts fit on one page.
"""

from stepgraph.drawing.charts.dots import Dots, dot_chart
from stepgraph.drawing.charts.lines import Point, Series, line_chart

__all__ = ["Dots", "Point", "Series", "dot_chart", "line_chart"]
