"""Demonstrations in, task graph out: the stages of the flow, put together in one call."""

from __future__ import annotations

import dataclasses
import importlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

from stepgraph._version import __version__
from stepgraph.errors import FormatError, MissingExtraError, SettingError
from stepgraph.formats import Reading, read_demonstrations
from stepgraph.graph import Constraints, Provenance, TaskGraph
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.insight import edge_evidence, step_attributes
from stepgraph.insight.notes import doubts
from stepgraph.learners import Learned, Progress, get_learner, no_progress
from stepgraph.logs import is_log, is_table, read_log
from stepgraph.postprocess import Change, to_graph
from stepgraph.sequences import SKIPPED, Demonstrations, KeyStepSequence, Vocabulary, in_words

DEFAULT_METHOD = "robust"
LARGEST_SEED = 2**32 - 1
NAMED = 3
"""Up to so many kinds of marks are named."""
READING = ("columns", "errors", "format", "order")
"""What people may take for settings, but belongs to `stepgraph.read_demonstrations`."""


@dataclass(frozen=True)
class Learning:
    """A learned graph with everything that led to it.

    Parameters
    ----------
    graph
        The result.
    adjacency
        The weights before post-processing.
    changes
        What post-processing removed and added.
    notes
        What was left out or merged on the way, in words.
    facts
        Figures about the run, such as the number of epochs.
    confidence
        How probable it is that each step needs each other one, where the method says so.
    trust
        For each recording learned from how far it can be trusted, from 0 to 1, where the method
        says so.
    """

    graph: TaskGraph
    adjacency: WeightedAdjacency
    changes: tuple[Change, ...]
    notes: tuple[str, ...]
    facts: Mapping[str, float]
    confidence: WeightedAdjacency | None = None
    trust: tuple[float, ...] | None = None


def learn(
    demonstrations: Demonstrations | str | Path | Any,
    method: str = DEFAULT_METHOD,
    *,
    procedure: str | None = None,
    seed: int = 0,
    threshold: float | None = None,
    relaxed: bool = False,
    with_mistakes: bool = False,
    **settings: Any,
) -> TaskGraph:
    """Learn a procedure's task graph.

    Parameters
    ----------
    demonstrations
        The recordings, what `stepgraph.read_demonstrations` returns, the path of a file, or an
        event log: see `stepgraph.logs.open_log` for what it may be.
    method
        A name in `stepgraph.learners.LEARNERS`.
    procedure
        Which procedure of the file, where it holds several.
    seed
        For methods that draw at random.
    threshold, relaxed
        For post-processing; see `stepgraph.postprocess.to_graph`.
    with_mistakes
        Whether to learn also from recordings in which somebody marked a mistake.
    **settings
        The method's settings.

    Examples
    --------
    >>> recordings = Demonstrations.from_steps([["egg", "milk", "mix"], ["milk", "egg", "mix"]])
    >>> learn(recordings, method="intersection").preconditions_of("mix")
    ('egg', 'milk')
    """
    for name in READING:
        if name in settings:
            raise SettingError(
                f"{name} says how a file is read, not how it is learned from; read it first: "
                f"stepgraph.learn(stepgraph.read_demonstrations(FILE, {name}=...))"
            )
    if is_table(demonstrations) or (
        isinstance(demonstrations, str | Path) and is_log(demonstrations)
    ):
        demonstrations = read_log(demonstrations)
    elif isinstance(demonstrations, str | Path):
        demonstrations = read_demonstrations(demonstrations)
    if isinstance(demonstrations, Reading):
        demonstrations = demonstrations.only(procedure)
    elif procedure is not None:
        raise SettingError("procedure chooses one of a file's; recordings are of one already")
    if not isinstance(demonstrations, Demonstrations):
        raise SettingError(
            f"learn got {type(demonstrations).__name__}; expected Demonstrations, a path or a "
            "table. Lists of step names become Demonstrations by Demonstrations.from_steps(...)"
        )
    return learn_all(
        [demonstrations],
        method,
        seed=seed,
        threshold=threshold,
        relaxed=relaxed,
        with_mistakes=with_mistakes,
        **settings,
    )[0].graph


