"""Graphs and demonstrations on disk: versioned JSON, read strictly and written all at once.

A file says which format and version it holds; what does not fit is refused with the place
and the reason. A file is written beside its target and moved into place, so that an
interrupted or failed write leaves no half of it behind.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tgml.errors import CycleError, FileError, FormatError, GraphError, TgmlError
from tgml.graph import Edge, TaskGraph
from tgml.sequences import Demonstrations, KeyStepSequence, Vocabulary

GRAPH_FORMAT = "tgml-graph"
DEMONSTRATIONS_FORMAT = "tgml-demonstrations"
VERSION = 1


def read_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file.

    Raises
    ------
    FileError
        If the path is missing, a folder, unreadable, or its bytes are not UTF-8.
    FormatError
        If the file is empty.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise FileError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise FileError(f"{path}: a folder, expected a file; name one file inside it") from None
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: byte {error.start} ({error.object[error.start]:#04x}) is not UTF-8; "
            "save the file with the encoding UTF-8"
        ) from None
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:  # such as a null byte in the path
        raise FileError(f"{str(path)!r}: no path that can be read ({error})") from None
    if not text.strip():
        raise FormatError(f"{path}: the file is empty")
    return text


def read_json(path: str | Path) -> Any:
    """Return the content of a JSON file.

    Raises
    ------
    FileError
        As `read_text`.
    FormatError
        If it is not JSON; the message gives the line and column.
    """
    return parse_json(read_text(path), str(path))


def parse_json(text: str, where: str) -> Any:
    """Return the content of a JSON text, refusing NaN and infinities."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"{where}: line {error.lineno}, column {error.colno}: not JSON ({error.msg})"
        ) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: not JSON that can be used ({error})") from None


def write_text(path: str | Path, text: str) -> None:
    """Write a UTF-8 file, whole or not at all.

    Raises
    ------
    FileError
        If the file cannot be written; nothing is left behind then.
    """
    path = Path(path)
    if path.is_dir():
        raise FileError(f"{path}: a folder, expected a file name to write to")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise FileError(f"{path}: cannot be written ({error.strerror})") from None
    except UnicodeEncodeError as error:
        temporary.unlink(missing_ok=True)
        broken = error.object[error.start : error.end]
        raise FormatError(f"{path}: {broken!r} is no character that UTF-8 can hold") from None


def make_folder(path: str | Path) -> Path:
    """Create a folder, and those above it, unless it is there already."""
    path = Path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path}: the folder cannot be made ({error.strerror})") from None
    return path


def graph_to_json(graph: TaskGraph) -> dict[str, Any]:
    """Return a graph as plain JSON values, in the current version of the format."""
    edges = []
    for edge in graph.edges:
        entry: dict[str, Any] = {"step": edge[0], "needs": edge[1]}
        if edge in graph.weights:
            entry["weight"] = round(graph.weights[edge], 6)
        edges.append(entry)
    return {
        "format": GRAPH_FORMAT,
        "version": VERSION,
        "procedure": graph.procedure,
        "steps": list(graph.steps),
        "edges": edges,
        "provenance": dict(graph.provenance),
    }


def graph_from_json(content: Any, where: str = "graph") -> TaskGraph:
    """Return the graph that JSON values describe.

    Parameters
    ----------
    content
        What `graph_to_json` gives.
    where
        The file or call it came from, for messages.

    Raises
    ------
    FormatError
        If the content is no graph of a version that this tgml knows.
    GraphError
        If its edges make no task graph.
    """
    expect_format(content, GRAPH_FORMAT, where)
    steps = _texts(content.get("steps"), f"{where}: 'steps'")
    raw_edges = content.get("edges")
    if not isinstance(raw_edges, list):
        raise FormatError(f"{where}: 'edges' is {_kind(raw_edges)}; expected a list")
    edges: list[Edge] = []
    weights: dict[Edge, float] = {}
    for number, raw in enumerate(raw_edges, start=1):
        if not isinstance(raw, dict) or not {"step", "needs"} <= raw.keys():
            raise FormatError(f"{where}: edge {number} is {raw!r}; expected 'step' and 'needs'")
        edge = (str(raw["step"]), str(raw["needs"]))
        edges.append(edge)
        if raw.get("weight") is not None:
            weights[edge] = _number(raw["weight"], f"{where}: the weight of edge {number}")
    provenance = content.get("provenance", {})
    if not isinstance(provenance, Mapping):
        raise FormatError(f"{where}: 'provenance' is {_kind(provenance)}; expected an object")
    try:
        return TaskGraph(
            steps,
            edges,
            procedure=str(content.get("procedure", "")),
            weights=weights,
            provenance=provenance,
        )
    except TgmlError as error:
        raise located(error, where) from None


def save_graph(graph: TaskGraph, path: str | Path) -> None:
    """Write a graph to a versioned JSON file."""
    write_text(path, dump_json(graph_to_json(graph)))


