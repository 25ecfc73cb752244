"""Requests as declared types, the source of the checks, the messages and the description.

Each body or query is a subclass of `Input`, whose fields carry their bounds. `read_input` and
`read_query` check a request against it. `schemas_of` returns the same declaration as JSON
Schema. `UpTo` declares a bound that depends on the limits of a running server, and `with_limits`
fills it in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, Meta, Struct
from starlette.requests import Request

from stepgraph.web.http import Problem

T = TypeVar("T", bound=Struct)
Schema = dict[str, Any]

REFERENCE = "#/components/schemas/{name}"


class Shape(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A JSON object with the declared fields and no others."""


class Input(Shape, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A client's input; a database can store every text in it."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, str):
                try:
                    value.encode()
                except UnicodeEncodeError:
                    raise ValueError(f"{name!r} has half of a character; send whole ones") from None


class Nothing(Input, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An object without fields, or a query without parameters."""


@dataclass(frozen=True, slots=True)
class UpTo:
    """The maximum length of a text or a list, as the name of a limit."""

    limit: str


def with_limits(shape: type[T], limits: object) -> type[T]:
    """Return a shape with its `UpTo` bounds filled in from limits.

    Parameters
    ----------
    shape
        The declaration.
    limits
        A hashable object with an attribute for each limit that the shape names.
    """
    limited: type[T] = _limited(shape, limits)
    return limited


@cache
def _limited(shape: type[Struct], limits: object) -> Any:
    hints = get_type_hints(shape, include_extras=True)
    fields = [
        (field.name, _with_limits(hints[field.name], limits), field.default)
        if field.default is not NODEFAULT
        else (field.name, _with_limits(hints[field.name], limits))
        for field in msgspec.structs.fields(shape)
    ]
    return msgspec.defstruct(
        shape.__name__,
        fields,
        bases=(shape,),
        frozen=True,
        kw_only=True,
        namespace={"__doc__": shape.__doc__},
    )


def _with_limits(hint: Any, limits: object) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        inner, *about = arguments
        marks = [
            Meta(max_length=getattr(limits, mark.limit)) if isinstance(mark, UpTo) else mark
            for mark in about
        ]
        return Annotated[(_with_limits(inner, limits), *marks)]
    if origin is list:
        return list[_with_limits(arguments[0], limits)]  # type: ignore[misc]
    if origin in (Union, UnionType):
        return Union[tuple(_with_limits(argument, limits) for argument in arguments)]  # noqa: UP007
    return hint


def schemas_of(shapes: Sequence[type[Struct]]) -> dict[str, Schema]:
    """Return shapes, and the shapes that they refer to, as JSON Schema by name."""
    found = msgspec.json.schema_components(shapes, ref_template=REFERENCE)[1]
    for schema in found.values():
        schema.pop("title", None)
    return dict(found)


@cache
def _schema_of(shape: type[Struct]) -> Schema:
    return schemas_of([shape])[shape.__name__]


def read_input(shape: type[T], content: Any, where: str = "the body") -> T:
    """Return JSON values as an instance of their declared shape.

    Raises
    ------
    Problem
        422 if they do not fit; the detail names the place, the value and the expectation.
    """
    try:
        return msgspec.convert(content, shape)
    except msgspec.ValidationError as error:
        raise Problem(422, _explained(str(error), shape, content, where)) from None
    except UnicodeEncodeError:
        detail = f"{where} has a name with half of a character; send whole ones"
        raise Problem(422, detail) from None


def read_query(shape: type[T], request: Request) -> T:
    """Return the query of an address as an instance of its declared shape.

    Raises
    ------
    Problem
        422 if a parameter is unknown, repeated, or does not fit the declaration.
    """
    values: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in values:
            raise Problem(422, f"the query has {name!r:.60} twice")
        values[name] = value
    return read_texts(shape, values, "the query")


def read_texts(shape: type[T], values: Mapping[str, str], where: str) -> T:
    """Return values received as text; digits become numbers where integers are declared.

    Raises
    ------
    Problem
        422 if they do not fit the declaration.
    """
    properties = _schema_of(shape)["properties"]
    whole = {name for name, schema in properties.items() if schema.get("type") == "integer"}
    content = {
        name: int(value) if name in whole and re.fullmatch("[0-9]{1,12}", value) else value
        for name, value in values.items()
    }
    return read_input(shape, content, where)


def _explained(error: str, shape: type[Struct], content: Any, where: str) -> str:
    """Return msgspec's error in the words of the declaration."""
    what, _, path = error.partition(" - at `$")
    schema = _schema_of(shape)
    if path:
        keys = [name or int(index) for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", path)]
        field = schema["properties"][keys[0]]
        for key in keys:
            content = content[key]
        return f"{keys[0]!r} is {_shown(content)}; expected {_in_words(field)}"
    kind = "parameters" if where == "the query" else "fields"
    fields = ", ".join(map(repr, schema["properties"]))
    expected = f"expected the {kind} {fields}" if fields else f"expected no {kind}"
    if not isinstance(content, dict):
        return f"{where} is no JSON object; {expected}"
    match = re.fullmatch("Object (missing required|contains unknown) field `(.*)`", what, re.DOTALL)
    if match is None:  # a message of the shape itself
        return what
    if match[1] == "missing required":
        return f"{where} has no {match[2]!r}; {expected}"
    return f"{where} has {match[2]!r:.60}, which is unknown; {expected}"


def _shown(value: Any) -> str:
    text = repr(value)
    if isinstance(value, str) and len(text) > 40:
        return f"{text:.40} ... ({len(value)} characters)"
    return f"{text:.40}"


def _in_words(schema: Schema) -> str:
    """Return the values that a JSON Schema allows, in words.

    Examples
    --------
    >>> _in_words({"type": "integer", "minimum": 1, "maximum": 500})
    'a whole number from 1 to 500'
    >>> _in_words({"anyOf": [{"type": "string", "maxLength": 9}, {"type": "null"}]})
    'a text of at most 9 characters or null'
    """
    if "anyOf" in schema:
        return " or ".join(_in_words(option) for option in schema["anyOf"])
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    kind = schema.get("type", "object")
    words = {
        "string": "a text",
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "array": "a list",
        "null": "null",
    }.get(kind, "an object")
    low, high, unit = {
        "string": ("minLength", "maxLength", " characters"),
        "array": ("minItems", "maxItems", " entries"),
    }.get(kind, ("minimum", "maximum", ""))
    least, most = schema.get(low), schema.get(high)
    of = " of" if unit else ""
    if least is not None and most is not None:
        words += f"{of or ' from'} {least} to {most}{unit}"
    elif most is not None:
        words += f"{of} at most {most}{unit}"
    elif least is not None:
        words += f"{of} at least {least}{unit}"
    return f"{words}: {schema['description']}" if "description" in schema else words
