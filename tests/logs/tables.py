"""Arrow tables in memory, by nanoarrow, which is a fortieth of pyarrow's size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest

Kind = tuple[Any, ...]
"""A type of nanoarrow by its name and parameters, such as ``("timestamp", "ns", "UTC")``."""


def table(columns: Mapping[str, Sequence[Any]], **kinds: Kind | None) -> Any:
    """Return a table of columns; the type of a column is given or follows from its values."""
    na = pytest.importorskip("nanoarrow")
    children = [_column(values, kinds.get(name)) for name, values in columns.items()]
    schema = na.struct({name: child.schema for name, child in zip(columns, children, strict=True)})
    (length,) = {len(values) for values in columns.values()}
    return na.Array(na.c_array_from_buffers(schema, length, [None], children=children))


def _column(values: Sequence[Any], kind: Kind | None) -> Any:
    na = pytest.importorskip("nanoarrow")
    name, *parameters = kind or _kind(next(value for value in values if value is not None))
    schema = getattr(na, name)(*parameters)
    if name != "decimal128":
        return na.c_array(values, schema)
    whole = (int(value.scaleb(parameters[1])) for value in values)
    data = b"".join(value.to_bytes(16, "little", signed=True) for value in whole)
    return na.c_array_from_buffers(schema, len(values), [None, data])


def _kind(value: Any) -> Kind:
    kinds: dict[type, Kind] = {
        str: ("string",),
        float: ("float64",),
        Decimal: ("decimal128", 38, 2),
    }
    return kinds.get(type(value), ("int64",))
