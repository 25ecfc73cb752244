"""The studio: a local page that shows a graph with its evidence and lets a person correct it.

A `GraphSource` is a graph as it was read or learned, `Edits` are a person's changes to it, and
`derive` combines both into a graph. `StudioSession` holds them with undo, redo and a history.
`view` prepares a session for the page, `jobs` learns in a separate process, `files` opens and
saves, and `app` answers the page.
"""
