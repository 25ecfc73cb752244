"""stepgraph's own JSON: graphs and demonstrations, versioned and read strictly.

It is the only format that keeps everything about a graph. The reader also takes simpler JSON with
``steps`` (labels by id) and ``edges`` (pairs of ids, [before, after]).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from stepgraph.errors import FormatError, GraphError, StepgraphError
from stepgraph.files import write_text
from stepgraph.formats.json_text import (
    VERSION,
    as_list,
    as_marks,
    as_name,
    as_number,
    as_numbers,
    as_object,
    as_text,
    as_texts,
    dump_json,
    expect_format,
    finite_number,
    kind_of,
    shown,
)
from stepgraph.formats.reading import Draft, Source, located
from stepgraph.formats.rules_json import choices_from_json, rules_to_json, undoings_from_json
from stepgraph.graph import (
    Constraints,
    Edge,
    EdgeEvidence,
    Provenance,
    StepAttributes,
    TaskGraph,
    connect_ends,
)
from stepgraph.sequences import END, START, Demonstrations, KeyStepSequence, Vocabulary

GRAPH_FORMAT = "stepgraph-graph"

Record = TypeVar("Record", EdgeEvidence, StepAttributes)

_FORMER_ATTRIBUTES = ("left_out_with", "done_instead")
"""Attributes of the first version of the format; choices and what goes with what say more."""
_ORDINARY = StepAttributes()
"""The attributes of a step that every recording does once."""


def graph_to_json(graph: TaskGraph) -> dict[str, Any]:
    """Return a graph as plain JSON values, in the current version of the format."""
    edges = []
    for edge in graph.edges:
        entry: dict[str, Any] = {"step": edge[0], "needs": edge[1]}
        weight, evidence = graph.weights.get(edge), graph.evidence.get(edge)
        if weight is not None:
            entry["weight"] = round(weight, 6)
        if evidence is not None:
            entry["evidence"] = _counts(evidence)
        edges.append(entry)
    attributes = [
        {"step": step, **_plain(graph.attributes[step])}
        for step in graph.steps
        if step in graph.attributes
    ]
    provenance = _provenance_to_json(graph.provenance)
    return {
        "format": GRAPH_FORMAT,
        "version": VERSION,
        "procedure": graph.procedure,
        "steps": list(graph.steps),
        "edges": edges,
        **({"attributes": attributes} if attributes else {}),
        **rules_to_json(graph),
        **({"constraints": _constraints_to_json(graph.constraints)} if graph.constraints else {}),
        **({"provenance": provenance} if provenance else {}),
    }


def to_json(graph: TaskGraph) -> str:
    """Return the text of a JSON file with a graph."""
    return dump_json(graph_to_json(graph))


def graph_from_json(content: Any, where: str = "graph") -> TaskGraph:
    """Return the graph that JSON values describe.

    Parameters
    ----------
    content
        The result of `graph_to_json`.
    where
        The file or call, for messages.

    Raises
    ------
    FormatError
        If the content is not a graph, or of a newer version.
    GraphError
        If its edges make no task graph.
    """
    expect_format(content, GRAPH_FORMAT, where)
    steps = as_texts(content.get("steps"), f"{where}: 'steps'")
    raw_edges = content.get("edges")
    if not isinstance(raw_edges, list):
        raise FormatError(f"{where}: 'edges' is {kind_of(raw_edges)}; expected a list")
    edges: list[Edge] = []
    weights: dict[Edge, float] = {}
    evidence: dict[Edge, EdgeEvidence] = {}
    for number, raw in enumerate(raw_edges, start=1):
        if not isinstance(raw, dict) or not {"step", "needs"} <= raw.keys():
            raise FormatError(f"{where}: edge {number} is {raw!r}; expected 'step' and 'needs'")
        edge = (
            as_text(raw["step"], f"{where}: the step of edge {number}"),
            as_text(raw["needs"], f"{where}: what edge {number} needs"),
        )
        edges.append(edge)
        if raw.get("weight") is not None:
            weights[edge] = as_number(raw["weight"], f"{where}: the weight of edge {number}")
        if raw.get("evidence") is not None:
            evidence[edge] = _record(
                EdgeEvidence, raw["evidence"], f"{where}: the evidence of edge {number}"
            )
    attributes = _attributes(content.get("attributes", []), where)
    choices = choices_from_json(content.get("choices", []), where)
    undoings = undoings_from_json(content.get("undoings", []), where)
    provenance = _provenance(content.get("provenance", {}), f"{where}: 'provenance'")
    try:
        return TaskGraph(
            steps,
            edges,
            procedure=as_text(content.get("procedure", ""), "'procedure'"),
            weights=weights,
            provenance=provenance,
            constraints=_constraints(content.get("constraints", {})),
            attributes=attributes,
            evidence=evidence,
            choices=choices,
            undoings=undoings,
        )
    except StepgraphError as error:
        raise located(error, where) from None


def save_graph(graph: TaskGraph, path: str | Path) -> None:
    """Write a graph to a versioned JSON file; `stepgraph.read_graph` reads it again.

    Raises
    ------
    GraphError
        If the value is not a graph, or the file's ending is that of another format.
    """
    if not isinstance(graph, TaskGraph):
        raise GraphError(f"{graph!r:.80} is to be saved; expected a TaskGraph, then its file")
    if Path(path).suffix.lower() not in ("", ".json"):
        raise GraphError(
            f"{path}: save_graph writes JSON; name the file .json, or write other formats with "
            "'stepgraph convert' and drawings with 'stepgraph draw'"
        )
    write_text(path, to_json(graph))


def _counts(evidence: EdgeEvidence) -> dict[str, Any]:
    """Return evidence as plain JSON values, without empty lists of examples."""
    counts: dict[str, Any] = {
        "held": _short(evidence.held),
        "broken": _short(evidence.broken),
        "silent": _short(evidence.silent),
    }
    if evidence.probability is not None:
        counts["probability"] = evidence.probability
    if evidence.held_in:
        counts["held_in"] = list(evidence.held_in)
    if evidence.broken_in:
        counts["broken_in"] = list(evidence.broken_in)
    return counts


def _plain(attributes: StepAttributes) -> dict[str, Any]:
    """Return attributes as plain JSON values, without empty ones."""
    if attributes == _ORDINARY:
        return {}
    return {
        name: _short(value) if isinstance(value, float) else _listed(value)
        for name, default in vars(_ORDINARY).items()
        if (value := getattr(attributes, name)) != default
    }


def _short(number: float) -> float:
    number = float(number)
    return int(number) if number.is_integer() else round(number, 6)


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _constraints_to_json(constraints: Constraints) -> dict[str, Any]:
    """Return constraints as plain JSON values, without empty kinds."""
    return {
        name: [_listed(entry) for entry in entries]
        for name, entries in vars(constraints).items()
        if entries
    }


def _constraints(raw: Any) -> Constraints:
    known = vars(Constraints())
    if not isinstance(raw, dict) or not raw.keys() <= known.keys():
        came = ", ".join(map(repr, raw)) if isinstance(raw, dict) else kind_of(raw)
        raise FormatError(
            f"'constraints' has {came}; expected some of {', '.join(map(repr, known))}"
        )
    return Constraints(**raw)


def _provenance_to_json(provenance: Provenance) -> dict[str, Any]:
    """Return provenance as plain JSON values, without empty fields."""
    content: dict[str, Any] = {}
    for name, default in vars(_HAND_MADE).items():
        value = getattr(provenance, name)
        if name != "other" and value != default:
            content[name] = dict(value) if isinstance(value, Mapping) else _listed(value)
    return content | dict(provenance.other)


def _provenance(raw: Any, where: str) -> Provenance:
    if not isinstance(raw, dict):
        raise FormatError(f"{where} is {kind_of(raw)}; expected an object")
    values: dict[str, Any] = {}
    other: dict[str, Any] = {}
    for name, value in raw.items():
        if name not in _PROVENANCE:
            other[name] = value
            continue
        fits, expected = _PROVENANCE[name]
        if not fits(value):
            raise FormatError(f"{where}: {name!r} is {value!r:.40}; expected {expected}")
        values[name] = value
    return Provenance(**values, other=other)


_HAND_MADE = Provenance()


def _is_number(value: Any) -> bool:
    return finite_number(value) is not None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_edit(value: Any) -> bool:
    return isinstance(value, dict) and _is_text(value.get("edit"))


_PROVENANCE: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "method": (_is_text, "a text"),
    "settings": (lambda value: isinstance(value, dict), "an object"),
    "seed": (lambda value: _is_number(value) and isinstance(value, int), "a whole number"),
    "threshold": (_is_number, "a number"),
    "relaxed": (_is_flag, "true or false"),
    "with_mistakes": (_is_flag, "true or false"),
    "recordings": (_is_number, "a number"),
    "model": (_is_text, "a text"),
    "version": (_is_text, "a text"),
    "notes": (lambda value: _all(value, _is_text), "a list of texts"),
    "history": (lambda value: _all(value, _is_edit), "a list of objects with 'edit'"),
}
"""For each field of a file: the check of its value, and the expected kind in words."""


def _all(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(fits, value))


def _attributes(raw: Any, where: str) -> dict[str, StepAttributes]:
    if not isinstance(raw, list):
        raise FormatError(f"{where}: 'attributes' is {kind_of(raw)}; expected a list")
    attributes: dict[str, StepAttributes] = {}
    for number, entry in enumerate(raw, start=1):
        about = f"{where}: entry {number} of 'attributes'"
        if not isinstance(entry, dict) or "step" not in entry:
            raise FormatError(f"{about} is {entry!r:.40}; expected an object with 'step'")
        step = as_text(entry["step"], f"{about}: 'step'")
        if step in attributes:
            raise FormatError(f"{about}: {step!r} has attributes already")
        rest = {name: value for name, value in entry.items() if name != "step"}
        for name in _FORMER_ATTRIBUTES:
            rest.pop(name, None)
        attributes[step] = _record(StepAttributes, rest, about)
    return attributes


def _record(kind: type[Record], raw: Any, where: str) -> Record:
    """Return a record from JSON values, each of the type that its field has."""
    if not isinstance(raw, dict):
        raise FormatError(f"{where} is {kind_of(raw)}; expected an object")
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
                raise FormatError(f"{about} is {kind_of(value)}; expected true or false")
            values[name] = value
        else:
            read = as_texts if fields[name].type == "tuple[str, ...]" else as_number
            values[name] = read(value, about)
    return kind(**values)


DEMONSTRATIONS_FORMAT = "stepgraph-demonstrations"


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
        The result of `demonstrations_to_json`.
    where
        The file or call, for messages.

    Raises
    ------
    FormatError
        If the content is not demonstrations, or of a newer version.
    """
    expect_format(content, DEMONSTRATIONS_FORMAT, where)
    raw_recordings = content.get("demonstrations")
    if not isinstance(raw_recordings, list):
        came = kind_of(raw_recordings)
        raise FormatError(f"{where}: 'demonstrations' is {came}; expected a list")
    try:
        vocabulary = Vocabulary(as_texts(content.get("steps"), "'steps'"))
        sequences = []
        for number, raw in enumerate(raw_recordings, start=1):
            if not isinstance(raw, dict):
                raise FormatError(f"demonstration {number} is {kind_of(raw)}; expected an object")
            about = f"demonstration {number}"
            id_ = raw.get("id", number)
            if isinstance(id_, int) and not isinstance(id_, bool):
                id_ = str(id_)
            sequences.append(
                KeyStepSequence(
                    as_text(id_, f"{about}: 'id'"),
                    tuple(
                        vocabulary.node(name)
                        for name in as_texts(raw.get("steps"), f"{about}: 'steps'")
                    ),
                    starts=as_numbers(raw.get("starts"), f"{about}: 'starts'"),
                    ends=as_numbers(raw.get("ends"), f"{about}: 'ends'"),
                    mistakes=as_marks(raw.get("mistakes"), f"{about}: 'mistakes'"),
                    skipped=tuple(
                        vocabulary.node(name)
                        for name in as_texts(raw.get("skipped", []), f"{about}: 'skipped'")
                    ),
                    weight=as_number(raw.get("weight", 1), f"{about}: 'weight'"),
                )
            )
        procedure = as_text(content.get("procedure", ""), "'procedure'")
        return Demonstrations(vocabulary, tuple(sequences), procedure)
    except StepgraphError as error:
        raise located(error, where) from None


