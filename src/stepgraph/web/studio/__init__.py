"""The studio: a local page that shows a graph and why it is so, and lets a person correct it.

A `Basis` is what was read or learned, `Edits` are what somebody said on top of it, and `derive`
makes the graph of both; `StudioSession` keeps them with undo, redo and a history. `view` turns a
session into what the page shows, `work` learns in a process of its own, `app` answers the page.
"""
