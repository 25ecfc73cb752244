"""Learning: the way from recordings to a graph."""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepgraph._version import __version__
from stepgraph.errors import FormatError, LearningWarning, MissingExtraError, SettingError
from stepgraph.formats import Reading, read_demonstrations
from stepgraph.graph import Constraints, Edge, Provenance, TaskGraph
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.graph.constraints import Alternatives
from stepgraph.insight import consequences, edge_evidence, why, with_rules
from stepgraph.insight.evidence import doubts
from stepgraph.learners import Learned, Progress, no_progress
from stepgraph.logs import is_log, is_table, read_log
from stepgraph.pipeline.fit import Fit, fit_of
from stepgraph.pipeline.options import DEFAULT_METHOD, LearningOptions
from stepgraph.postprocess import Change, PostProcessed, to_graph
from stepgraph.sequences import SKIPPED, Demonstrations, KeyStepSequence, Vocabulary, in_words

MOST_MARKS = 3
"""Maximum number of kinds of marks to name."""
READING = ("columns", "errors", "format", "order")
"""Parameters of `stepgraph.read_demonstrations` that look like settings of a method."""


@dataclass(frozen=True)
class Learning:
    """A learned graph with its weights, changes and notes.

    Parameters
    ----------
    graph
        The result.
    adjacency
        The weights before post-processing.
    changes
        The edges that post-processing removed and added.
    facts
        Figures about the run, such as the number of epochs.
    confidence
        The probability that each step needs each other one, if the method estimates it.
    trust
        The trust in each recording, from 0 to 1, if the method estimates it.
    explanations
        For each pair of `LearningOptions.explain` why the step needs the other one, or not.
    left_out
        Number of notes, from the first, about recordings, steps or edges left out, and about a
        graph that fits badly.
    fit
        How well the graph explains the recordings; None for a graph predicted without any.
    """

    graph: TaskGraph
    adjacency: WeightedAdjacency
    changes: tuple[Change, ...]
    facts: Mapping[str, float]
    confidence: WeightedAdjacency | None = None
    trust: tuple[float, ...] | None = None
    explanations: tuple[str, ...] = ()
    left_out: int = 0
    fit: Fit | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what was left out or merged, and what is doubtful."""
        return self.graph.provenance.notes


def learn(
    demonstrations: Demonstrations | str | Path | Any,
    method: str = DEFAULT_METHOD,
    *,
    procedure: str | None = None,
    seed: int = 0,
    threshold: float | None = None,
    relaxed: bool = False,
    with_mistakes: bool = False,
    must: Sequence[Edge] = (),
    never: Sequence[Edge] = (),
    one_of: Sequence[Alternatives] = (),
    undoes: Sequence[tuple[str, str | Sequence[str]]] = (),
    preset: str | None = None,
    **settings: Any,
) -> TaskGraph:
    """Learn a procedure's task graph, with its choices and the steps that undo others.

    ``graph.provenance.notes`` says what was left out or merged, and what is doubtful.

    Parameters
    ----------
    demonstrations
        The recordings, what `stepgraph.read_demonstrations` returns, the path of a file, or an
        event log: see `stepgraph.logs.open_log` for what it may be.
    method
        A name in `stepgraph.learners.LEARNERS`.
    procedure
        The procedure to learn, if the file holds several.
    seed
        The seed of methods that draw at random.
    threshold, relaxed
        For post-processing; see `stepgraph.postprocess.to_graph`.
    with_mistakes
        Whether to learn also from recordings with marked mistakes.
    must, never
        Edges (step, precondition) that the graph must or must not imply, whatever the recordings
        show.
    one_of
        Choices, whatever the recordings show: the alternatives of each, as in
        ``[("accept", "reject")]``; an alternative of several steps is a list.
    undoes
        Steps that undo others, whatever the recordings show, as in ``[("repair", "test")]``.
    preset
        Settings of the method that go together, such as 'paper' for the paper's own; `settings`
        overrule them.
    **settings
        The method's settings.

    Warns
    -----
    LearningWarning
        If recordings or steps were left out, a threshold leaves no edge, a setting overrules the
        preset, or the graph does not explain most of the recordings.

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
    constraints = Constraints(must, never, one_of=one_of, undoes=undoes)
    options = LearningOptions(
        method, settings, seed, threshold, relaxed, with_mistakes, constraints, preset=preset
    )
    (learning,) = learn_together([demonstrations], options)
    if learning.left_out:
        said = "; ".join(learning.notes[: learning.left_out])
        warnings.warn(LearningWarning(said), stacklevel=2)
    return learning.graph