def recognises(content: Any) -> bool:
    """Return whether JSON values are demonstrations of stepgraph."""
    return isinstance(content, dict) and content.get("format") == DEMONSTRATIONS_FORMAT


def read(source: Source) -> Draft:
    """Read stepgraph's own JSON."""
    try:
        demonstrations = demonstrations_from_json(source.json, str(source.path))
    except OverflowError:  # JSON has whole numbers of any size, unlike times
        raise FormatError("a time is too large; expected a number of seconds") from None
    name = demonstrations.procedure.strip() or source.name
    return Draft({name: replace(demonstrations, procedure=name)})


def graph_from_values(content: Any, path: Path) -> TaskGraph:
    """Return the graph of JSON values that stepgraph wrote, or that have 'steps' and 'edges'.

    Parameters
    ----------
    content
        The values.
    path
        Their file; it names the procedure if the values do not.

    Raises
    ------
    FormatError
        If they are neither.
    """
    if isinstance(content, dict) and "format" in content:
        try:
            return graph_from_json(content, str(path))
        except OverflowError:  # JSON has whole numbers of any size, unlike weights
            raise FormatError("a weight is too large to be a number") from None
    if isinstance(content, dict) and {"steps", "edges"} <= content.keys():
        return _from_ground_truth(content, path.stem)
    raise FormatError(
        "no task graph; expected one that stepgraph wrote, JSON with 'steps' and 'edges', a "
        ".graphml, .adjlist, .pnml, .bpmn or .powl file"
    )


