"""The content of a report: the graph, its evidence, judged recordings, and scores.

`make_report` uses the monitor, the aligner and the metrics, and runs the graph's own method again
for its training curve and for intervals around its scores. The result is plain values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from stepgraph.alignment import Aligner, explain_alignment
from stepgraph.drawing import draw_comparison, draw_graph
from stepgraph.drawing.facts import edge_facts, rules_told, step_facts
from stepgraph.graph import Edge, TaskGraph
from stepgraph.graph.evidence import EdgeEvidence
from stepgraph.insight import edge_evidence
from stepgraph.learners import Progress, no_progress
from stepgraph.monitoring import Monitor, Verdict
from stepgraph.monitoring.explain import explain
from stepgraph.monitoring.monitor import Kind
from stepgraph.report.relearning import relearn
from stepgraph.report.scores import (
    ScoreEntry,
    reliability_charts,
    score_entries,
    training_chart,
)
from stepgraph.sequences import END, SKIPPED, START, Demonstrations, KeyStepSequence, in_words

_ALLOWED = (Kind.CORRECT, Kind.REPEATED)
_WORDS = {
    Kind.SKIPPED_INFERRED: "skipped earlier",
    Kind.OPEN_AT_FINISH: "never done",
    Kind.NEEDLESS: "done again needlessly",
    Kind.OTHER_ALTERNATIVE: "second alternative",
}


@dataclass(frozen=True)
class Need:
    """A precondition of a step.

    Parameters
    ----------
    name
        The precondition.
    facts
        The evidence for the edge, in words; empty where there is none.
    """

    name: str
    facts: str = ""


@dataclass(frozen=True)
class StepEntry:
    """A step of the procedure.

    Parameters
    ----------
    name
        Its name.
    needs
        Its direct preconditions, START aside.
    marks
        Words such as ``"optional"``.
    facts
        Other facts about it.
    """

    name: str
    needs: tuple[Need, ...] = ()
    marks: tuple[str, ...] = ()
    facts: str = ""


@dataclass(frozen=True)
class DoneStep:
    """A step of a recording and its verdict.

    Parameters
    ----------
    name
        The step.
    verdict
        The verdict, in a word or two.
    sentence
        The reason, as a sentence; empty where there is nothing to explain.
    is_mistake
        Whether it is a mistake of its own.
    deviates
        Whether it departs from the graph at all, such as by following from a mistake.
    """

    name: str
    verdict: str
    sentence: str = ""
    is_mistake: bool = False
    deviates: bool = False


@dataclass(frozen=True)
class RecordingEntry:
    """A recording, judged by the graph.

    Parameters
    ----------
    id
        Its name.
    steps
        Its steps in order.
    never_done
        A sentence for each step that was never done.
    mistakes
        Number of mistakes, including steps that were never done.
    explanation
        The smallest set of changes that would make it valid, a line each.
    fitness
        How well it fits the graph as a whole, from 0 to 1, where known.
    marks
        The annotator's marks, each with its count.
    """

    id: str
    steps: tuple[DoneStep, ...]
    never_done: tuple[str, ...] = ()
    mistakes: int = 0
    explanation: tuple[str, ...] = ()
    fitness: float | None = None
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """Everything on the page; parts without content are left out.

    Parameters
    ----------
    title
        The heading.
    facts
        Facts about the graph as a whole, each a name and a value.
    drawing
        The graph as SVG.
    steps
        All steps, in a valid order.
    recordings
        Recordings, judged by the graph.
    training
        The training curve of the graph's method, as SVG.
    training_about
        The training in words.
    scores
        This graph first, then controls.
    comparison
        The graph against the known one, as SVG.
    charts
        More pictures, as SVG.
    notes
        Remarks for the reader.
    rules
        A sentence for each choice, each step that undoes others, and what goes with what.
    """

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    drawing: str = ""
    steps: tuple[StepEntry, ...] = ()
    recordings: tuple[RecordingEntry, ...] = ()
    training: str = ""
    training_about: str = ""
    scores: tuple[ScoreEntry, ...] = ()
    comparison: str = ""
    charts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


def make_report(
    graph: TaskGraph,
    *,
    demonstrations: Demonstrations | None = None,
    truth: TaskGraph | None = None,
    title: str = "",
    draws: int | None = None,
    progress: Progress = no_progress,
) -> Report:
    """Return the report on a graph.

    Parameters
    ----------
    graph
        The graph.
    demonstrations
        Recordings to judge by it. They also give the evidence of each edge, where the graph
        itself has none.
    truth
        The known graph of the procedure, to score this one by.
    title
        The heading; by default the procedure's name.
    draws
        Number of times to learn again from the recordings, for the training curve and for
        intervals; see `relearn`.
    progress
        Called with the progress of learning again.

    Raises
    ------
    GraphError
        If the known graph is of another procedure.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg", "milk"]}, procedure="batter")
    >>> recordings = Demonstrations.from_steps([["egg", "mix", "milk"]])
    >>> make_report(graph, demonstrations=recordings).recordings[0].mistakes
    1
    """
    notes: list[str] = []
    counted = graph
    if demonstrations is not None and not graph.evidence:
        counted = graph.replace(evidence=_evidence(graph, demonstrations))
        notes.append("the evidence of the edges is counted in the recordings given here")
    relearned = None
    if demonstrations is not None:
        relearned = relearn(graph, demonstrations, truth=truth, draws=draws, progress=progress)
    scores = () if truth is None else score_entries(graph, truth, demonstrations, relearned)
    return Report(
        title=title or graph.procedure or "Task graph",
        facts=_facts(graph),
        drawing=draw_graph(counted, theme="auto"),
        steps=tuple(_step(counted, name) for name in graph.in_order()),
        recordings=() if demonstrations is None else tuple(_recordings(graph, demonstrations)),
        training=""
        if relearned is None or relearned.curve is None
        else training_chart(relearned.curve),
        training_about="" if relearned is None else relearned.about,
        scores=scores,
        comparison="" if truth is None else draw_comparison(graph, truth, theme="auto"),
        charts=() if truth is None else tuple(reliability_charts(graph, truth)),
        notes=tuple(notes),
        rules=rules_told(graph),
    )


def _facts(graph: TaskGraph) -> tuple[tuple[str, str], ...]:
    facts = [("Steps", str(len(graph.steps))), ("Edges", str(len(graph.edges)))]
    known = graph.provenance
    recordings = "" if known.recordings is None else in_words(known.recordings)
    for title, value in (
        ("Learned with", known.method),
        ("Learned from recordings", recordings),
        ("Seed", "" if known.seed is None else str(known.seed)),
        ("Version of stepgraph", known.version),
    ):
        if value:
            facts.append((title, value))
    return tuple(facts)


def _evidence(graph: TaskGraph, demonstrations: Demonstrations) -> dict[Edge, EdgeEvidence]:
    """Count for each edge between steps how the recordings order its ends."""
    shown = set(demonstrations.vocabulary.steps)
    between = [edge for edge in graph.edges if edge[0] != END and edge[1] != START]
    counted = edge_evidence(demonstrations, [edge for edge in between if shown.issuperset(edge)])
    nothing = EdgeEvidence(0.0, 0.0, demonstrations.total_weight)
    return {edge: counted.get(edge, nothing) for edge in between}


def _step(graph: TaskGraph, name: str) -> StepEntry:
    known = graph.attributes.get(name)
    marks = (
        ()
        if known is None
        else (
            *(("optional",) if known.optional else ()),
            *(("repeatable",) if known.repeatable else ()),
        )
    )
    needs = []
    for needed in graph.preconditions_of(name):
        facts = edge_facts(graph, (name, needed))
        seen = graph.evidence.get((name, needed))
        if seen is not None and seen.broken_in:
            facts += f"; the opposite order: {', '.join(seen.broken_in)}"
        needs.append(Need(needed, facts))
    return StepEntry(name, tuple(needs), marks, step_facts(graph, name))


def _recordings(graph: TaskGraph, demonstrations: Demonstrations) -> Iterator[RecordingEntry]:
    aligner = Aligner(graph)
    for recording in demonstrations:
        monitor = Monitor(graph)
        steps = tuple(
            _done(monitor.observe(name), graph) for name in demonstrations.names(recording)
        )
        end = monitor.finish()
        never = tuple(explain(verdict, graph) for verdict in end.verdicts if verdict.is_mistake)
        alignment = aligner.align(demonstrations.names(recording))
        why = explain_alignment(graph, alignment) if end.mistakes else ()
        yield RecordingEntry(
            recording.id, steps, never, end.mistakes, why, alignment.fitness, _marks(recording)
        )


def _marks(recording: KeyStepSequence) -> tuple[str, ...]:
    """Return the marks of a recording, each kind once; a step may have several."""
    marks = [kind for mark in recording.mistakes or () if mark for kind in mark.split(", ")]
    marks += [SKIPPED] * len(recording.skipped)
    kinds = Counter(marks)
    return tuple(f"{kind} ({number})" if number > 1 else kind for kind, number in kinds.items())


def _done(verdict: Verdict, graph: TaskGraph) -> DoneStep:
    if verdict.kind in _ALLOWED:
        return DoneStep(verdict.step, "again" if verdict.kind is Kind.REPEATED else "")
    return DoneStep(
        verdict.step,
        _WORDS.get(verdict.kind, verdict.kind.value.replace("-", " ")),
        explain(verdict, graph),
        is_mistake=verdict.is_mistake,
        deviates=True,
    )
