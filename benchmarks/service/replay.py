"""Sessions made beforehand, and the judge who replays them offline."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Monitor, explain

REPEATS = 0.02
"""The share of observations that are sent twice, as after a lost answer."""


def make_sessions(
    graphs: Mapping[str, TaskGraph], sessions: int, observations: int, seed: int = 0
) -> list[dict[str, Any]]:
    """Return sessions of people who mostly know what to do.

    Parameters
    ----------
    graphs
        Graphs by the names that the service knows them by.
    sessions
        How many.
    observations
        How many in all, spread evenly; some are sent again besides.
    seed
        Of the random draws.
    """
    rng = random.Random(seed)
    names = sorted(graphs)
    made = []
    for number in range(sessions):
        name = names[number % len(names)]
        count = observations // sessions + (number < observations % sessions)
        posts: list[list[Any]] = []
        done: list[str] = []
        for place in range(count):
            step = _step(rng, graphs[name], done)
            posts.append([f"e{place}", step, round(2.5 * place + rng.random(), 3)])
            if rng.random() < REPEATS:
                posts.append(posts[-1])
        made.append({"id": f"s{seed}-{number}", "graph": name, "observations": posts})
    return made


def _step(rng: random.Random, graph: TaskGraph, done: list[str]) -> str:
    draw = rng.random()
    if draw < 0.02:
        return f"something else {rng.randrange(100)}"
    ready = graph.executable(done)
    step = rng.choice(ready if ready and draw < 0.8 else graph.steps)
    if step not in done:
        done.append(step)
    return step


def expected_answers(graph: TaskGraph, session: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a monitor says, offline, to each post of a session."""
    monitor = Monitor(graph)
    said: dict[str, dict[str, Any]] = {}
    expected = []
    for event, step, at in session["observations"]:
        if event not in said:
            verdict = monitor.observe(step, at)
            said[event] = {
                "session": session["id"],
                "event": event,
                **verdict.to_json(),
                "sentence": explain(verdict, graph),
            }
        expected.append(said[event])
    return expected


def count_wrong(
    graphs: Mapping[str, TaskGraph],
    sessions: Sequence[Mapping[str, Any]],
    results: Sequence[Mapping[str, Any]],
) -> int:
    """Return how many answers differ from offline replay, in content or in status."""
    wrong = 0
    for session, result in zip(sessions, results, strict=True):
        expected = expected_answers(graphs[session["graph"]], session)
        seen: set[str] = set()
        for wanted, (status, _, body) in zip(expected, result["answers"], strict=False):
            right = 200 if wanted["event"] in seen else 201
            seen.add(wanted["event"])
            wrong += status != right or json.loads(body) != wanted
    return wrong
