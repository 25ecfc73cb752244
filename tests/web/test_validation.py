"""Requests as declared types: what is checked, what is said, what is described."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from msgspec import Meta

from stepgraph.web.http import Problem
from stepgraph.web.validation import (
    Input,
    Nothing,
    UpTo,
    read_input,
    read_texts,
    schemas_of,
    with_limits,
)


class Order(Input, frozen=True, kw_only=True):
    """An order to check."""

    name: Annotated[str, UpTo("longest"), Meta(min_length=1)]
    size: Literal["large", "small"] = "small"
    count: Annotated[int, Meta(ge=1, le=9)] = 1
    price: Annotated[float, Meta(ge=0)] | None = None
    parts: Annotated[list[Annotated[str, UpTo("longest")]], UpTo("most")] | None = None


@dataclass(frozen=True)
class Limits:
    longest: int = 5
    most: int = 2


LIMITED = with_limits(Order, Limits())
GOOD = {"name": "tea"}

REFUSED = {
    "no object": ([], "the body is no JSON object; expected the fields 'name', 'size'"),
    "a field is missing": ({}, "the body has no 'name'; expected the fields 'name', 'size'"),
    "an unknown field": ({**GOOD, "nmae": 1}, "the body has 'nmae', which is unknown; expected"),
    "another type": ({"name": 7}, "'name' is 7; expected a text of 1 to 5 characters"),
    "too long": ({"name": "x" * 60}, "... (60 characters); expected a text of 1 to 5 characters"),
    "none of the names": ({**GOOD, "size": "huge"}, "'size' is 'huge'; expected one of large, sm"),
    "out of range": ({**GOOD, "count": 10}, "'count' is 10; expected a whole number from 1 to 9"),
    "a number below": ({**GOOD, "price": -1}, "'price' is -1; expected a number at least 0 or nul"),
    "a boolean": ({**GOOD, "count": True}, "'count' is True; expected a whole number"),
    "too many": ({**GOOD, "parts": ["a"] * 3}, "expected a list of at most 2 entries or null"),
    "one of a list": ({**GOOD, "parts": ["abcdef"]}, "'parts' is 'abcdef'; expected a list"),
    "half a character": ({"name": "\ud800"}, "'name' has half of a character"),
    "half a name": ({**GOOD, "\ud800": 1}, "the body has a name with half of a character"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_declared_is_refused_with_what_came_and_what_was_expected(case: str) -> None:
    content, says = REFUSED[case]
    with pytest.raises(Problem) as refused:
        read_input(LIMITED, content)
    assert refused.value.status == 422
    assert says in refused.value.detail


def test_what_is_declared_is_taken() -> None:
    order = read_input(LIMITED, {**GOOD, "price": 3, "parts": ["a"]})
    assert isinstance(order, Order)
    assert (order.name, order.size, order.count, order.price) == ("tea", "small", 1, 3.0)


def test_texts_hold_whole_numbers_as_digits_only() -> None:
    assert read_texts(LIMITED, {"name": "7", "count": "7"}, "the query").count == 7
    for odd in ("1e0", "1.0", "+1", "-1", " 1", "", "1" * 13):
        with pytest.raises(Problem, match="expected a whole number from 1 to 9"):
            read_texts(LIMITED, {**GOOD, "count": odd}, "the query")
    with pytest.raises(Problem, match="the query has 'x', which is unknown; expected no param"):
        read_texts(Nothing, {"x": "1"}, "the query")


def test_the_schema_has_the_limits_and_the_declaration_stays_without() -> None:
    limited, bare = (schemas_of([shape])["Order"]["properties"] for shape in (LIMITED, Order))
    assert limited["name"] == {"type": "string", "minLength": 1, "maxLength": 5}
    assert bare["name"] == {"type": "string", "minLength": 1}
    assert with_limits(Order, Limits()) is LIMITED
