"""Layout: layers for drawings, rows and rails for the terminal, and text that fits a width.

Everything here is a pure function of numbers and texts. The writers of `stepgraph.formats` and the
drawings of `stepgraph.drawing` share it.
"""
