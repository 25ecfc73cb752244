"""Graphs and demonstrations on disk: versioned JSON, read strictly.

A file says which format and version it holds; what does not fit is refused with the place
and the reason.
"""

from stepgraph.storage.demonstrations import (
    DEMONSTRATIONS_FORMAT,
    demonstrations_from_json,
    demonstrations_to_json,
)
from stepgraph.storage.graphs import GRAPH_FORMAT, graph_from_json, graph_to_json, save_graph
from stepgraph.storage.json_text import (
    VERSION,
    dump_json,
    expect_format,
    located,
    parse_json,
    read_json,
)

__all__ = [
    "DEMONSTRATIONS_FORMAT",
    "GRAPH_FORMAT",
    "VERSION",
    "demonstrations_from_json",
    "demonstrations_to_json",
    "dump_json",
    "expect_format",
    "graph_from_json",
    "graph_to_json",
    "located",
    "parse_json",
    "read_json",
    "save_graph",
]
