"""Choices and steps that undo others, as plain JSON values of stepgraph's own graph format."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from stepgraph.errors import FormatError, GraphError
from stepgraph.formats.json_text import as_list, as_number, as_object, as_text, as_texts, kind_of
from stepgraph.formats.reading import located
from stepgraph.graph import TaskGraph
from stepgraph.graph.rules import Choice, RuleEvidence, Undoing


def rules_to_json(graph: TaskGraph) -> dict[str, Any]:
    """Return the choices and undoings of a graph as plain JSON values, without empty ones."""
    choices = [
        {
            "alternatives": [list(steps) for steps in choice.alternatives],
            **({"optional": True} if choice.optional else {}),
            **_evidence_to_json(choice.evidence),
        }
        for choice in graph.choices
    ]
    undoings = [
        {"step": own.step, "undone": list(own.undone), **_evidence_to_json(own.evidence)}
        for own in graph.undoings
    ]
    return {
        **({"choices": choices} if choices else {}),
        **({"undoings": undoings} if undoings else {}),
    }


def choices_from_json(raw: Any, where: str) -> list[Choice]:
    """Return choices from JSON values.

    Raises
    ------
    FormatError, GraphError
        If they are none; the message says where.
    """
    choices = []
    for number, came in enumerate(as_list(raw, f"{where}: 'choices'"), start=1):
        about = f"{where}: choice {number}"
        entry = _entry(came, about, {"alternatives"}, {"optional", "evidence"})
        alternatives = tuple(
            as_texts(steps, f"{about}: alternative {place}")
            for place, steps in enumerate(
                as_list(entry["alternatives"], f"{about}: 'alternatives'"), start=1
            )
        )
        optional = entry.get("optional", False)
        if not isinstance(optional, bool):
            raise FormatError(f"{about}: 'optional' is {kind_of(optional)}; expected true or false")
        evidence = _evidence(entry, about)
        try:
            choices.append(Choice(alternatives, optional, evidence))
        except GraphError as error:
            raise located(error, about) from None
    return choices


def undoings_from_json(raw: Any, where: str) -> list[Undoing]:
    """Return undoings from JSON values.

    Raises
    ------
    FormatError, GraphError
        If they are none; the message says where.
    """
    undoings = []
    for number, came in enumerate(as_list(raw, f"{where}: 'undoings'"), start=1):
        about = f"{where}: undoing {number}"
        entry = _entry(came, about, {"step", "undone"}, {"evidence"})
        step = as_text(entry["step"], f"{about}: 'step'")
        undone = as_texts(entry["undone"], f"{about}: 'undone'")
        evidence = _evidence(entry, about)
        try:
            undoings.append(Undoing(step, undone, evidence))
        except GraphError as error:
            raise located(error, about) from None
    return undoings


def _entry(came: Any, about: str, needed: Set[str], more: Set[str]) -> dict[str, Any]:
    entry = as_object(came, about)
    if not needed <= entry.keys() <= needed | more:
        raise FormatError(
            f"{about} has {', '.join(map(repr, entry)) or 'nothing'}; expected "
            f"{' and '.join(map(repr, sorted(needed)))}, and at most "
            f"{', '.join(map(repr, sorted(more)))} beside"
        )
    return entry


def _evidence_to_json(evidence: RuleEvidence | None) -> dict[str, Any]:
    if evidence is None:
        return {}
    content: dict[str, Any] = {
        "held": [_short(count) for count in evidence.held],
        "broken": _short(evidence.broken),
        "recordings": _short(evidence.recordings),
    }
    if evidence.probability is not None:
        content["probability"] = evidence.probability
    return {"evidence": content}


def _evidence(entry: dict[str, Any], where: str) -> RuleEvidence | None:
    if "evidence" not in entry:
        return None
    about = f"{where}: 'evidence'"
    raw = _entry(entry["evidence"], about, {"held", "broken", "recordings"}, {"probability"})
    held = as_list(raw["held"], f"{about}: 'held'")
    probability = raw.get("probability")
    try:
        return RuleEvidence(
            tuple(as_number(count, f"{about}: 'held'") for count in held),
            as_number(raw["broken"], f"{about}: 'broken'"),
            as_number(raw["recordings"], f"{about}: 'recordings'"),
            None if probability is None else as_number(probability, f"{about}: 'probability'"),
        )
    except GraphError as error:
        raise located(error, about) from None


def _short(number: float) -> float:
    number = float(number)
    return int(number) if number.is_integer() else round(number, 6)
