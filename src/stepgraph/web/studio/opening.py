"""From the file that somebody names to a basis: a graph is shown, recordings are learned from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepgraph.errors import FormatError, InputError
from stepgraph.files import read_text
from stepgraph.formats import GRAPH_READERS, read_demonstrations, read_graph
from stepgraph.formats.json_text import parse_json
from stepgraph.formats.registry import DRAWINGS
from stepgraph.formats.stepgraph_json import GRAPH_FORMAT
from stepgraph.learners import Progress, no_progress
from stepgraph.pipeline import learn_all
from stepgraph.sequences import Demonstrations
from stepgraph.web.studio.basis import METHOD, Basis
from stepgraph.web.studio.limits import StudioLimits
from stepgraph.web.studio.target import SaveTarget
from stepgraph.web.studio.upload import check_columns

GRAPH_SUFFIXES = (*(ending for ending in GRAPH_READERS if ending != ".json"), ".xml", *DRAWINGS)
"""Endings of what is no recording; reading it as a graph says what is wrong with a drawing."""


@dataclass(frozen=True)
class Opened:
    """What the studio begins with.

    Parameters
    ----------
    basis
        The graph and what it comes from.
    target
        Where it is saved.
    saved
        Whether the target holds it already.
    """

    basis: Basis
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
        Where to save; by default the graph file itself, or a new file beside the recordings.
    with_mistakes
        Whether to learn also from recordings with marked mistakes.
    limits
        How large all of it may be.
    progress
        Told how far the learning is.
    **reading
        How recordings are read, as for `read_demonstrations`.

    Raises
    ------
    InputError
        If a file cannot be read or used.
    """
    limits = limits or StudioLimits()
    if is_graph(path):
        graph = read_graph(path)
        limits.check_graph(graph, str(path))
        given = None
        if recordings is not None:
            given = read_demonstrations(recordings, **reading).only()
            limits.check_demonstrations(given, str(recordings))
            _check_shared(graph.steps, given, recordings)
        own = path.suffix.lower() == ".json" and is_own_format(path)
        target = output or (path if own else path.with_name(f"{path.stem}.graph.json"))
        same = target == path
        basis = Basis.of_graph(graph, given, path.name)
        return Opened(basis, SaveTarget(target, read=same), saved=same)
    if recordings is not None:
        raise InputError(
            f"{path}: recordings; --demos is for a graph, leave it out or name a graph first"
        )
    if path.suffix.lower() in (".csv", ".tsv"):
        check_columns(read_text(path), str(path), limits)
    found = read_demonstrations(path, **reading)
    given = found.only()
    limits.check_demonstrations(given, str(path))
    (learning,) = learn_all([given], METHOD, with_mistakes=with_mistakes, progress=progress)
    basis = Basis.of_learning(learning, given, path.name, found.notes)
    target = output or path.with_name(f"{path.stem}.graph.json")
    if target.exists() and target.samefile(path):
        raise InputError(f"{target}: the graph would overwrite the recordings; give another -o")
    return Opened(basis, SaveTarget(target, read=False), saved=False)


def is_graph(path: Path) -> bool:
    """Return whether a file is to be read as a graph rather than as recordings.

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


def _check_shared(steps: tuple[str, ...], given: Demonstrations, path: Path) -> None:
    if not set(steps) & set(given.vocabulary.steps):
        raise FormatError(
            f"{path}: none of its steps is in the graph; are these recordings of another procedure?"
        )
