"""Procedures that ship with stepgraph: a true graph and demonstrations for each.

They serve to try and to test stepgraph without any data set. Graphs and step names were written
for this project. ``tools/make_procedures.py`` simulates the recordings from the graphs, and its
docstring explains how; no person was filmed.

A step done while one of its direct preconditions is missing is marked: `ORDER` if such a
precondition is done later in the recording, `PRECONDITION_SKIPPED` if none of them ever is.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from stepgraph.errors import FileError, UnknownNameError
from stepgraph.files import write_into_folder
from stepgraph.formats.json_text import dump_json, parse_json
from stepgraph.formats.stepgraph_json import (
    demonstrations_from_json,
    demonstrations_to_json,
    graph_from_json,
    graph_to_json,
)
from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes
from stepgraph.sequences import Demonstrations, KeyStepSequence

__all__ = [
    "Procedure",
    "example_names",
    "export_procedure",
    "load_procedure",
    "procedure_names",
]

GRAPH_SUFFIX = ".graph.json"
DEMONSTRATIONS_SUFFIX = ".demonstrations.json"

ORDER = "order"
"""The mark of a step done before something that it needs directly and that is done later."""
PRECONDITION_SKIPPED = "precondition skipped"
"""The mark of a step done although something that it needs directly is never done."""
SKIPPED = "skipped"
"""The mark, in an exported table, of a step that was left out by mistake."""

TUTORIAL = "tea"
"""The example of the tutorial: a table as a person writes it, with no known graph beside it."""

CSV_COLUMNS = ("recording", "step", "start", "end", "mistake")
"""The columns of an exported table."""


@dataclass(frozen=True)
class Procedure:
    """One of the procedures that ship with stepgraph.

    Parameters
    ----------
    name
        Its name, such as ``"pancakes"``.
    graph
        The true graph, with the attributes of the steps that may be left out or repeated.
    demonstrations
        All recordings, including those with mistakes.
    about
        The procedure in one sentence.
    domain
        Its place, such as ``"kitchen"``.
    optional
        Steps that may be left out; no other step needs them.
    repeatable
        Steps that may be done more than once.
    """

    name: str
    graph: TaskGraph
    demonstrations: Demonstrations
    about: str
    domain: str
    optional: tuple[str, ...] = ()
    repeatable: tuple[str, ...] = ()

    @property
    def clean(self) -> Demonstrations:
        """The recordings without a marked mistake."""
        return self.demonstrations.without_marked_mistakes()

    @property
    def faulty(self) -> tuple[KeyStepSequence, ...]:
        """The recordings with a marked mistake or a skipped step."""
        return tuple(sequence for sequence in self.demonstrations if sequence.has_mistakes)


def procedure_names() -> tuple[str, ...]:
    """Return the names of the procedures that ship with stepgraph, in alphabetical order.

    Examples
    --------
    >>> "pancakes" in procedure_names()
    True
    """
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return tuple(
        sorted(name.removesuffix(GRAPH_SUFFIX) for name in files if name.endswith(GRAPH_SUFFIX))
    )


def example_names() -> tuple[str, ...]:
    """Return the names for `export_procedure`: the procedures and the tutorial's table.

    Examples
    --------
    >>> sorted({*example_names()} - {*procedure_names()})
    ['tea']
    """
    return (*procedure_names(), TUTORIAL)


def load_procedure(name: str) -> Procedure:
    """Return a procedure that ships with stepgraph.

    Parameters
    ----------
    name
        One of `procedure_names`.

    Raises
    ------
    UnknownNameError
        If there is no such procedure; the message names the nearest ones.

    Examples
    --------
    >>> pancakes = load_procedure("pancakes")
    >>> pancakes.graph.preconditions_of("serve the pancakes")
    ('stack the pancakes', 'lay out the plates')
    """
    known = procedure_names()
    if name not in known:
        raise UnknownNameError("procedure", name, known)
    graph = graph_from_json(_read(name + GRAPH_SUFFIX), name + GRAPH_SUFFIX)
    optional, repeatable = graph.provenance.other["optional"], graph.provenance.other["repeatable"]
    attributes = {
        step: StepAttributes(optional=step in optional, repeatable=step in repeatable)
        for step in graph.steps
        if step in (*optional, *repeatable)
    }
    return Procedure(
        name=name,
        graph=graph.replace(attributes=attributes),
        demonstrations=demonstrations_from_json(
            _read(name + DEMONSTRATIONS_SUFFIX), name + DEMONSTRATIONS_SUFFIX
        ),
        about=graph.provenance.other["about"],
        domain=graph.provenance.other["domain"],
        optional=tuple(optional),
        repeatable=tuple(repeatable),
    )


def export_procedure(name: str, folder: str | Path) -> tuple[Path, ...]:
    """Write a procedure to files like those of a user.

    Parameters
    ----------
    name
        One of `example_names`.
    folder
        The folder to write to; a missing one is created.

    Returns
    -------
    tuple
        The files written: the demonstrations as ``NAME.csv`` and as ``NAME.json``, and the
        true graph as ``NAME.graph.json``. In the table a step that was skipped by mistake is
        a row at the end of its recording, without times. The tutorial's example is its table alone.

    Raises
    ------
    UnknownNameError
        If there is no such procedure.
    FileError
        If the folder cannot be created, a file cannot be written, or a file of the same name
        holds something else, which is never replaced.
    """
    texts = _texts(name)
    for file_name, text in texts.items():
        path = Path(folder) / file_name
        if path.is_file() and path.read_bytes() != text.encode("utf-8"):
            raise FileError(
                f"{path}: there is a file of this name, which holds something else; choose another "
                "folder with -o, or move the file away"
            )
    return write_into_folder(folder, texts)


def _texts(name: str) -> dict[str, str]:
    """Return the files of an example, by name."""
    if name == TUTORIAL:
        return {f"{name}.csv": (resources.files(__name__) / f"{name}.csv").read_text("utf-8")}
    procedure = load_procedure(name)
    return {
        f"{name}.csv": _as_csv(procedure.demonstrations),
        f"{name}.json": dump_json(demonstrations_to_json(procedure.demonstrations)),
        f"{name}{GRAPH_SUFFIX}": dump_json(graph_to_json(procedure.graph)),
    }


def _read(file_name: str) -> Any:
    text = (resources.files(__name__) / file_name).read_text(encoding="utf-8")
    return parse_json(text, file_name)


def _as_csv(demonstrations: Demonstrations) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for sequence in demonstrations:
        # csv writes None as an empty cell, for an unknown time or no mark.
        unknown = (None,) * len(sequence)
        for row in zip(
            demonstrations.names(sequence),
            sequence.starts or unknown,
            sequence.ends or unknown,
            sequence.mistakes or unknown,
            strict=True,
        ):
            writer.writerow((sequence.id, *row))
        for node in sequence.skipped:
            step = demonstrations.vocabulary.name(node)
            writer.writerow((sequence.id, step, None, None, SKIPPED))
    return stream.getvalue()
