"""What people bring to the public functions by mistake, and what they are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepgraph

GRAPH = stepgraph.TaskGraph.from_preconditions({"heat the pan": [], "fry": ["heat the pan"]})
RECORDINGS = stepgraph.Demonstrations.from_steps([["heat the pan", "fry"], ["fry", "heat the pan"]])
ANY: Any = stepgraph

CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "nothing to learn from": (lambda: ANY.learn(None), "Demonstrations.from_steps"),
    "lists to learn from": (lambda: ANY.learn([["a"]]), "Demonstrations.from_steps"),
    "a number for a method": (lambda: ANY.learn(RECORDINGS, 3), "unknown method 3"),
    "a text for a seed": (lambda: ANY.learn(RECORDINGS, seed="x"), "the seed is 'x'; expected"),
    "a text for a threshold": (
        lambda: ANY.learn(RECORDINGS, threshold="high"),
        "the threshold is 'high'; expected",
    ),
    "a text for recordings": (
        lambda: ANY.Demonstrations.from_steps("fry"),
        "the text 'fry'; expected lists of step names",
    ),
    "a text for a recording": (
        lambda: ANY.Demonstrations.from_steps(["heat the pan"]),
        "recording '1' is the text 'heat the pan'; expected a list",
    ),
    "numbers for steps": (lambda: ANY.Demonstrations.from_steps([[1, 2]]), "the name 1; expected"),
    "a number for a step": (lambda: ANY.TaskGraph.preconditions_of(GRAPH, 3), "unknown step 3"),
    "a step for steps": (
        lambda: ANY.find_violations(GRAPH, "heat the pan"),
        "expected a list of names: ['heat the pan']",
    ),
    "a step for steps to align": (
        lambda: ANY.align(GRAPH, "heat the pan"),
        "expected a list of names: ['heat the pan']",
    ),
    "a path for steps": (
        lambda: ANY.find_violations(GRAPH, "tea.csv"),
        "the steps are the text 'tea.csv'; expected a list of names",
    ),
    "a path for steps to align": (
        lambda: ANY.align(GRAPH, "tea.csv"),
        "the steps are the text 'tea.csv'; expected a list of names",
    ),
    "a path for recordings to audit": (
        lambda: ANY.audit("tea.csv"),
        "audit got 'tea.csv'; expected Demonstrations, as read_demonstrations(FILE).only()",
    ),
    "a graph for recordings to advise on": (
        lambda: ANY.advise(GRAPH),
        "advise got a TaskGraph; expected Demonstrations",
    ),
    "columns for learning": (
        lambda: ANY.learn("tea.csv", columns={"step": "task"}),
        "read it first: stepgraph.learn(stepgraph.read_demonstrations(FILE, columns=...))",
    ),
    "recordings for steps": (
        lambda: ANY.find_violations(GRAPH, RECORDINGS),
        "expected the names of one recording's steps, as demonstrations.names(recording)",
    ),
    "a recording for steps to align": (
        lambda: ANY.align(GRAPH, RECORDINGS.sequences[0]),
        "demonstrations.names(recording)",
    ),
    "numbers for steps to check": (
        lambda: ANY.find_violations(GRAPH, RECORDINGS.sequences[0].steps),
        "the steps are (1, 2); expected the names",
    ),
    "nothing for steps": (lambda: ANY.align(GRAPH, None), "the steps are None;"),
    "a path for a graph to check": (
        lambda: ANY.find_violations("graph.json", ["fry"]),
        "find_violations got 'graph.json'; expected a TaskGraph, as stepgraph.read_graph(FILE)",
    ),
    "a path for a graph to align": (
        lambda: ANY.align("graph.json", ["fry"]),
        "got 'graph.json'; expected a TaskGraph",
    ),
    "a sentence for an edge": (
        lambda: ANY.learn(RECORDINGS, must="fry needs heat the pan"),
        "must is 'fry needs heat the pan'; expected pairs (step, precondition), as in must=[",
    ),
    "a procedure of recordings": (
        lambda: ANY.learn(RECORDINGS, procedure="tea"),
        "procedure chooses one of a file's",
    ),
    "a picture for a graph's file": (
        lambda: ANY.save_graph(GRAPH, "graph.svg"),
        "graph.svg: save_graph writes JSON; name the file .json",
    ),
    "a path for a graph": (lambda: ANY.Monitor("graph.json"), "stepgraph.read_graph(FILE)"),
    "a list for an observation": (lambda: ANY.Monitor(GRAPH).observe(["fry"]), "expected its name"),
    "path and graph exchanged": (
        lambda: ANY.save_graph("graph.json", GRAPH),
        "expected a TaskGraph, then its file",
    ),
}


@pytest.mark.parametrize(("call", "told"), CASES.values(), ids=CASES)
def test_what_came_and_what_was_expected_is_said(
    call: Callable[[], Any], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(stepgraph.StepgraphError) as raised:
        call()
    assert told in str(raised.value)
    assert list(tmp_path.iterdir()) == []
