"""Reading recordings and graphs, and writing graphs: one module per format.

Each format turns text into a draft of recordings. The same last steps sort, check and describe
every draft, so that all formats behave alike. A module both reads and writes its graphs. A problem
with a file becomes an error that starts with its path. A `Reading` notes everything that was
merged, left out or guessed.
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
