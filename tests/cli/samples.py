"""Small files that users could bring."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path


def table(recordings: Mapping[str, Iterable[str]]) -> str:
    """Return recordings as a table."""
    rows = [f"{id_},{step}" for id_, steps in recordings.items() for step in steps]
    return "\n".join(["recording,step", *rows, ""])


def graph_json(edges: Iterable[tuple[str, str]], procedure: str = "sandwich") -> str:
    """Return a graph file with these edges, each a step and what it needs."""
    pairs = list(edges)
    names = dict.fromkeys(name for pair in pairs for name in pair)
    return json.dumps(
        {
            "format": "stepgraph-graph",
            "version": 1,
            "procedure": procedure,
            "steps": [name for name in names if name not in ("START", "END")],
            "edges": [{"step": step, "needs": needed} for step, needed in pairs],
        }
    )


def annotated(procedures: Mapping[str, Iterable[str]]) -> str:
    """Return recordings in the authors' format; steps are single letters."""
    taxonomy = {}
    recordings = {}
    for name, orders in procedures.items():
        letters = sorted(set("".join(orders)))
        ids = {letter: number for number, letter in enumerate(letters, start=1)}
        taxonomy[name] = {
            str(number): {"id": number, "name": letter} for letter, number in ids.items()
        }
        for number, order in enumerate(orders):
            recordings[f"{name}-{number}"] = {
                "scenario": name,
                "segments": [
                    {"step_id": ids[letter], "start_time": at, "end_time": at + 1}
                    for at, letter in enumerate(order)
                ],
            }
    return json.dumps({"annotations": recordings, "taxonomy": taxonomy})


def known_graph(letters: str, edges: Iterable[str]) -> str:
    """Return a graph in the authors' format; an edge is two letters, ^ and $ are the ends."""
    names = {"^": "START", **{letter: letter for letter in letters}, "$": "END"}
    ids = {letter: str(number) for number, letter in enumerate(names)}
    return json.dumps(
        {
            "steps": {ids[letter]: name for letter, name in names.items()},
            "edges": [[int(ids[letter]) for letter in edge] for edge in edges],
        }
    )


def two_recipes(folder: Path) -> Path:
    """Write a data directory with two recipes, and return it."""
    home = folder / "captaincook4d"
    truths = home / "ground_truth_task_graphs"
    truths.mkdir(parents=True)
    (home / "task_graph_generation_annotations.json").write_text(
        annotated({"chain": ["abc", "abc"], "free": ["ab", "ba"]}), encoding="utf-8"
    )
    for name, letters, edges in (
        ("chain", "abc", ["^a", "ab", "bc", "c$"]),
        ("free", "ab", ["^a", "^b", "a$", "b$"]),
    ):
        (truths / f"{name}.json").write_text(known_graph(letters, edges), encoding="utf-8")
    return folder


SANDWICH = table(
    {
        "anna": ["slice bread", "wash lettuce", "stack", "eat"],
        "ben": ["wash lettuce", "slice bread", "stack", "eat"],
    }
)

SANDWICH_GRAPH = graph_json(
    [
        ("slice bread", "START"),
        ("wash lettuce", "START"),
        ("stack", "slice bread"),
        ("stack", "wash lettuce"),
        ("eat", "stack"),
        ("END", "eat"),
    ]
)
