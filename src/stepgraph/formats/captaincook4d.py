"""CaptainCook4D's annotations: the steps of each recording, and the errors in them.

The steps come as an object of recordings with ``steps``; the errors as a list of recordings with
``step_annotations``, which is readable alone or tags the steps of the first. A step that starts at
-1 was never done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from stepgraph.errors import FormatError, SettingError
from stepgraph.formats.json_text import as_list, as_name, as_object, as_seconds, read_json
from stepgraph.formats.reading import (
    Draft,
    Event,
    Note,
    Recording,
    Source,
    assemble,
    distinct_names,
    naming,
)
from stepgraph.sequences import Vocabulary

_NEVER = -1.0


@dataclass(frozen=True)
class _Step:
    id: str
    description: str
    start: float
    end: float
    tags: tuple[str, ...] = ()
    flagged: bool = False


@dataclass(frozen=True)
class _Take:
    id: str
    procedure: str
    steps: tuple[_Step, ...]
    tagged: bool = False


def recognises(content: Any) -> bool:
    """Return whether JSON looks like step annotations or error annotations."""
    if isinstance(content, dict):
        first = next(iter(content.values()), None)
        return isinstance(first, dict) and "steps" in first
    return bool(
        isinstance(content, list)
        and content
        and isinstance(content[0], dict)
        and "step_annotations" in content[0]
    )


def read(source: Source) -> Draft:
    """Read step annotations, with error annotations if any, or error annotations alone."""
    notes: list[Note] = []
    if isinstance(source.json, list):
        if source.errors is not None:
            raise SettingError(
                f"{source.path}: holds the errors itself; leave out {source.errors}, or read "
                "the step annotations with it"
            )
        takes = list(_error_annotations(source.json).values())
        remark = (
            "error annotations know recipes by their numbers alone; for their names read the step "
            "annotations, to which 'stepgraph learn', 'report' and 'calibrate' take these with "
            f"errors={source.path.name!r}"
        )
        notes.append(("", remark))
    else:
        takes = _step_annotations(as_object(source.json, "the content"))
        if source.errors is not None:
            with naming(source.errors):
                tagged = _error_annotations(_errors_in(read_json(source.errors)))
            takes, notes = _attach(takes, tagged)
        notes += _flag_notes(takes)
    return _draft(takes, notes)


def _errors_in(content: Any) -> list[Any]:
    if isinstance(content, dict) and recognises(content):
        raise FormatError(
            "holds the steps, not the errors; expected the error annotations, a list of recordings "
            "with 'step_annotations'"
        )
    return as_list(content, "the content")


def _step_annotations(content: dict[str, Any]) -> list[_Take]:
    takes = []
    for id_, raw in content.items():
        about = f"recording {id_!r}"
        entry = as_object(raw, about)
        procedure = as_name(entry.get("activity_name"), f"{about}: 'activity_name'")
        takes.append(_Take(id_, procedure, _steps(entry.get("steps"), about, "steps")))
    return takes


def _error_annotations(content: list[Any]) -> dict[str, _Take]:
    takes: dict[str, _Take] = {}
    for number, raw in enumerate(content, start=1):
        entry = as_object(raw, f"recording number {number}")
        id_ = as_name(entry.get("recording_id"), f"recording number {number}: 'recording_id'")
        about = f"recording {id_!r}"
        if id_ in takes:
            raise FormatError(f"{about} is listed twice")
        activity = as_name(entry.get("activity_id"), f"{about}: 'activity_id'")
        steps = _steps(entry.get("step_annotations"), about, "step_annotations")
        takes[id_] = _Take(id_, f"activity {activity}", steps, tagged=True)
    return takes


def _steps(raw: Any, about: str, key: str) -> tuple[_Step, ...]:
    steps = []
    for number, item in enumerate(as_list(raw, f"{about}: {key!r}"), start=1):
        place = f"{about}, step {number}"
        entry = as_object(item, place)
        errors = as_list(entry.get("errors") or [], f"{place}: 'errors'")
        tags = [
            as_name(as_object(error, f"{place}: an error").get("tag"), f"{place}: an error's 'tag'")
            for error in errors
        ]
        steps.append(
            _Step(
                as_name(entry.get("step_id"), f"{place}: 'step_id'"),
                as_name(entry.get("description"), f"{place}: 'description'"),
                as_seconds(entry.get("start_time"), f"{place}: 'start_time'"),
                as_seconds(entry.get("end_time"), f"{place}: 'end_time'"),
                tuple(dict.fromkeys(tags)),
                flagged=entry.get("has_errors") is True,
            )
        )
    return tuple(steps)


def _attach(takes: Iterable[_Take], tagged: Mapping[str, _Take]) -> tuple[list[_Take], list[Note]]:
    """Add the tags of the error annotations to the steps of each take."""
    attached = []
    notes: list[Note] = []
    unknown = dict(tagged)
    untagged: Counter[str] = Counter()
    for take in takes:
        errors = unknown.pop(take.id, None)
        if errors is None:
            untagged[take.procedure] += 1
            attached.append(take)
            continue
        steps, left = _match(take.steps, errors.steps)
        attached.append(replace(take, steps=steps, tagged=True))
        for step in left:
            if step.tags:
                remark = (
                    f"recording {take.id!r}: the errors of step {step.id!r} "
                    f"({', '.join(step.tags)}) fit no step of the recording; dropped"
                )
                notes.append((take.procedure, remark))
    for procedure, count in untagged.items():
        notes.append((procedure, f"{count} recordings have no error annotations; left unmarked"))
    if unknown:
        notes.append(
            ("", f"{len(unknown)} recordings of the error annotations are not in the file")
        )
    return attached, notes


def _match(
    steps: tuple[_Step, ...], errors: tuple[_Step, ...]
) -> tuple[tuple[_Step, ...], list[_Step]]:
    # Times identify a repeated step; where these differ, its turn does.
    left = list(errors)
    found: dict[int, _Step] = {}
    for by_time in (True, False):
        for position, step in enumerate(steps):
            if position in found:
                continue
            for error in left:
                same_time = (error.start, error.end) == (step.start, step.end)
                if error.id == step.id and (same_time or not by_time):
                    found[position] = error
                    left.remove(error)
                    break
    matched = tuple(
        replace(step, tags=found[position].tags) if position in found else step
        for position, step in enumerate(steps)
    )
    return matched, left


def _flag_notes(takes: Iterable[_Take]) -> list[Note]:
    flags: Counter[str] = Counter()
    for take in takes:
        if not take.tagged:
            flags[take.procedure] += sum(
                step.flagged and step.start != _NEVER for step in take.steps
            )
    advice = (
        "of mistakes only steps never done are marked; the error annotations say it, which "
        "'stepgraph learn', 'report' and 'calibrate' take with errors=FILE (others do not look "
        "at marks)"
    )
    return [
        (procedure, f"{count} steps have errors, the file does not say which; {advice}")
        for procedure, count in flags.items()
        if count
    ]


def _draft(takes: list[_Take], notes: list[Note]) -> Draft:
    descriptions: dict[str, dict[str, Counter[str]]] = {}
    for take in takes:
        for step in take.steps:
            by_id = descriptions.setdefault(take.procedure, {})
            by_id.setdefault(step.id, Counter())[step.description] += 1
    names = {}
    for procedure, by_id in descriptions.items():
        names[procedure], remarks = _names(by_id)
        notes += [(procedure, remark) for remark in remarks]
    recordings = []
    for take in takes:
        events = []
        for step in take.steps:
            done = step.start != _NEVER
            if done and "Missing Step" in step.tags:
                remark = (
                    f"recording {take.id!r}: step {step.id!r} is tagged 'Missing Step' and has "
                    "times; taken as done, the tag kept as its mark"
                )
                notes.append((take.procedure, remark))
            name = names[take.procedure][step.id]
            mark = ", ".join(step.tags) or None
            events.append(Event(name, step.start, step.end, mark, done=done))
        recordings.append(Recording(take.id, take.procedure, tuple(events), take.tagged))
    vocabularies = {
        procedure: Vocabulary(tuple(by_id.values())) for procedure, by_id in names.items()
    }
    return assemble(recordings, vocabularies, notes)


def _names(by_id: Mapping[str, Counter[str]]) -> tuple[dict[str, str], list[str]]:
    """Name each step after its most frequent description, in the order of the ids."""
    names = {}
    remarks = []
    for id_ in sorted(by_id, key=lambda id_: (not id_.isdecimal(), len(id_), id_)):
        [(name, count)] = by_id[id_].most_common(1)
        names[id_] = name
        if len(by_id[id_]) > 1:
            remarks.append(
                f"step {id_!r} has {len(by_id[id_])} descriptions; called by the most frequent, "
                f"{name!r} ({count} of {by_id[id_].total()} times)"
            )
    different, more = distinct_names(names)
    return different, remarks + more
