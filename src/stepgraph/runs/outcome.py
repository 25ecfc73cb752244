"""What became of one procedure, and how a batch of them is learned inside a worker."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from stepgraph.errors import MissingExtraError, SettingError, StepgraphError, UnknownNameError
from stepgraph.formats.stepgraph_json import graph_from_json, graph_to_json
from stepgraph.graph import TaskGraph
from stepgraph.pipeline import Learning, learn_each
from stepgraph.postprocess import Change, Reason
from stepgraph.runs.collection import no_collection
from stepgraph.sequences import Demonstrations, Vocabulary

_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True)
class Outcome:
    """What became of one procedure.

    Parameters
    ----------
    procedure
        Its name.
    text
        Its graph as JSON on one line; empty if it failed. Thousands of these are kept and sent from
        process to process, which takes a fraction of what the values themselves would take.
    changed
        As JSON what post-processing removed or added: by the reason, the node numbers of one edge
        after the other. `changes` says it in words.
    notes
        What was left out or merged.
    facts
        Figures about the learning.
    error
        Why it failed; empty if it did not.
    """

    procedure: str
    text: str = ""
    changed: str = "{}"
    notes: tuple[str, ...] = ()
    facts: Mapping[str, float] = field(default_factory=dict)
    error: str = ""

    @property
    def content(self) -> dict[str, Any] | None:
        """The graph as plain JSON values; None if the procedure failed."""
        return json.loads(self.text) if self.text else None

    @property
    def graph(self) -> TaskGraph | None:
        """The graph; None if the procedure failed."""
        return graph_from_json(self.content, self.procedure) if self.text else None

    @property
    def changes(self) -> tuple[str, ...]:
        """What post-processing changed, in words."""
        content = self.content
        if content is None:
            return ()
        nodes = Vocabulary(tuple(content["steps"])).nodes
        said: list[str] = []
        for reason, ends in json.loads(self.changed).items():
            for step, needed in zip(ends[::2], ends[1::2], strict=True):
                why = Reason(reason)
                said.append(str(Change(nodes[step], nodes[needed], why.adds, why, 0.0)))
        return tuple(said)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Outcome:
        """Return the outcome that `to_json` gave.

        Raises
        ------
        KeyError, TypeError, ValueError
            If it gave something else.
        """
        outcome = cls(
            content["procedure"],
            content["text"],
            content["changed"],
            tuple(content["notes"]),
            content["facts"],
            content["error"],
        )
        try:
            _ = outcome.changes  # what is wrong with the graph or with them is found here
        except (AttributeError, IndexError, StepgraphError) as error:
            raise ValueError(f"no outcome: {error}") from None
        return outcome


def learn_batch(
    procedures: Sequence[Demonstrations], method: str, options: Mapping[str, Any]
) -> list[Outcome]:
    """Learn the procedures of a batch; those that fail say why and stop nothing else.

    Parameters
    ----------
    procedures
        Their recordings.
    method, options
        Those of `stepgraph.pipeline.learn_all`.
    """
    with no_collection():
        return _learn(procedures, method, options)


def _learn(
    procedures: Sequence[Demonstrations], method: str, options: Mapping[str, Any]
) -> list[Outcome]:
    try:
        learnings = learn_each(procedures, method, **options)
        return [_outcome(*pair) for pair in zip(procedures, learnings, strict=True)]
    except (SettingError, UnknownNameError, MissingExtraError):
        raise  # they are of the run, not of a procedure
    except Exception as error:
        if len(procedures) > 1:
            return [outcome for one in procedures for outcome in _learn([one], method, options)]
        said = (
            str(error) if isinstance(error, StepgraphError) else f"{type(error).__name__}: {error}"
        )
        return [Outcome(procedures[0].procedure, error=said[:500] or type(error).__name__)]


def _outcome(given: Demonstrations, learning: Learning) -> Outcome:
    number = {name: node for node, name in enumerate(learning.graph.vocabulary.nodes)}
    changed: dict[str, list[int]] = {}
    for step, needed, _, reason, _ in learning.changes:
        changed.setdefault(reason.value, []).extend((number[step], number[needed]))
    return Outcome(
        given.procedure,
        _json(graph_to_json(learning.graph)),
        _json(changed),
        learning.notes,
        dict(learning.facts),
    )
