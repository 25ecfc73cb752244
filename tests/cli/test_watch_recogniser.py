"""`stepgraph watch` behind a recogniser that errs."""

from __future__ import annotations

import io
import json
import sys

import pytest

from tests.cli.running import Put, Run
from tests.cli.watching import RIGHT, Watch, lines, objects


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            "slice bred\n",
            "1: MISTAKE 'slice bred' is no step of this procedure; did you mean 'slice bread'?",
        ),
        (
            lines({"step": "slice bread", "time": 5}, {"step": "slice bread", "time": 3}),
            (
                "2: 'slice bread' is probably done again (a mistake with 0%) "
                "(time runs backwards: 3 after 5)."
            ),
        ),
    ],
)
def test_for_a_recogniser_all_is_said_as_well(watch: Watch, given: str, said: str) -> None:
    assert said in watch(given, "--error-rate", "0").lines


def test_for_a_recogniser_what_was_taken_back_is_thought_of_no_more(watch: Watch) -> None:
    result = watch('close\n{"undo": true}\nno step\nslice bread\n', "--error-rate", "0.01")
    assert "as it seems now" not in result.out
    assert "after all" not in result.out


def test_for_a_recogniser_it_is_said_when_not_all_was_done_though_each_step_probably_was(
    stepgraph: Run, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = {"2": "1", "3": "02", "4": "0", "5": "134", "6": "5"}
    edges = [{"step": step, "needs": other} for step, all_ in needs.items() for other in all_]
    graph = {"format": "stepgraph-graph", "version": 1, "steps": list("01234567"), "edges": edges}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"2\n3\n5\n6\n7\n")))
    result = stepgraph("watch", put("g.json", json.dumps(graph)), "--error-rate", "0.05")
    assert result.code == 1
    assert result.lines[-2].startswith("less than 90 % sure to be done: '0' (")
    assert result.lines[-1].startswith(
        "5 steps observed: no step called a mistake, something was probably left out (all done "
    )


def test_for_a_recogniser_what_is_thought_otherwise_again_is_said(
    stepgraph: Run, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges = {"step": "b", "needs": "a"}
    graph = {"format": "stepgraph-graph", "version": 1, "steps": ["a", "b"], "edges": [edges]}
    given = io.BytesIO(b'b\nb\n{"undo": true}\n')
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(given))
    result = stepgraph("watch", put("ab.json", json.dumps(graph)), "--error-rate", "0.03")
    assert [line.split(" (")[0] for line in result.lines][1:] == [
        "2: 'b' is probably right",
        "   step 1 was probably no mistake after all",
        "step 2 is taken back",
        "   step 1 was probably a mistake after all",
        "less than 90 % sure to be done: 'b'",
        "probably never done: 'a'",
        "1 step observed: 1 step called a mistake, 1 of 2 steps probably never done",
    ]


def test_for_a_recogniser_what_was_never_done_counts_as_well(watch: Watch) -> None:
    result = watch("slice bread\n", "--error-rate", "0.01")
    assert result.code == 1
    assert result.lines[-1] == (
        "1 step observed: no step called a mistake, 3 of 4 steps probably never done"
    )
    *_, end = objects(watch("slice bread\n", "--error-rate", "0.01", "--json"))
    assert (end["mistakes"], end["open"]) == (3, ["wash lettuce", "stack", "eat"])
    assert watch(RIGHT, "--error-rate", "0.01").code == 0
