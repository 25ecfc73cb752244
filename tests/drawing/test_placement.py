"""Where the parts of a picture go."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.drawing.picture import Arrow
from stepgraph.drawing.placement import _Gate, _taut, place_parts
from stepgraph.errors import SettingError

BOX = (100.0, 30.0)


@st.composite
def ways(draw: st.DrawFn) -> list[_Gate]:
    """Gates one behind the other, from a point to a point."""
    number = draw(st.integers(0, 8))
    places = st.integers(0, 100)
    gates = []
    for along in range(1, number + 1):
        low, high = sorted((draw(places), draw(places)))
        gates.append(_Gate(10.0 * along, low, high + 1))
    begin, end = draw(places), draw(places)
    return [_Gate(0.0, begin, begin), *gates, _Gate(10.0 * (number + 1), end, end)]


def across_at(corners: list[tuple[float, float]], along: float) -> float:
    for (x, y), (other_x, other_y) in pairwise(corners):
        if y <= along <= other_y:
            return x + (along - y) / (other_y - y) * (other_x - x)
    raise AssertionError(along)


@given(ways())
def test_a_line_passes_all_its_gates(gates: list[_Gate]) -> None:
    corners = _taut(gates)
    for gate in gates:
        assert gate.low - 1e-6 <= across_at(corners, gate.along) <= gate.high + 1e-6


@given(ways(), st.floats(-1, 1))
def test_no_other_way_through_the_gates_is_shorter(gates: list[_Gate], aside: float) -> None:
    corners = _taut(gates)
    taut = [(across_at(corners, gate.along), gate.along) for gate in gates]
    other = [
        (min(max(x + aside, gate.low), gate.high), along)
        for (x, along), gate in zip(taut, gates, strict=True)
    ]
    assert _length(taut) <= _length(other) + 1e-6


def test_where_nothing_is_in_the_way_a_line_is_straight() -> None:
    gates = [_Gate(0, 5, 5), _Gate(10, 0, 20), _Gate(20, 0, 20), _Gate(30, 15, 15)]
    assert _taut(gates) == [(5, 0), (15, 30)]


def test_a_line_bends_at_what_is_in_its_way() -> None:
    gates = [_Gate(0, 0, 0), _Gate(10, 8, 20), _Gate(20, 0, 0)]
    assert _taut(gates) == [(0, 0), (8, 10), (0, 20)]


def test_a_chain_runs_straight_up_or_to_the_right() -> None:
    arrows = [Arrow(1, 0), Arrow(2, 1)]
    for direction, axis in (("BT", 0), ("LR", 1)):
        placement = place_parts([BOX] * 3, arrows, direction)  # type: ignore[arg-type]
        assert len({centre[axis] for centre in placement.centres}) == 1


def test_a_head_points_at_the_border_of_what_is_needed() -> None:
    placement = place_parts([BOX] * 3, [Arrow(1, 0), Arrow(2, 1)])
    route = placement.routes[1]
    x, y = placement.centres[1]
    assert route.tip == pytest.approx((x, y - BOX[1] / 2))
    assert math.dist(route.tip, route.points[-1]) == pytest.approx(8)


def test_a_direction_that_there_is_not_is_refused() -> None:
    with pytest.raises(SettingError, match="'BT', 'LR'"):
        place_parts([BOX] * 2, [], "TB")  # type: ignore[arg-type]


def _length(points: list[tuple[float, float]]) -> float:
    return sum(math.dist(one, other) for one, other in pairwise(points))
