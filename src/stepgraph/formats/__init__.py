"""Files in, demonstrations and graphs out, and graphs written again: one file per format.

Each format turns text into a draft of recordings, and the same last steps sort, check and describe
every draft, so that all formats behave alike; a graph is read and written in the same file.
Whatever is wrong with a file becomes an error that starts with its path, and whatever was merged,
left out or guessed becomes a note of the `Reading`.
"""

from __future__ import annotations

from stepgraph.formats.adjlist import read_adjacency
from stepgraph.formats.reading import ORDERS, Reading
from stepgraph.formats.registry import (
    FORMATS,
    GRAPH_READERS,
    GRAPH_WRITERS,
    RECORDING_FORMATS,
    Format,
    graph_text,
    read_demonstrations,
    read_graph,
)
from stepgraph.formats.stepgraph_json import save_graph
from stepgraph.formats.text import read_steps

__all__ = [
    "FORMATS",
    "GRAPH_READERS",
    "GRAPH_WRITERS",
    "ORDERS",
    "RECORDING_FORMATS",
    "Format",
    "Reading",
    "graph_text",
    "read_adjacency",
    "read_demonstrations",
    "read_graph",
    "read_steps",
    "save_graph",
]
