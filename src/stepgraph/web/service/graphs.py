"""Graphs by name and version; a session keeps the version that it began with."""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stepgraph.errors import FileError, InputError
from stepgraph.formats import GRAPH_READERS, read_graph
from stepgraph.formats.json_text import parse_json
from stepgraph.formats.stepgraph_json import DEMONSTRATIONS_FORMAT, graph_from_json, graph_to_json
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Monitor
from stepgraph.web.http import Problem, compact
from stepgraph.web.service.limits import Limits
from stepgraph.web.service.tables import GraphRow, Tables

KEPT = 200
"""Maximum number of cached versions."""


class Versions:
    """A cache of graphs from the store; a version never changes."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, int], Monitor] = OrderedDict()
        self._lock = threading.Lock()

    def monitor(self, tables: Tables, name: str, version: int) -> Monitor:
        """Return a new monitor on a version of a graph."""
        with self._lock:
            known = self._known.get((name, version))
        if known is None:
            row = tables.graph(name, version)
            if row is None:
                raise LookupError(f"version {version} of the graph {name!r} is not in the store")
            known = Monitor(graph_of(row))
            with self._lock:
                self._known[name, version] = known
                if len(self._known) > KEPT:
                    self._known.popitem(last=False)
        return known.restarted()


def graph_of(row: GraphRow) -> TaskGraph:
    """Return the graph that a row holds."""
    where = f"version {row.version} of the graph {row.name!r} in the store"
    return graph_from_json(parse_json(row.content, where), where)


def put_graph(tables: Tables, name: str, graph: TaskGraph) -> tuple[GraphRow, bool]:
    """Make a graph the latest version of its name; return its row and whether it is new."""
    content = compact(graph_to_json(graph))
    tables.begin()
    try:
        tables.lock_graphs()
        last = tables.graph(name)
        changed = last is None or last.content != content
        if last is None or changed:
            number = 1 if last is None else last.version + 1
            last = GraphRow(name, number, time.time(), content)
            tables.add_graph(last)
        tables.commit()
    except BaseException:
        tables.rollback()
        raise
    return last, changed


def read_files(paths: Sequence[Path], limits: Limits) -> dict[str, tuple[Path, TaskGraph]]:
    """Read the graphs of files and folders, by their names in the service.

    Raises
    ------
    InputError
        If a file holds no graph or is too large, or two files share a name.
    """
    found = {}
    for name, path in _named(paths).items():
        graph = read_graph(path)
        try:
            limits.check_graph(graph, str(path))
        except Problem as problem:
            raise InputError(problem.detail) from None
        found[name] = path, graph
    return found


def store_files(
    tables: Tables, files: Mapping[str, tuple[Path, TaskGraph]]
) -> list[dict[str, Any]]:
    """Put graphs from files into the store; return what happened to each.

    A file that holds an older version changes nothing: its replacement in the store stays.
    """
    done = []
    for name, (path, graph) in files.items():
        content = compact(graph_to_json(graph))
        versions = tables.versions(name)
        older = next((row for row in versions if row.content == content), None)
        if older is None:
            older, _ = put_graph(tables, name, graph)
            versions.insert(0, older)
        done.append(
            {"graph": name, "file": older.version, "current": versions[0].version, "path": path}
        )
    return done


def _holds_recordings(file: Path) -> bool:
    """Return whether a file declares that it holds recordings, not a graph."""
    try:
        with file.open("rb") as opened:
            return DEMONSTRATIONS_FORMAT.encode() in opened.read(200)
    except OSError:  # reading it as a graph reports the error
        return False


def _named(paths: Sequence[Path]) -> dict[str, Path]:
    """Return files by the names of their graphs."""
    files: list[Path] = []
    for path in paths:
        try:
            inside = sorted(path.iterdir()) if path.is_dir() else [path]
        except OSError as error:
            raise FileError(f"{path}: cannot be read ({error.strerror})") from None
        chosen = [
            file
            for file in inside
            if file == path
            or (file.suffix.lower() in GRAPH_READERS and not _holds_recordings(file))
        ]
        if not chosen:
            expected = ", ".join(GRAPH_READERS)
            raise FileError(f"{path}: no graph in this folder; expected {expected} files")
        files += chosen
    named: dict[str, Path] = {}
    for file in files:
        stem = file.stem.removesuffix(".graph")
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("._-")[:64]
        if not name:
            raise InputError(f"{file}: the file name needs a letter or digit to name the graph by")
        if name in named and named[name] != file:
            raise InputError(f"{file}: {named[name]} has the same name {name!r}; rename one")
        named[name] = file
    return named


def parse_graph(content: Any, limits: Limits) -> TaskGraph:
    """Return the graph that a client's JSON values describe.

    Raises
    ------
    Problem
        422 if they describe no graph, or one that is too large.
    """
    if isinstance(content, dict):
        # Count before building anything.
        for key, most in (("steps", limits.graph_steps), ("edges", limits.graph_edges)):
            value = content.get(key)
            if isinstance(value, list) and len(value) > most:
                raise Problem(422, f"the graph has {len(value)} {key}; at most {most} are allowed")
    try:
        graph = graph_from_json(content, "the body")
        text = compact(content)
        text.encode()
    except InputError as error:
        raise Problem(422, str(error)) from None
    except UnicodeEncodeError:
        raise Problem(422, "the graph has half of a character; send whole ones") from None
    except (OverflowError, RecursionError, TypeError, ValueError) as error:
        raise Problem(422, f"the body is not a valid graph ({error})") from None
    if r"\u0000" in text:
        raise Problem(422, "the graph has a null character, which databases cannot store")
    limits.check_graph(graph, "the graph")
    return graph
