"""The shapes of what clients send and get, as JSON Schema."""

from __future__ import annotations

from typing import Any

from stepgraph.monitoring import Kind
from stepgraph.web.service.limits import Limits

Schema = dict[str, Any]

NAME_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
TEXT_PATTERN = r"^[^\u0000]*$"
_BLANK = r"[\t-\r\u001c- \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
"""What `str.strip` takes away; what is a space differs from language to language."""
STEP_PATTERN = rf"^(?!{_BLANK}*(START|END)?{_BLANK}*$)[^\u0000]*$"
WHOLE: Schema = {"type": "integer", "minimum": 0}
TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
MOMENT: Schema = {"type": "string", "format": "date-time"}
FRACTION: Schema = {"type": "number", "minimum": 0, "maximum": 1}


def schemas(limits: Limits) -> dict[str, Schema]:
    """Return every named shape."""
    name: Schema = {"type": "string", "pattern": NAME_PATTERN}
    text: Schema = {
        "type": "string",
        "minLength": 1,
        "maxLength": limits.name_length,
        "pattern": TEXT_PATTERN,
    }
    verdict: dict[str, Schema] = {
        "position": {"type": "integer", "minimum": 1},
        "step": {"type": "string"},
        "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
        "mistake": {"type": "boolean"},
        "time": _or_null({"type": "number"}),
        "confidence": _or_null(FRACTION),
        "missing": TEXTS,
        "done_without_it": TEXTS,
        "cause": _or_null({"type": "integer", "minimum": 1}),
        "note": {"type": "string"},
        "nearest": TEXTS,
        "skipped": TEXTS,
        "executable": TEXTS,
        "progress": FRACTION,
        "sentence": {"type": "string"},
    }
    session: dict[str, Schema] = {
        "id": name,
        "label": {"type": "string"},
        "graph": name,
        "version": {"type": "integer", "minimum": 1},
        "status": {"type": "string", "enum": ["open", "finished"]},
        "opened": MOMENT,
        "updated": MOMENT,
        "finished": _or_null(MOMENT),
        "observed": WHOLE,
        "mistakes": WHOLE,
        "progress": FRACTION,
        "last_step": _or_null({"type": "string"}),
        "last_kind": _or_null({"type": "string"}),
        "last_mistake": _or_null(
            _object({key: verdict[key] for key in ("position", "step", "kind", "sentence")})
        ),
    }
    graph: dict[str, Schema] = {
        "name": name,
        "version": {"type": "integer", "minimum": 1},
        "procedure": {"type": "string"},
        "steps": WHOLE,
        "edges": WHOLE,
        "added": MOMENT,
    }
    return {
        "Problem": _object(
            {
                "status": {"type": "integer"},
                "title": {"type": "string"},
                "detail": {"type": "string"},
            },
        ),
        "OpenSession": _input(
            {
                "graph": name,
                "id": _or_null(name),
                "label": _or_null({**text, "minLength": 0}),
            },
            ["graph"],
        ),
        "Observation": _input(
            {
                "event": {**text, "description": "The client's own id of this observation."},
                "step": {**text, "pattern": STEP_PATTERN},
                "time": _or_null({"type": "number", "minimum": -1e300, "maximum": 1e300}),
                "confidence": _or_null(FRACTION),
            },
            ["event", "step"],
        ),
        "Nothing": _input({}, []),
        "Verdict": _object(
            {"session": name, "event": {"type": "string"}, **verdict},
        ),
        "Verdicts": _object(
            {"verdicts": _list("Verdict"), "next": _or_null(WHOLE)},
        ),
        "Report": _object(
            {
                "session": name,
                "observed": WHOLE,
                "mistakes": WHOLE,
                "open": TEXTS,
                "progress": FRACTION,
                "verdicts": {"type": "array", "items": _object(verdict)},
            },
        ),
        "Session": _object(session),
        "Sessions": _object(
            {"sessions": _list("Session"), "next": _or_null({"type": "string"})},
        ),
        "SessionState": _object(
            {
                **session,
                "performed": TEXTS,
                "accomplished": TEXTS,
                "skipped": TEXTS,
                "executable": TEXTS,
                "report": _or_null({"$ref": "#/components/schemas/Report"}),
                "state": {"type": "object", "description": "What stepgraph.Monitor.resume takes."},
            },
        ),
        "Export": _object(
            {
                "format": {"const": "stepgraph-session"},
                "version": {"const": 1},
                "stepgraph": {"type": "string"},
                "session": {"$ref": "#/components/schemas/Session"},
                "graph": {"type": "object"},
                "observations": {"type": "array", "items": {"type": "object"}},
                "report": _or_null({"$ref": "#/components/schemas/Report"}),
            },
        ),
        "GraphEntry": _object(graph),
        "Graphs": _object({"graphs": _list("GraphEntry")}),
        "GraphVersion": _object({**graph, "graph": {"type": "object"}}),
        "GraphReplaced": _object({**graph, "changed": {"type": "boolean"}}),
        "Graph": _graph(limits),
        "Health": _object({"status": {"const": "ok"}, "stepgraph": {"type": "string"}}),
    }


def _graph(limits: Limits) -> Schema:
    return {
        "type": "object",
        "description": "A graph file as stepgraph writes it: acyclic, START and END connected.",
        "required": ["format", "version", "steps", "edges"],
        "properties": {
            "format": {"const": "stepgraph-graph"},
            "version": {"const": 1},
            "procedure": {"type": "string"},
            "steps": {
                "type": "array",
                "items": {"type": "string", "maxLength": limits.name_length},
                "maxItems": limits.graph_steps,
            },
            "edges": {
                "type": "array",
                "maxItems": limits.graph_edges,
                "items": {
                    "type": "object",
                    "required": ["step", "needs"],
                    "properties": {
                        "step": {"type": "string"},
                        "needs": {"type": "string"},
                        "weight": _or_null({"type": "number"}),
                    },
                },
            },
            "attributes": {"type": "array", "items": {"type": "object"}},
            "provenance": {"type": "object"},
        },
    }


def _or_null(schema: Schema) -> Schema:
    if "$ref" in schema or schema.get("type") == "object":
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}


def _object(properties: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _input(properties: dict[str, Schema], needed: list[str]) -> Schema:
    return {**_object(properties), "required": needed}


def _list(name: str) -> Schema:
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}
