"""Files of many small parts, each a trap for a reader whose work grows with their square."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from stepgraph.errors import StepgraphError
from stepgraph.formats import read_demonstrations, read_graph
from stepgraph.formats.edges import read_constraints
from stepgraph.logs import read_log
from stepgraph.logs.xes import XesReader
from stepgraph.recognise.files import read_classes


class ManyParts(NamedTuple):
    """A file of many parts, and what reads it."""

    file: str
    text: str
    reader: Callable[[Path], object]

    def write(self, folder: Path) -> Path:
        """Write the file into a folder."""
        path = folder / self.file
        path.write_text(self.text, encoding="utf-8")
        return path

    def read(self, path: Path) -> None:
        """Read the file, or refuse it."""
        with suppress(StepgraphError):
            self.reader(path)


def files_of_many_parts(count: int) -> dict[str, ManyParts]:
    """Return files of `count` parts, by what the parts are."""
    names = [f"s{number}" for number in range(count)]
    twins = json.dumps({"steps": dict(enumerate([*names, names[-1]])), "edges": []})
    event = "<event/><string key='concept:name' value='{}'/>"
    late = f"<log><trace>{''.join(map(event.format, names))}</trace></log>"
    return {
        "classes": ManyParts("x.txt", "\n".join(names), read_classes),
        "labels, the last two the same": ManyParts("x.json", twins, read_graph),
        "columns": ManyParts("x.csv", ",".join(names), read_demonstrations),
        "columns of a log": ManyParts("x.csv", ",".join(names), read_log),
        "one statement": ManyParts(
            "x.txt", f"must {'>' * 2 * count}", lambda path: read_constraints(path, ["a", "b"])
        ),
        "attributes after events": ManyParts(
            "x.xes", late, lambda path: list(XesReader(path).batches())
        ),
    }
