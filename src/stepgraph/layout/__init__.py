"""Where things go: a layered layout, rows and rails for the terminal, and text that fits its width.

Everything here is a pure function of numbers and texts. The writers of `stepgraph.formats` and the
drawings of `stepgraph.drawing` share it.
"""
