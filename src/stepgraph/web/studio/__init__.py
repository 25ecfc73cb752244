"""The studio: a local page that shows a graph and why it is so, and lets a person correct it.

A `GraphSource` is a graph as it was read or learned, `Edits` are a person's changes to it, and
`derive` makes the graph of both; `StudioSession` keeps them with undo, redo and a history. `view`
turns a session into what the page shows, `jobs` learns in a process of its own, `files` opens and
saves, and `app` answers the page.
"""