def learn_all(
    procedures: Sequence[Demonstrations],
    method: str = DEFAULT_METHOD,
    *,
    seed: int = 0,
    threshold: float | None = None,
    relaxed: bool = False,
    with_mistakes: bool = False,
    progress: Progress = no_progress,
    **settings: Any,
) -> list[Learning]:
    """Learn several procedures' task graphs, with all that led to them.

    Parameters are those of `learn`; `progress` is told how far the learning is.
    """
    return list(
        learn_each(
            procedures,
            method,
            seed=seed,
            threshold=threshold,
            relaxed=relaxed,
            with_mistakes=with_mistakes,
            progress=progress,
            **settings,
        )
    )


def learn_each(
    procedures: Sequence[Demonstrations],
    method: str = DEFAULT_METHOD,
    *,
    seed: int = 0,
    threshold: float | None = None,
    relaxed: bool = False,
    with_mistakes: bool = False,
    progress: Progress = no_progress,
    **settings: Any,
) -> Iterator[Learning]:
    """Yield what `learn_all` returns, so that not all of it has to be kept."""
    if not (isinstance(seed, Integral) and 0 <= seed <= LARGEST_SEED):
        raise SettingError(
            f"the seed is {seed!r}; expected a whole number from 0 to {LARGEST_SEED}"
        )
    settings = with_constraints(settings)
    learner = get_learner(method, **settings)
    if isinstance(procedures, str | Path) or not isinstance(procedures, Iterable):
        raise _no_procedures(procedures)
    for given in procedures:
        if not isinstance(given, Demonstrations):
            raise _no_procedures(given)
    if not procedures:
        return
    secret = {entry.name for entry in dataclasses.fields(learner) if entry.metadata.get("secret")}
    public = {name: value for name, value in settings.items() if name not in secret}
    chosen = [learnable(given, with_mistakes) for given in procedures]
    learned = learner.learn_many([usable for usable, _ in chosen], seeds=[seed], progress=progress)
    for (usable, notes), results in zip(chosen, learned, strict=True):
        yield _finish(
            usable, notes, results[0], method, public, seed, threshold, relaxed, with_mistakes
        )