def demonstrations_to_json(demonstrations: Demonstrations) -> dict[str, Any]:
    """Return demonstrations as plain JSON values, in the current version of the format."""
    recordings = []
    for sequence in demonstrations:
        entry: dict[str, Any] = {"id": sequence.id, "steps": list(demonstrations.names(sequence))}
        for name, values in (("starts", sequence.starts), ("ends", sequence.ends)):
            if values is not None:
                entry[name] = list(values)
        if sequence.mistakes is not None:
            entry["mistakes"] = list(sequence.mistakes)
        if sequence.skipped:
            entry["skipped"] = [demonstrations.vocabulary.name(node) for node in sequence.skipped]
        recordings.append(entry)
    return {
        "format": DEMONSTRATIONS_FORMAT,
        "version": VERSION,
        "procedure": demonstrations.procedure,
        "steps": list(demonstrations.vocabulary.steps),
        "demonstrations": recordings,
    }


def demonstrations_from_json(content: Any, where: str = "demonstrations") -> Demonstrations:
    """Return the demonstrations that JSON values describe."""
    expect_format(content, DEMONSTRATIONS_FORMAT, where)
    raw_recordings = content.get("demonstrations")
    if not isinstance(raw_recordings, list):
        raise FormatError(f"{where}: 'demonstrations' is {_kind(raw_recordings)}; expected a list")
    try:
        vocabulary = Vocabulary(_texts(content.get("steps"), f"{where}: 'steps'"))
        sequences = []
        for number, raw in enumerate(raw_recordings, start=1):
            if not isinstance(raw, dict):
                raise FormatError(f"demonstration {number} is {_kind(raw)}; expected an object")
            about = f"demonstration {number}"
            id_ = str(raw.get("id", number))
            sequences.append(
                KeyStepSequence(
                    id_,
                    tuple(vocabulary.node(name) for name in _texts(raw.get("steps"), about)),
                    starts=_numbers(raw.get("starts"), f"{about}: 'starts'"),
                    ends=_numbers(raw.get("ends"), f"{about}: 'ends'"),
                    mistakes=_marks(raw.get("mistakes"), f"{about}: 'mistakes'"),
                    skipped=tuple(
                        vocabulary.node(name)
                        for name in _texts(raw.get("skipped", []), f"{about}: 'skipped'")
                    ),
                )
            )
        return Demonstrations(vocabulary, tuple(sequences), str(content.get("procedure", "")))
    except TgmlError as error:
        raise located(error, where) from None


def dump_json(content: Any) -> str:
    """Return JSON text that people can read: one entry of a list of records on a line."""
    lines = ["{"]
    for position, (key, value) in enumerate(content.items()):
        comma = "," if position + 1 < len(content) else ""
        if isinstance(value, list) and value and isinstance(value[0], dict | list):
            rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in value)
            lines.append(f"  {json.dumps(key)}: [\n{rows}\n  ]{comma}")
        else:
            text = json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n  ")
            lines.append(f"  {json.dumps(key, ensure_ascii=False)}: {text}{comma}")
    return "\n".join([*lines, "}", ""])


def expect_format(content: Any, name: str, where: str) -> None:
    """Check that JSON values say they are of a format, in a version known here."""
    if not isinstance(content, dict) or content.get("format") != name:
        came = content.get("format") if isinstance(content, dict) else _kind(content)
        raise FormatError(f'{where}: expected a file with "format": "{name}", came {came!r}')
    version = content.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FormatError(f"{where}: the version is {version!r}; expected a whole number from 1 on")
    if version > VERSION:
        raise FormatError(
            f"{where}: written in version {version} of the format, this tgml reads up to "
            f"{VERSION}; install a newer tgml"
        )


def located(error: TgmlError, where: str) -> TgmlError:
    """Return the same kind of error with the file it came from in front of its message."""
    if isinstance(error, CycleError):
        return CycleError(error.cycle, where)
    kind = GraphError if isinstance(error, GraphError) else FormatError
    return kind(f"{where}: {error}")


def _texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise FormatError(f"{where} is {_kind(value)}; expected a list of step names")
    return tuple(value)


def _numbers(value: Any, where: str) -> tuple[float, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise FormatError(f"{where} is {_kind(value)}; expected a list of numbers")
    return tuple(_number(item, where) for item in value)


def _number(value: Any, where: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise FormatError(f"{where} is {value!r:.40}; expected a finite number")


def _marks(value: Any, where: str) -> tuple[str | None, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(
        item is None or isinstance(item, str) for item in value
    ):
        raise FormatError(f"{where} is {_kind(value)}; expected a list of texts and nulls")
    return tuple(value)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    if value is None:
        return "missing"
    return names.get(
        type(value), "a number" if isinstance(value, int | float) else str(type(value))
    )


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")
