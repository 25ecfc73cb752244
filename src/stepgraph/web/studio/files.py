"""Files of the studio: those it opens, those that the page uploads, and the one it saves to.

The studio shows a graph file and learns from a file of recordings. It reads an uploaded file
from memory, within limits, and never uses its name as a path. It does not overwrite a file that
another program changed, unless the person confirms.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from stepgraph.errors import FileError, FormatError, InputError
from stepgraph.files import read_text
from stepgraph.formats import GRAPH_READERS, Reading, read_demonstrations, read_graph, save_graph
from stepgraph.formats.json_text import parse_json
from stepgraph.formats.reading import Source
from stepgraph.formats.registry import DRAWINGS, read_source
from stepgraph.formats.stepgraph_json import GRAPH_FORMAT
from stepgraph.graph import TaskGraph
from stepgraph.learners import Progress, no_progress
from stepgraph.pipeline import LearningOptions, learn_together
from stepgraph.sequences import Demonstrations
from stepgraph.web.studio.graph_source import METHOD, GraphSource
from stepgraph.web.studio.limits import StudioLimits

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".txt")


def file_name(raw: str) -> str:
    """Return the last part of a file name from a browser, without control characters.

    Raises
    ------
    FormatError
        If its ending is not that of a format of recordings.
    """
    name = PurePath(raw.replace("\\", "/")).name
    name = re.sub(r"[\x00-\x1f\x7f]", "", name)[-100:]
    if PurePath(name).suffix.lower() not in SUFFIXES:
        raise FormatError(
            f"{name!r}: not a file of recordings; expected one of {', '.join(SUFFIXES)}"
        )
    return name


def read_upload(
    content: bytes, name: str, limits: StudioLimits, procedure: str | None = None
) -> Reading:
    """Return the recordings in an uploaded file.

    Parameters
    ----------
    content
        The bytes of the file.
    name
        Its name, which is never opened.
    limits
        The limits of the studio.
    procedure
        The procedure to keep, where there are several.

    Raises
    ------
    InputError
        If it cannot be read, or is too large.
    """
    path = Path(file_name(name))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path}: byte {error.start} ({content[error.start]:#04x}) is not UTF-8; "
            "save the file with the encoding UTF-8"
        ) from None
    if not text.strip():
        raise FormatError(f"{path}: the file is empty")
    if path.suffix.lower() in (".csv", ".tsv"):
        check_columns(text, str(path), limits)
    reading = read_source(Source(path, text, {}), procedure=procedure)
    for demonstrations in reading.procedures.values():
        limits.check_demonstrations(demonstrations, str(path))
    return reading


def check_columns(text: str, where: str, limits: StudioLimits) -> None:
    """Refuse a table with too many columns, before comparing their names.

    Raises
    ------
    FormatError
        If the first line has too many columns.
    """
    line = text.lstrip().split("\n", 1)[0]
    count = 1 + max(line.count(separator) for separator in (",", ";", "\t"))
    if count > limits.columns:
        raise FormatError(
            f"{where}: the first line has {count:,} columns; at most {limits.columns} are read. A "
            "table of recordings has one row a step, with a column for the recording and one for "
            "the step"
        )


class ChangedError(InputError):
    """The file holds content that this studio neither read nor wrote."""


class SaveTarget:
    """The file to save to; another program's content in it is never overwritten silently.

    Parameters
    ----------
    path
        The file.
    read
        Whether the studio has read its graph from this file.
    """

    def __init__(self, path: Path, *, read: bool) -> None:
        self.path = path
        self._known = _digest(path) if read else None

    def save(self, graph: TaskGraph, *, overwrite: bool = False) -> None:
        """Write a graph atomically.

        Parameters
        ----------
        graph
            The graph.
        overwrite
            Whether to overwrite another program's content.

        Raises
        ------
        ChangedError
            If there is such content and `overwrite` is false.
        FileError
            If the file cannot be written.
        """
        now = _digest(self.path)
        if now is not None and now != self._known and not overwrite:
            finding = "has changed since it was opened" if self._known else "already exists"
            raise ChangedError(
                f"{self.path.name} {finding}, with other content; press 'Overwrite it' to replace "
                "it, or start the studio with another output file to keep both"
            )
        save_graph(graph, self.path)
        self._known = _digest(self.path)


def _digest(path: Path) -> bytes | None:
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: cannot be read ({getattr(error, 'strerror', error)})") from None


GRAPH_SUFFIXES = (*(ending for ending in GRAPH_READERS if ending != ".json"), ".xml", *DRAWINGS)
"""Endings of files that hold no recordings; reading a drawing as a graph explains the error."""


@dataclass(frozen=True)
class Opened:
    """An opened graph.

    Parameters
    ----------
    source
        The graph and its recordings.
    target
        The file to save to.
    saved
        Whether the target already holds the graph.
    """

    source: GraphSource
    target: SaveTarget
    saved: bool


def open_path(
    path: Path,
    *,
    recordings: Path | None = None,
    output: Path | None = None,
    with_mistakes: bool = False,
    limits: StudioLimits | None = None,
    progress: Progress = no_progress,
    **reading: Any,
) -> Opened:
    """Read a graph, or learn one from recordings.

    Parameters
    ----------
    path
        A file of a graph or of recordings.
    recordings
        For a graph: recordings of the same procedure.
    output
        The file to save to; by default the graph file itself, or a new file beside the recordings.
    with_mistakes
        Whether to learn also from recordings with marked mistakes.
    limits
        The limits of the studio.
    progress
        Called with the progress of learning.
    **reading
        Options for reading recordings, as for `read_demonstrations`.

    Raises
    ------
    InputError
        If a file cannot be read or used.
    """
    limits = limits or StudioLimits()
    if is_graph(path):
        graph = read_graph(path)
        limits.check_graph(graph, str(path))
        demonstrations = None
        if recordings is not None:
            demonstrations = read_demonstrations(recordings, **reading).only()
            limits.check_demonstrations(demonstrations, str(recordings))
            _check_shared(graph.steps, demonstrations, recordings)
        own = path.suffix.lower() == ".json" and is_own_format(path)
        target = output or (path if own else path.with_name(f"{path.stem}.graph.json"))
        same = target == path
        source = GraphSource.of_graph(graph, demonstrations, path.name)
        return Opened(source, SaveTarget(target, read=same), saved=same)
    if recordings is not None:
        raise InputError(
            f"{path}: recordings; --demos is for a graph, leave it out or name a graph first"
        )
    if path.suffix.lower() in (".csv", ".tsv"):
        check_columns(read_text(path), str(path), limits)
    found = read_demonstrations(path, **reading)
    demonstrations = found.only()
    limits.check_demonstrations(demonstrations, str(path))
    options = LearningOptions(METHOD, with_mistakes=with_mistakes)
    (learning,) = learn_together([demonstrations], options, progress=progress)
    source = GraphSource.of_learning(learning, demonstrations, path.name, found.notes)
    target = output or path.with_name(f"{path.stem}.graph.json")
    if target.exists() and target.samefile(path):
        raise InputError(f"{target}: the graph would overwrite the recordings; give another -o")
    return Opened(source, SaveTarget(target, read=False), saved=False)


def is_graph(path: Path) -> bool:
    """Return whether a file holds a graph rather than recordings.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If it is empty or broken JSON.
    """
    suffix = path.suffix.lower()
    if suffix in GRAPH_SUFFIXES:
        return True
    if suffix != ".json":
        return False
    content = parse_json(read_text(path), str(path))
    if not isinstance(content, dict):
        return False
    return content.get("format") == GRAPH_FORMAT or (
        "format" not in content and {"steps", "edges"} <= content.keys()
    )


def is_own_format(path: Path) -> bool:
    """Return whether a JSON file is a graph in stepgraph's own format."""
    content = parse_json(read_text(path), str(path))
    return isinstance(content, dict) and content.get("format") == GRAPH_FORMAT


def _check_shared(steps: tuple[str, ...], demonstrations: Demonstrations, path: Path) -> None:
    if not set(steps) & set(demonstrations.vocabulary.steps):
        raise FormatError(
            f"{path}: none of its steps is in the graph; are these recordings of another procedure?"
        )
