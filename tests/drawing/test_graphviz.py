from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.drawing.graphviz import (
    MOST_LAYERS,
    get_engine,
    layer_depths,
    plan_effort,
)
from stepgraph.drawing.picture import Arrow
from stepgraph.errors import MissingExtraError, UnavailableError

pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30)


@given(pairs)
def test_a_step_is_deeper_than_what_it_needs_unless_they_run_in_circles(
    given_pairs: list[tuple[int, int]],
) -> None:
    arrows = [Arrow(max(pair), min(pair)) for pair in given_pairs if pair[0] != pair[1]]
    depths = layer_depths(10, arrows)
    assert all(depths[arrow.step] > depths[arrow.precondition] for arrow in arrows)


@given(pairs)
def test_circles_are_survived(given_pairs: list[tuple[int, int]]) -> None:
    routed, _ = plan_effort(10, [Arrow(*pair) for pair in given_pairs])
    assert routed == list(range(len(given_pairs)))


def test_of_a_picture_beyond_measure_the_short_edges_are_kept() -> None:
    count = 80
    arrows = [Arrow(later, earlier) for later in range(count) for earlier in range(later)]
    routed, limits = plan_effort(count, arrows)
    lengths = [arrows[place].step - arrows[place].precondition for place in routed]
    assert limits
    assert sum(lengths) <= MOST_LAYERS
    assert lengths.count(1) == count - 1
    assert len(routed) < len(arrows)


def test_without_any_engine_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'stepgraph\[draw\]'.*Graphviz"):
        get_engine()
    with pytest.raises(UnavailableError, match="'dot' is not found"):
        get_engine("dot")
    with pytest.raises(MissingExtraError, match=r"stepgraph\[draw\]"):
        get_engine("wasm")


def test_what_graphviz_cannot_read_is_an_error_and_the_next_drawing_works() -> None:
    engine = get_engine("wasm")
    with pytest.raises(UnavailableError, match="Graphviz gave up"):
        engine.lay_out("digraph {")
    assert '"bb"' in engine.lay_out("digraph { a -> b }")
