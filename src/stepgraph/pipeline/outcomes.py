"""The outcome of each procedure, the learning of a batch, and finished batches on disk."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from stepgraph._version import __version__
from stepgraph.errors import (
    FileError,
    InputError,
    MissingExtraError,
    SettingError,
    StepgraphError,
    UnknownNameError,
)
from stepgraph.files import make_folder, write_text
from stepgraph.formats.stepgraph_json import demonstrations_to_json, graph_from_json, graph_to_json
from stepgraph.graph import TaskGraph
from stepgraph.learners import Progress, no_progress
from stepgraph.pipeline.learning import Learning, learn_together
from stepgraph.pipeline.options import LearningOptions
from stepgraph.pipeline.workers import no_collection
from stepgraph.postprocess import Change, Reason
from stepgraph.sequences import Demonstrations, Vocabulary

LONGEST_ERROR = 2_000
"""Maximum number of characters of an error to keep."""

_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True)
class Outcome:
    """The outcome of one procedure.

    Parameters
    ----------
    procedure
        Its name.
    text
        Its graph as JSON on one line; empty if it failed. Text takes a fraction of the memory of
        the values, and processes exchange thousands of outcomes.
    changed
        The changes of post-processing as JSON: by reason, the node numbers of one edge after the
        other. `changes` gives them in words.
    facts
        Figures about the learning.
    explanations
        An explanation for each pair of `LearningOptions.explain`.
    error
        Why it failed; empty if it did not.
    fit
        How well the graph explains the recordings, in words.
    """

    procedure: str
    text: str = ""
    changed: str = "{}"
    facts: Mapping[str, float] = field(default_factory=dict)
    explanations: tuple[str, ...] = ()
    error: str = ""
    fit: str = ""

    @property
    def content(self) -> dict[str, Any] | None:
        """The graph as plain JSON values; None if the procedure failed."""
        return json.loads(self.text) if self.text else None

    @property
    def graph(self) -> TaskGraph | None:
        """The graph; None if the procedure failed."""
        return graph_from_json(self.content, self.procedure) if self.text else None

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what was left out or merged, and what is doubtful."""
        content = self.content
        return () if content is None else tuple(content.get("provenance", {}).get("notes", ()))

    @property
    def changes(self) -> tuple[str, ...]:
        """The changes of post-processing, in words."""
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

    @classmethod
    def of(cls, learning: Learning, procedure: str) -> Outcome:
        """Return the outcome of a learned procedure."""
        number = {name: node for node, name in enumerate(learning.graph.vocabulary.nodes)}
        changed: dict[str, list[int]] = {}
        for step, needed, _, reason, _ in learning.changes:
            changed.setdefault(reason.value, []).extend((number[step], number[needed]))
        return cls(
            procedure,
            _json(graph_to_json(learning.graph)),
            _json(changed),
            dict(learning.facts),
            learning.explanations,
            fit="" if learning.fit is None else str(learning.fit),
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Outcome:
        """Return the outcome that `to_json` gave.

        Raises
        ------
        KeyError, TypeError, ValueError
            If the content is malformed.
        """
        outcome = cls(
            content["procedure"],
            content["text"],
            content["changed"],
            content["facts"],
            tuple(content["explanations"]),
            content["error"],
            content["fit"],
        )
        try:
            _ = outcome.changes  # finds errors in the graph and in the changes
        except (AttributeError, IndexError, StepgraphError) as error:
            raise ValueError(f"no outcome: {error}") from None
        return outcome


def learn_batch(
    procedures: Sequence[Demonstrations],
    options: LearningOptions,
    progress: Progress = no_progress,
) -> list[Outcome]:
    """Learn the procedures of a batch; a failure becomes an outcome and stops nothing else.

    Parameters
    ----------
    procedures
        Their recordings.
    options
        How to learn.
    progress
        The progress callback.
    """
    with no_collection():
        return _learn(procedures, options, progress)


def _learn(
    procedures: Sequence[Demonstrations], options: LearningOptions, progress: Progress
) -> list[Outcome]:
    try:
        learnings = learn_together(procedures, options, progress=progress)
        return [
            Outcome.of(learning, given.procedure)
            for given, learning in zip(procedures, learnings, strict=True)
        ]
    except (SettingError, UnknownNameError, MissingExtraError):
        raise  # these concern the run, not a procedure
    except Exception as error:
        if len(procedures) > 1:
            return [outcome for one in procedures for outcome in _learn([one], options, progress)]
        said = (
            str(error) if isinstance(error, StepgraphError) else f"{type(error).__name__}: {error}"
        )
        message = said[:LONGEST_ERROR] or type(error).__name__
        return [Outcome(procedures[0].procedure, error=message)]


class Checkpoint:
    """A folder with one file a finished batch.

    A file begins with a fingerprint of the recordings, the method, its settings and the version of
    stepgraph. Only a batch with the same fingerprint reuses it.

    Parameters
    ----------
    folder
        The folder of the files, created with the first one.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def find(self, fingerprint: str) -> list[Outcome] | None:
        """Return the saved outcomes of a batch; None if there are none."""
        try:
            text = self._path(fingerprint).read_text(encoding="utf-8")
            # By line feeds alone: names may hold other characters that end a line.
            head, *rest = [json.loads(line) for line in text.removesuffix("\n").split("\n")]
            if head != {"fingerprint": fingerprint, "outcomes": len(rest)}:
                return None
            return [Outcome.from_json(content) for content in rest]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None  # missing or broken, so the batch is learned again

    def keep(self, fingerprint: str, outcomes: Sequence[Outcome]) -> None:
        """Save the outcomes of a batch.

        Raises
        ------
        FileError
            If it cannot be written, such as on a full disk; earlier files stay.
        """
        head = {"fingerprint": fingerprint, "outcomes": len(outcomes)}
        lines = [head, *(outcome.to_json() for outcome in outcomes)]
        text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        make_folder(self.folder)
        try:
            write_text(self._path(fingerprint), text + "\n")
        except FileError as error:
            raise FileError(
                f"{error}; the batches finished so far are kept in {self.folder}, the same command "
                "goes on from there"
            ) from None

    def remove(self) -> None:
        """Remove the folder, once everything is written elsewhere."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, fingerprint: str) -> Path:
        return self.folder / f"{fingerprint}.jsonl"


def fingerprint_of(procedures: Sequence[Demonstrations], options: LearningOptions) -> str:
    """Return a fingerprint of everything that determines a batch's result.

    Raises
    ------
    InputError
        If an option has no plain form.
    """
    digest = hashlib.sha256(__version__.encode())
    try:
        plain = {entry.name: _plain(getattr(options, entry.name)) for entry in fields(options)}
        digest.update(json.dumps(plain, sort_keys=True).encode())
    except TypeError as error:
        raise InputError(f"a run cannot be kept with these settings ({error})") from None
    for given in procedures:
        digest.update(json.dumps(demonstrations_to_json(given), ensure_ascii=False).encode())
    return digest.hexdigest()[:32]


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, TaskGraph):
        return graph_to_json(value)
    return repr(value)
