"""Graphs and demonstrations on disk: versioned JSON, read strictly.

A file says which format and version it holds; what does not fit is refused with the place
and the reason.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from tgml.attributes import EdgeEvidence, StepAttributes
from tgml.errors import CycleError, FormatError, GraphError, TgmlError
from tgml.files import read_text, write_text
from tgml.graph import Edge, TaskGraph
from tgml.sequences import Demonstrations, KeyStepSequence, Vocabulary

GRAPH_FORMAT = "tgml-graph"
DEMONSTRATIONS_FORMAT = "tgml-demonstrations"
VERSION = 1


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
        return json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"{where}: line {error.lineno}, column {error.colno}: not JSON ({error.msg})"
        ) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: not JSON that can be used ({error})") from None


def graph_to_json(graph: TaskGraph) -> dict[str, Any]:
    """Return a graph as plain JSON values, in the current version of the format."""
    edges = []
    for edge in graph.edges:
        entry: dict[str, Any] = {"step": edge[0], "needs": edge[1]}
        if edge in graph.weights:
            entry["weight"] = round(graph.weights[edge], 6)
        if edge in graph.evidence:
            entry["evidence"] = _plain(graph.evidence[edge])
        edges.append(entry)
    attributes = [
        {"step": step, **_plain(graph.attributes[step])}
        for step in graph.steps
        if step in graph.attributes
    ]
    return {
        "format": GRAPH_FORMAT,
        "version": VERSION,
        "procedure": graph.procedure,
        "steps": list(graph.steps),
        "edges": edges,
        **({"attributes": attributes} if attributes else {}),
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
    evidence: dict[Edge, EdgeEvidence] = {}
    for number, raw in enumerate(raw_edges, start=1):
        if not isinstance(raw, dict) or not {"step", "needs"} <= raw.keys():
            raise FormatError(f"{where}: edge {number} is {raw!r}; expected 'step' and 'needs'")
        edge = (
            _text(raw["step"], f"{where}: the step of edge {number}"),
            _text(raw["needs"], f"{where}: what edge {number} needs"),
        )
        edges.append(edge)
        if raw.get("weight") is not None:
            weights[edge] = _number(raw["weight"], f"{where}: the weight of edge {number}")
        if raw.get("evidence") is not None:
            evidence[edge] = _record(
                EdgeEvidence, raw["evidence"], f"{where}: the evidence of edge {number}"
            )
    provenance = content.get("provenance", {})
    if not isinstance(provenance, Mapping):
        raise FormatError(f"{where}: 'provenance' is {_kind(provenance)}; expected an object")
    try:
        return TaskGraph(
            steps,
            edges,
            procedure=_text(content.get("procedure", ""), "'procedure'"),
            weights=weights,
            provenance=provenance,
            attributes=_attributes(content.get("attributes", []), where),
            evidence=evidence,
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
        if sequence.weight != 1:
            entry["weight"] = sequence.weight
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
    """Return the demonstrations that JSON values describe.

    Parameters
    ----------
    content
        What `demonstrations_to_json` gives.
    where
        The file or call it came from, for messages.

    Raises
    ------
    FormatError
        If the content is no demonstrations of a version that this tgml knows.
    """
    expect_format(content, DEMONSTRATIONS_FORMAT, where)
    raw_recordings = content.get("demonstrations")
    if not isinstance(raw_recordings, list):
        raise FormatError(f"{where}: 'demonstrations' is {_kind(raw_recordings)}; expected a list")
    try:
        vocabulary = Vocabulary(_texts(content.get("steps"), "'steps'"))
        sequences = []
        for number, raw in enumerate(raw_recordings, start=1):
            if not isinstance(raw, dict):
                raise FormatError(f"demonstration {number} is {_kind(raw)}; expected an object")
            about = f"demonstration {number}"
            id_ = raw.get("id", number)
            if isinstance(id_, int) and not isinstance(id_, bool):
                id_ = str(id_)
            sequences.append(
                KeyStepSequence(
                    _text(id_, f"{about}: 'id'"),
                    tuple(
                        vocabulary.node(name)
                        for name in _texts(raw.get("steps"), f"{about}: 'steps'")
                    ),
                    starts=_numbers(raw.get("starts"), f"{about}: 'starts'"),
                    ends=_numbers(raw.get("ends"), f"{about}: 'ends'"),
                    mistakes=_marks(raw.get("mistakes"), f"{about}: 'mistakes'"),
                    skipped=tuple(
                        vocabulary.node(name)
                        for name in _texts(raw.get("skipped", []), f"{about}: 'skipped'")
                    ),
                    weight=_number(raw.get("weight", 1), f"{about}: 'weight'"),
                )
            )
        procedure = _text(content.get("procedure", ""), "'procedure'")
        return Demonstrations(vocabulary, tuple(sequences), procedure)
    except TgmlError as error:
        raise located(error, where) from None


def dump_json(content: Any) -> str:
    """Return JSON text that people can read: one entry of a list of records on a line.

    Raises
    ------
    FormatError
        If a value has no place in JSON, such as NaN or a set.
    """
    try:
        return _lay_out(content)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"this cannot be written as JSON ({error})") from None


def _lay_out(content: Mapping[str, Any]) -> str:
    lines = ["{"]
    for position, (key, value) in enumerate(content.items()):
        comma = "," if position + 1 < len(content) else ""
        if isinstance(value, list) and value and isinstance(value[0], dict | list):
            rows = ",\n".join(f"    {_dumps(row)}" for row in value)
            lines.append(f"  {_dumps(key)}: [\n{rows}\n  ]{comma}")
        else:
            text = _dumps(value, indent=2).replace("\n", "\n  ")
            lines.append(f"  {_dumps(key)}: {text}{comma}")
    return "\n".join([*lines, "}", ""])


def _dumps(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)


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


def _plain(record: EdgeEvidence | StepAttributes) -> dict[str, Any]:
    """Return a record as plain JSON values; what says nothing is left out."""
    return {
        name: _short(value)
        for name, default in _DEFAULTS[type(record)]
        if (value := getattr(record, name)) != default
    }


_DEFAULTS: dict[type[Any], tuple[tuple[str, Any], ...]] = {
    kind: tuple((entry.name, entry.default) for entry in dataclasses.fields(kind))
    for kind in (EdgeEvidence, StepAttributes)
}


def _short(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() else round(value, 6)
    return list(value) if isinstance(value, tuple) else value


def _attributes(raw: Any, where: str) -> dict[str, StepAttributes]:
    if not isinstance(raw, list):
        raise FormatError(f"{where}: 'attributes' is {_kind(raw)}; expected a list")
    attributes: dict[str, StepAttributes] = {}
    for number, entry in enumerate(raw, start=1):
        about = f"{where}: entry {number} of 'attributes'"
        if not isinstance(entry, dict) or "step" not in entry:
            raise FormatError(f"{about} is {entry!r:.40}; expected an object with 'step'")
        step = _text(entry["step"], f"{about}: 'step'")
        if step in attributes:
            raise FormatError(f"{about}: {step!r} has attributes already")
        rest = {name: value for name, value in entry.items() if name != "step"}
        attributes[step] = _record(StepAttributes, rest, about)
    return attributes


Record = TypeVar("Record", EdgeEvidence, StepAttributes)


def _record(kind: type[Record], raw: Any, where: str) -> Record:
    """Return a record from JSON values, each of the type that its field has."""
    if not isinstance(raw, dict):
        raise FormatError(f"{where} is {_kind(raw)}; expected an object")
    fields = {entry.name: entry for entry in dataclasses.fields(kind)}
    needed = {name for name, entry in fields.items() if entry.default is dataclasses.MISSING}
    if not needed <= raw.keys() <= fields.keys():
        raise FormatError(
            f"{where} has {', '.join(map(repr, raw)) or 'nothing'}; expected some of "
            f"{', '.join(map(repr, fields))}"
        )
    values: dict[str, Any] = {}
    for name, value in raw.items():
        about = f"{where}: {name!r}"
        if fields[name].type == "bool":
            if not isinstance(value, bool):
                raise FormatError(f"{about} is {_kind(value)}; expected true or false")
            values[name] = value
        else:
            read = _number if fields[name].type == "float" else _texts
            values[name] = read(value, about)
    return kind(**values)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise FormatError(f"{where} is {_kind(value)}; expected a text")
    return value


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


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits:.40} is too large a number")
    return number


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")
