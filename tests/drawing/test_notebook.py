from __future__ import annotations

import pytest

from stepgraph import TaskGraph
from stepgraph.graph.task_graph import SHOWN_BY
from stepgraph.procedures import load_procedure

GRAPH = load_procedure("pancakes").graph


def test_a_notebook_gets_a_drawing_and_text() -> None:
    shown = GRAPH._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg")
    assert shown["text/plain"].startswith("TaskGraph('pancakes', 13 steps")
    assert "whisk the batter" in shown["text/plain"]


def test_what_nobody_shows_is_shown_as_its_repr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(SHOWN_BY, "TaskGraph")
    assert GRAPH._repr_mimebundle_() == {"text/plain": repr(GRAPH)}


def test_every_class_that_is_shown_has_a_function_that_does_it() -> None:
    assert SHOWN_BY.keys() == {TaskGraph.__name__}