def learn_together(
    procedures: Sequence[Demonstrations],
    options: LearningOptions | None = None,
    *,
    progress: Progress = no_progress,
) -> Iterator[Learning]:
    """Learn several procedures in this process, in one call of the method.

    Parameters
    ----------
    procedures
        Their recordings.
    options
        How to learn.
    progress
        The progress callback.

    Returns
    -------
    iterator of Learning
        One for each procedure, made on demand, so that memory need not hold all of them.
    """
    if isinstance(procedures, str | Path) or not isinstance(procedures, Iterable):
        raise _no_procedures(procedures)
    for given in procedures:
        if not isinstance(given, Demonstrations):
            raise _no_procedures(given)
    if not procedures:
        return iter(())
    how = options or LearningOptions()
    if how.constraints.one_of or how.constraints.undoes:
        for given in procedures:
            how.constraints.check(given.vocabulary.steps)
    chosen = [learnable(given, how.with_mistakes) for given in procedures]
    learned = how.learner().learn_many(
        [usable for usable, _ in chosen], seeds=[how.seed], progress=progress
    )
    return (
        _finish(usable, notes, result, how)
        for (usable, notes), (result,) in zip(chosen, learned, strict=True)
    )


def _no_procedures(came: object) -> SettingError:
    return SettingError(
        f"learning got {type(came).__name__}; expected a list of Demonstrations: "
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
    """Predict the task graph of a procedure without recordings, from its step names.

    Parameters
    ----------
    steps
        The names of its key-steps, in any order.
    model
        A network that the method 'tgt-text' saved.
    embeddings
        A file with the steps' embeddings, for a network that was trained on embeddings.
    procedure
        The name of the procedure.
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
        trained = importlib.import_module("stepgraph.learners.transformer.trained")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "stepgraph":
            raise
        raise MissingExtraError("predicting a graph from step names", "text") from None
    words = steps if isinstance(steps, Vocabulary) else Vocabulary(tuple(steps))
    learned: Learned = trained.predict_unseen(words, model, embeddings=embeddings)
    result = to_graph(learned.adjacency, threshold=threshold, relaxed=relaxed, procedure=procedure)
    provenance = Provenance(
        "tgt-text",
        threshold=threshold,
        relaxed=relaxed,
        recordings=0,
        model=Path(model).name,
        version=__version__,
        notes=learned.notes,
    )
    graph = result.graph.with_provenance(provenance)
    return Learning(graph, learned.adjacency, result.changes, learned.facts)


def learnable(given: Demonstrations, with_mistakes: bool) -> tuple[Demonstrations, list[str]]:
    """Return the recordings to learn from, and notes on the others."""
    marked = [sequence for sequence in given if sequence.has_mistakes]
    if with_mistakes or not marked:
        return given, []
    number = in_words(math.fsum(sequence.weight for sequence in marked))
    if len(marked) == len(given):
        about = f"procedure {given.procedure!r}" if given.procedure else "these demonstrations"
        raise FormatError(
            f"{about}: all {number} recordings have marked mistakes; "
            "to learn from them all the same use with_mistakes=True"
        )
    one = number == "1"
    note = (
        f"{number} of {in_words(given.total_weight)} recordings {'has' if one else 'have'} marked "
        f"mistakes{_marks(marked)} and {'was' if one else 'were'} left out (with_mistakes=True "
        f"keeps {'it' if one else 'them'})"
    )
    return given.without_marked_mistakes(), [note]


def _marks(marked: Sequence[KeyStepSequence]) -> str:
    """Return the marks of recordings in words, if they are few."""
    found = {mark for sequence in marked for mark in sequence.marks}
    named = [mark if mark == SKIPPED else repr(mark) for mark in sorted(found)]
    return f" ({', '.join(named)})" if len(named) <= MOST_MARKS else ""


def _finish(
    given: Demonstrations, notes: list[str], learned: Learned, options: LearningOptions
) -> Learning:
    """Turn the weights of a method into a graph with its provenance."""
    adjacency, unseen = learned.adjacency, given.unseen_steps
    notes = [*notes, *options.notes()]
    threshold = options.threshold
    if threshold is None and adjacency.threshold is None:
        # The threshold of the learned matrix: training put its edges above this.
        threshold = 1.0 / len(adjacency.vocabulary.nodes)

    def processed(weights: WeightedAdjacency) -> PostProcessed:
        seen = weights.without(unseen) if unseen else weights
        return to_graph(
            seen,
            threshold=threshold,
            relaxed=options.relaxed or None,
            procedure=given.procedure,
        )

    result = processed(adjacency)
    if unseen:
        notes = [*notes, f"steps that no recording shows were left out: {', '.join(unseen)}"]
        adjacency = adjacency.without(unseen)
    if options.threshold is not None and not (adjacency.matrix > options.threshold).any():
        heaviest = float(adjacency.matrix.max(initial=0.0))
        notes = [*notes, f"no edge weighs more than the threshold; the heaviest {heaviest:.3g}"]
    constraints = options.constraints
    graph = TaskGraph(
        result.steps,
        result.edges,
        procedure=given.procedure,
        weights=result.weights,
        constraints=constraints,
        evidence=edge_evidence(given, result.edges, learned.confidence),
    )
    graph = with_rules(given, graph, reliability=learned.trust or ())
    if not set(graph.edges) <= set(result.edges):
        graph = graph.replace(evidence=edge_evidence(given, graph.edges, learned.confidence))
    fit = fit_of(given, graph)
    if fit.warning:
        notes = [*notes, f"{fit.warning}; do not trust it without a look at them"]
    said = [*notes, *learned.notes, *_alternatives_apart(result.edges, graph)]
    said += doubts(given, graph)
    if learned.unconstrained is not None:
        said += consequences(processed(learned.unconstrained).graph, graph)
    relaxed = options.relaxed or adjacency.relaxed
    graph = graph.with_provenance(_provenance(given, said, options, relaxed=relaxed))
    explanations = [why(given, graph, edge, learned.confidence) for edge in options.explain]
    return Learning(
        graph,
        adjacency,
        result.changes,
        {**learned.facts, **fit.facts},
        learned.confidence,
        learned.trust,
        tuple(explanations),
        len(notes),
        fit,
    )


def _alternatives_apart(edges: Sequence[Edge], graph: TaskGraph) -> list[str]:
    """Return a note on edges that are left out as their steps are alternatives."""
    gone = [
        f"{step!r} needs {needed!r}"
        for step, needed in edges
        for choice in graph.choices
        if (step, needed) not in graph.edges and {step, needed} <= set(choice.steps)
    ]
    named = ", ".join(dict.fromkeys(gone))
    return [f"left out, as these steps are alternatives: {named}"] if gone else []


def _provenance(
    given: Demonstrations, notes: Sequence[str], options: LearningOptions, *, relaxed: bool
) -> Provenance:
    total = given.total_weight
    return Provenance(
        options.method,
        options.plain_settings(),
        options.seed,
        options.threshold,
        relaxed,
        options.with_mistakes,
        int(total) if total.is_integer() else total,
        version=__version__,
        notes=tuple(notes),
    )
