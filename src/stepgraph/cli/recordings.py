"""Recordings to compare with a graph, as several commands read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.cli.output import count
from stepgraph.errors import InputError, UnknownNameError, nearest_names

if TYPE_CHECKING:
    from stepgraph.formats import Reading
    from stepgraph.graph import TaskGraph
    from stepgraph.sequences import Demonstrations


def read_for_graph(
    graph: TaskGraph, path: Path, *, only: Sequence[str] | None = None, **reading: Any
) -> tuple[Demonstrations, tuple[str, ...]]:
    """Read the recordings of a graph's procedure; return them, and notes on the reading.

    Parameters
    ----------
    graph
        The graph.
    path
        Their file.
    only
        The recordings to keep, by name; by default all.
    **reading
        How to read it, from `options.reading`.

    Raises
    ------
    InputError
        If the file cannot be used, none of its recordings is of the graph's procedure, or there
        is no recording of that name.
    """
    from stepgraph.formats import read_demonstrations

    found = everything = read_demonstrations(path, **reading)
    if len(found.procedures) > 1:
        # Read again for this procedure alone, so that the notes are about it alone.
        found = read_demonstrations(
            path, **reading | {"procedure": _own_procedure(found, graph, path)}
        )
    demonstrations = found.only()
    if only:
        demonstrations = _only(demonstrations, only, everything, path)
    share_a_step(graph, demonstrations, path)
    return demonstrations, found.notes


def _only(
    given: Demonstrations, names: Sequence[str], everything: Reading, path: Path
) -> Demonstrations:
    by_name = {recording.id: recording for recording in given}
    for name in names:
        if name in by_name:
            continue
        for procedure, others in everything.procedures.items():
            if any(recording.id == name for recording in others):
                raise InputError(
                    f"{path}: {name!r} is a recording of {procedure!r}, the graph is of "
                    f"{given.procedure!r}; name a recording of it, or another graph"
                )
        raise UnknownNameError("recording", name, list(by_name), str(path))
    return replace(given, sequences=tuple(by_name[name] for name in dict.fromkeys(names)))


def _own_procedure(reading: Reading, graph: TaskGraph, path: Path) -> str:
    """Return the name of the graph's own procedure in a file that holds several."""
    if graph.procedure in reading.procedures:
        return graph.procedure
    listed = ", ".join(map(repr, reading.procedures))
    near = nearest_names(graph.procedure, reading.procedures, 1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise InputError(
        f"{path}: {len(reading.procedures)} procedures, none called {graph.procedure!r} as the "
        f"graph is{hint}; choose one with --procedure NAME: {listed}"
    )


def share_a_step(graph: TaskGraph, demonstrations: Demonstrations, path: Path) -> None:
    """Check that recordings have at least one step of a graph.

    Raises
    ------
    InputError
        If they have none: they are of another procedure.
    """
    shown = [demonstrations.vocabulary.name(node) for node in sorted(demonstrations.seen)]
    if any(name in graph.vocabulary for name in shown):
        return
    example = UnknownNameError("step", shown[0], graph.steps)
    raise InputError(
        f"{path}: none of its {count(len(shown), 'step')} is in the graph; {example}; "
        "is this a recording of another procedure?"
    )
