"""The same two recordings of making tea, as every format writes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from stepgraph.formats.json_text import dump_json
from stepgraph.formats.stepgraph_json import demonstrations_to_json
from stepgraph.sequences import Demonstrations

STEPS = ("boil water", "warm pot", "add leaves", "pour")
RECORDINGS = {
    "1": ("boil water", "warm pot", "add leaves", "pour"),
    "2": ("warm pot", "boil water", "add leaves", "pour"),
}
IDS = {name: number for number, name in enumerate(STEPS, start=1)}


def taxonomy_annotations(scenario: str = "tea") -> dict[str, Any]:
    return {
        "annotations": {
            id_: {
                "scenario": scenario,
                "segments": [
                    {"step_id": IDS[name], "start_time": 10.0 * at, "end_time": 10.0 * at + 5}
                    for at, name in enumerate(steps)
                ],
            }
            for id_, steps in RECORDINGS.items()
        },
        "taxonomy": {
            scenario: {str(number): {"id": number, "name": name} for name, number in IDS.items()}
        },
    }


def step_annotations(activity: str = "tea") -> dict[str, Any]:
    return {
        id_: {
            "recording_id": id_,
            "activity_name": activity,
            "steps": [
                {
                    "step_id": IDS[name],
                    "description": name,
                    "start_time": 10.0 * at,
                    "end_time": 10.0 * at + 5,
                    "has_errors": False,
                }
                for at, name in enumerate(steps)
            ],
        }
        for id_, steps in RECORDINGS.items()
    }


def error_annotations() -> list[dict[str, Any]]:
    return [
        {
            "recording_id": id_,
            "activity_id": 7,
            "step_annotations": [
                {key: step[key] for key in ("step_id", "description", "start_time", "end_time")}
                for step in take["steps"]
            ],
        }
        for id_, take in step_annotations().items()
    ]


def _stepgraph() -> str:
    return dump_json(demonstrations_to_json(Demonstrations.from_steps(RECORDINGS, procedure="tea")))


def _csv() -> str:
    rows = [
        f"{id_},{name},{10 * at}"
        for id_, steps in RECORDINGS.items()
        for at, name in enumerate(steps)
    ]
    return "\n".join(["recording,step,start", *rows, ""])


def _jsonl() -> str:
    return "".join(
        json.dumps({"recording": id_, "steps": steps}) + "\n" for id_, steps in RECORDINGS.items()
    )


def _text() -> str:
    return "\n\n".join("\n".join(steps) for steps in RECORDINGS.values()) + "\n"


WRITERS: dict[str, tuple[str, Callable[[], str]]] = {
    "stepgraph": ("tea.json", _stepgraph),
    "annotations": ("tea.json", lambda: json.dumps(taxonomy_annotations())),
    "captaincook4d": ("tea.json", lambda: json.dumps(step_annotations())),
    "csv": ("tea.csv", _csv),
    "jsonl": ("tea.jsonl", _jsonl),
    "text": ("tea.txt", _text),
}
"""For each format the name and the text of a file with the two recordings."""
