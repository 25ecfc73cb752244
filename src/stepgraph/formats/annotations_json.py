"""Annotations with a taxonomy: many procedures in one JSON file.

``annotations`` holds the recordings, each with its ``scenario`` (the procedure) and its
``segments``; ``taxonomy`` names the steps of each scenario by id.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from stepgraph.errors import FormatError, nearest_names
from stepgraph.formats.json_text import as_list, as_name, as_object, as_seconds
from stepgraph.formats.reading import (
    Draft,
    Event,
    Note,
    Recording,
    Source,
    assemble,
    distinct_names,
)
from stepgraph.sequences import Vocabulary

_NEVER = -1.0
"""The start time of a step that was never done, in CaptainCook4D."""


def recognises(content: Any) -> bool:
    """Return whether JSON has annotations and a taxonomy."""
    return isinstance(content, dict) and {"annotations", "taxonomy"} <= content.keys()


def read(source: Source) -> Draft:
    """Read annotations; ids identify the steps, and the taxonomy names them."""
    content = as_object(source.json, "the content")
    taxonomy, notes = _taxonomy(as_object(content.get("taxonomy"), "'taxonomy'"))
    recordings = [
        _recording(id_, as_object(raw, f"recording {id_!r}"), taxonomy)
        for id_, raw in as_object(content.get("annotations"), "'annotations'").items()
    ]
    shown = {recording.procedure for recording in recordings}
    missing = [repr(scenario) for scenario in taxonomy if scenario not in shown]
    if missing:
        notes.append(("", f"procedures of the taxonomy without recordings: {', '.join(missing)}"))
    never = Counter(
        recording.procedure
        for recording in recordings
        for event in recording.events
        if event.start == _NEVER
    )
    for scenario, count in never.items():
        # The published experiments keep them, so the default here does too.
        remark = (
            f"{count} steps start at -1, which says that they were never done; they are kept "
            "where the file lists them, as the paper does; sorting by time puts them first"
        )
        notes.append((scenario, remark))
    vocabularies = {
        scenario: Vocabulary(tuple(names.values())) for scenario, names in taxonomy.items()
    }
    return assemble(recordings, vocabularies, notes)


def _taxonomy(raw: dict[str, Any]) -> tuple[dict[str, dict[str, str]], list[Note]]:
    taxonomy = {}
    notes: list[Note] = []
    for scenario, steps in raw.items():
        about = f"the taxonomy of {scenario!r}"
        names = {}
        for key, entry in as_object(steps, about).items():
            step = as_object(entry, f"{about}: step {key!r}")
            id_ = as_name(step.get("id", key), f"{about}: the id of step {key!r}")
            if id_ in names:
                raise FormatError(f"{about}: two steps have the id {id_!r}")
            names[id_] = as_name(step.get("name"), f"{about}: the name of step {key!r}")
        taxonomy[scenario], remarks = distinct_names(names)
        notes += [(scenario, remark) for remark in remarks]
    return taxonomy, notes


def _recording(id_: str, raw: dict[str, Any], taxonomy: dict[str, dict[str, str]]) -> Recording:
    about = f"recording {id_!r}"
    scenario = as_name(raw.get("scenario"), f"{about}: 'scenario'")
    if scenario not in taxonomy:
        known = nearest_names(scenario, taxonomy) or tuple(taxonomy)[:12]
        raise FormatError(
            f"{about} is of the scenario {scenario!r}, which the taxonomy does not have; "
            f"it has {', '.join(map(repr, known)) or 'none'}"
        )
    segments = as_list(raw.get("segments"), f"{about}: 'segments'")
    events = []
    for number, entry in enumerate(segments, start=1):
        place = f"{about}, segment {number}"
        events.append(_event(as_object(entry, place), place, scenario, taxonomy[scenario]))
    marked = all(isinstance(segment.get("has_errors"), bool) for segment in segments)
    return Recording(id_, scenario, tuple(events), marked)


def _event(segment: dict[str, Any], place: str, scenario: str, names: dict[str, str]) -> Event:
    step = as_name(segment.get("step_id"), f"{place}: 'step_id'")
    if step not in names:
        raise FormatError(
            f"{place}: the step id {step!r} is not in the taxonomy of {scenario!r}, "
            f"which has {', '.join(map(repr, names)) or 'none'}"
        )
    times = [
        None if segment.get(key) is None else as_seconds(segment[key], f"{place}: {key!r}")
        for key in ("start_time", "end_time")
    ]
    mark = "mistake" if segment.get("has_errors") is True else None
    return Event(names[step], times[0], times[1], mark)
