"""Where things go: layered layouts of flow charts, rows and tracks for the terminal, fitted text.

Everything here is a pure function of numbers and texts. The writers of `stepgraph.formats` and the
drawings of `stepgraph.drawing` share it.
"""
