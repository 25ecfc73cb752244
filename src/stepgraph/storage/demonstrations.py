"""Demonstrations as versioned JSON."""

from __future__ import annotations

from typing import Any

from stepgraph.errors import FormatError, StepgraphError
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary
from stepgraph.storage.fields import as_marks, as_number, as_numbers, as_text, as_texts, kind_of
from stepgraph.storage.json_text import VERSION, expect_format, located

DEMONSTRATIONS_FORMAT = "stepgraph-demonstrations"


def demonstrations_to_json(demonstrations: Demonstrations) -> dict[str, Any]:
    """Return demonstrations as plain JSON values, in the current version of the format."""
    recordings = []
    for sequence in demonstrations:
        entry: dict[str, Any] = {"id": sequence.id, "steps": list(demonstrations.names(sequence))}
        for name, values in (("starts", sequence.starts), ("ends", sequence.ends)):
            if values is not None:
                entry[name] = list(values)
        if sequence.mistakes is not None:
            entry["mistakes"] = list(sequence.mistakes)
        if sequence.weight != 1:
            entry["weight"] = sequence.weight
        if sequence.skipped:
            entry["skipped"] = [demonstrations.vocabulary.name(node) for node in sequence.skipped]
        recordings.append(entry)
    return {
        "format": DEMONSTRATIONS_FORMAT,
        "version": VERSION,
        "procedure": demonstrations.procedure,
        "steps": list(demonstrations.vocabulary.steps),
        "demonstrations": recordings,
    }


def demonstrations_from_json(content: Any, where: str = "demonstrations") -> Demonstrations:
    """Return the demonstrations that JSON values describe.

    Parameters
    ----------
    content
        What `demonstrations_to_json` gives.
    where
        The file or call it came from, for messages.

    Raises
    ------
    FormatError
        If the content is no demonstrations of a version that this stepgraph knows.
    """
    expect_format(content, DEMONSTRATIONS_FORMAT, where)
    raw_recordings = content.get("demonstrations")
    if not isinstance(raw_recordings, list):
        came = kind_of(raw_recordings)
        raise FormatError(f"{where}: 'demonstrations' is {came}; expected a list")
    try:
        vocabulary = Vocabulary(as_texts(content.get("steps"), "'steps'"))
        sequences = []
        for number, raw in enumerate(raw_recordings, start=1):
            if not isinstance(raw, dict):
                raise FormatError(f"demonstration {number} is {kind_of(raw)}; expected an object")
            about = f"demonstration {number}"
            id_ = raw.get("id", number)
            if isinstance(id_, int) and not isinstance(id_, bool):
                id_ = str(id_)
            sequences.append(
                KeyStepSequence(
                    as_text(id_, f"{about}: 'id'"),
                    tuple(
                        vocabulary.node(name)
                        for name in as_texts(raw.get("steps"), f"{about}: 'steps'")
                    ),
                    starts=as_numbers(raw.get("starts"), f"{about}: 'starts'"),
                    ends=as_numbers(raw.get("ends"), f"{about}: 'ends'"),
                    mistakes=as_marks(raw.get("mistakes"), f"{about}: 'mistakes'"),
                    skipped=tuple(
                        vocabulary.node(name)
                        for name in as_texts(raw.get("skipped", []), f"{about}: 'skipped'")
                    ),
                    weight=as_number(raw.get("weight", 1), f"{about}: 'weight'"),
                )
            )
        procedure = as_text(content.get("procedure", ""), "'procedure'")
        return Demonstrations(vocabulary, tuple(sequences), procedure)
    except StepgraphError as error:
        raise located(error, where) from None