def with_constraints(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with what `must` and `never` state as `constraints`."""
    stated = {name: settings[name] for name in ("must", "never") if name in settings}
    rest = {name: value for name, value in settings.items() if name not in stated}
    return rest | ({"constraints": Constraints(**stated)} if stated else {})


def _no_procedures(came: object) -> SettingError:
    return SettingError(
        f"learn_all got {type(came).__name__}; expected a list of Demonstrations: "
        "[read_demonstrations(FILE).only()], or all of a file's, "
        "[*read_demonstrations(FILE).procedures.values()]"
    )


def predict(
    steps: Vocabulary | Sequence[str],
    model: str | Path,
    *,
    embeddings: str | Path | None = None,
    procedure: str = "",
    threshold: float | None = None,
    relaxed: bool = False,
) -> Learning:
    """Predict the task graph of a procedure that nobody has demonstrated, from its step names.

    Parameters
    ----------
    steps
        The names of its key-steps, in any order.
    model
        A network that the method 'tgt-text' saved.
    embeddings
        A file with the steps' embeddings, for a network that was trained on such.
    procedure
        What the procedure is called.
    threshold, relaxed
        As for `learn`.

    Raises
    ------
    FileError, FormatError
        If a file cannot be used.
    MissingExtraError
        If torch or the sentence model is not installed.
    """
    try:
        zero_shot = importlib.import_module("stepgraph.learners.transformer.trained")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "stepgraph":
            raise
        raise MissingExtraError("predicting a graph from step names", "text") from None
    words = steps if isinstance(steps, Vocabulary) else Vocabulary(tuple(steps))
    learned: Learned = zero_shot.predict_unseen(words, model, embeddings=embeddings)
    result = to_graph(learned.adjacency, threshold=threshold, relaxed=relaxed, procedure=procedure)
    graph = TaskGraph(
        result.steps,
        result.edges,
        procedure=procedure,
        weights=result.weights,
        provenance=Provenance(
            "tgt-text", model=Path(model).name, recordings=0, version=__version__
        ),
    )
    return Learning(graph, learned.adjacency, result.changes, learned.notes, learned.facts)


def learnable(given: Demonstrations, with_mistakes: bool) -> tuple[Demonstrations, list[str]]:
    """Return the recordings that are learned from, and what is to be said of the others."""
    marked = [sequence for sequence in given if sequence.has_mistakes]
    if with_mistakes or not marked:
        return given, []
    number = in_words(math.fsum(sequence.weight for sequence in marked))
    if len(marked) == len(given):
        about = f"procedure {given.procedure!r}" if given.procedure else "these demonstrations"
        raise FormatError(
            f"{about}: all {number} recordings have marked mistakes; "
            "to learn from them all the same use --with-mistakes (with_mistakes=True in Python)"
        )
    one = number == "1"
    note = (
        f"{number} of {in_words(given.total_weight)} recordings {'has' if one else 'have'} marked "
        f"mistakes{_marks(marked)} and {'was' if one else 'were'} left out (--with-mistakes keeps "
        f"{'it' if one else 'them'})"
    )
    return given.without_marked_mistakes(), [note]


def _marks(marked: Sequence[KeyStepSequence]) -> str:
    """Return the marks of recordings in words where they are few, so that none is taken for one."""
    found = {mark for sequence in marked for mark in sequence.marks}
    named = [mark if mark == SKIPPED else repr(mark) for mark in sorted(found)]
    return f" ({', '.join(named)})" if len(named) <= NAMED else ""


def _finish(
    given: Demonstrations,
    notes: list[str],
    learned: Learned,
    method: str,
    settings: Mapping[str, Any],
    seed: int,
    threshold: float | None,
    relaxed: bool,
    with_mistakes: bool,
) -> Learning:
    # What was asked for beyond the method's own settings, so that a graph can be learned again.
    chosen_threshold = threshold
    adjacency = learned.adjacency
    unseen = given.unseen_steps
    if threshold is None and adjacency.threshold is None:
        # Of the matrix that was learned: the learner trained until its edges lay above this.
        threshold = 1.0 / len(adjacency.vocabulary.nodes)
    if unseen:
        notes = [*notes, f"steps that no recording shows were left out: {', '.join(unseen)}"]
        adjacency = adjacency.without(unseen)
    result = to_graph(adjacency, threshold=threshold, relaxed=relaxed, procedure=given.procedure)
    if chosen_threshold is not None and not (adjacency.matrix > chosen_threshold).any():
        heaviest = float(adjacency.matrix.max(initial=0.0))
        notes = [*notes, f"no edge weighs more than the threshold; the heaviest {heaviest:.3g}"]
    constraints = settings.get("constraints", Constraints())
    provenance = Provenance(
        method,
        {
            name: _as_plain(value)
            for name, value in sorted(settings.items())
            if name != "constraints"
        },
        seed,
        chosen_threshold,
        relaxed,
        with_mistakes,
        _whole(given.total_weight),
        version=__version__,
    )
    graph = TaskGraph(
        result.steps,
        result.edges,
        procedure=given.procedure,
        weights=result.weights,
        provenance=provenance,
        constraints=constraints,
        attributes=constraints.among(result.steps).mark(
            step_attributes(given, reliability=learned.trust or ())
        ),
        evidence=edge_evidence(given, result.edges, learned.confidence),
    )
    return Learning(
        graph,
        adjacency,
        result.changes,
        (*notes, *learned.notes, *doubts(given, graph)),
        learned.facts,
        learned.confidence,
        learned.trust,
    )


def _whole(number: float) -> float:
    return int(number) if number.is_integer() else number


def _as_plain(value: Any) -> Any:
    """Return a setting as plain JSON values: a graph by its edges between steps."""
    if isinstance(value, TaskGraph):
        return {step: list(value.preconditions_of(step)) for step in value.steps}
    if isinstance(value, list | tuple):
        return [_as_plain(item) for item in value]
    return value if isinstance(value, bool | int | float) else str(value)