def _from_ground_truth(content: dict[str, Any], procedure: str) -> TaskGraph:
    """Build a graph from labels by id and pairs [before, after].

    If neither START nor END is among the labels, both are connected.
    """
    labels: dict[str, str] = {}
    ids: dict[str, str] = {}
    for id_, label in as_object(content["steps"], "'steps'").items():
        name = as_name(label, f"the label of step {id_!r}")
        if name in ids:
            raise FormatError(f"the steps {ids[name]!r} and {id_!r} are both labelled {name!r}")
        labels[id_], ids[name] = name, id_
    edges: list[Edge] = []
    for number, raw in enumerate(as_list(content["edges"], "'edges'"), start=1):
        if not isinstance(raw, list) or len(raw) != 2:
            raise FormatError(f"edge {number} is {shown(raw)}; expected [before, after]")
        before, after = (as_name(id_, f"an id of edge {number}") for id_ in raw)
        for id_ in (before, after):
            if id_ not in labels:
                raise FormatError(
                    f"edge {number} has the id {id_!r}, which is not among the steps; "
                    f"they are {', '.join(map(repr, labels)) or 'none'}"
                )
        edges.append((labels[after], labels[before]))
    steps = [name for name in labels.values() if name not in (START, END)]
    if len(steps) == len(labels):
        edges = connect_ends(steps, edges)
    return TaskGraph(steps, edges, procedure=procedure)
