from __future__ import annotations

import pytest

from stepgraph.drawing.drawing.engines import get_engine
from stepgraph.errors import MissingExtraError, UnavailableError


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
