"""Event logs of any size, read as weighted variants.

A log has one row an event: its recording, its step, its time, and perhaps its procedure. Parquet,
CSV, JSON Lines and Arrow tables go through duckdb, which sorts, checks and counts out of core; XES
goes through our own streaming reader into the same engine. The result is the distinct sequences of
each procedure, each with its number of recordings.
"""

from __future__ import annotations

from stepgraph.logs.filters import LogFilter
from stepgraph.logs.log import Log, ProcedureSize, open_log, read_log
from stepgraph.logs.profile import LogProfile, profile_log
from stepgraph.logs.source import is_log, is_table

__all__ = [
    "Log",
    "LogFilter",
    "LogProfile",
    "ProcedureSize",
    "is_log",
    "is_table",
    "open_log",
    "profile_log",
    "read_log",
]
