"""A report put together: the graph, what speaks for it, recordings against it, and scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from stepgraph.alignment import Aligner, explain_alignment
from stepgraph.drawing.drawing import draw_comparison, draw_graph
from stepgraph.drawing.drawing.subjects import edge_facts, step_facts
from stepgraph.drawing.report import (
    DoneStep,
    Need,
    RecordingEntry,
    Report,
    StepEntry,
)
from stepgraph.drawing.terminal import draw
from stepgraph.errors import UnavailableError
from stepgraph.graph import Edge, TaskGraph
from stepgraph.graph.attributes import EdgeEvidence
from stepgraph.insight import edge_evidence
from stepgraph.learners import Progress, no_progress
from stepgraph.monitoring import Monitor, Verdict
from stepgraph.monitoring.explain import explain
from stepgraph.monitoring.monitor import Kind
from stepgraph.reporting.again import learn_again
from stepgraph.reporting.scoring import reliability_charts, score_entries, training_chart
from stepgraph.sequences import END, SKIPPED, START, Demonstrations, KeyStepSequence

_ALLOWED = (Kind.CORRECT, Kind.REPEATED)


def make_report(
    graph: TaskGraph,
    *,
    demonstrations: Demonstrations | None = None,
    truth: TaskGraph | None = None,
    title: str = "",
    draws: int | None = None,
    progress: Progress = no_progress,
) -> Report:
    """Return all that can be told of a graph.

    Parameters
    ----------
    graph
        The graph.
    demonstrations
        Recordings to hold against it. They also tell how often each edge's order was kept,
        where the graph itself does not say.
    truth
        The known graph of the procedure, to score this one by.
    title
        The heading; by default the procedure's name.
    draws
        How often to learn again from the recordings, for the training curve and for intervals;
        see `learn_again`.
    progress
        Told how far that is.

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
    drawing = comparison = text = ""
    try:
        drawing = draw_graph(counted, theme="auto")
        if truth is not None:
            comparison = draw_comparison(graph, truth, theme="auto")
    except UnavailableError as error:
        text = "\n".join(draw(graph, width=100, unicode=True))
        notes.append(f"there is no drawing: {error}")
    again = None
    if demonstrations is not None:
        again = learn_again(graph, demonstrations, truth=truth, draws=draws, progress=progress)
    scores = () if truth is None else score_entries(graph, truth, demonstrations, again)
    return Report(
        title=title or graph.procedure or "Task graph",
        facts=_facts(graph),
        drawing=drawing,
        text=text,
        steps=tuple(_step(counted, name) for name in graph.in_order()),
        recordings=() if demonstrations is None else tuple(_recordings(graph, demonstrations)),
        training="" if again is None or again.curve is None else training_chart(again.curve),
        training_about="" if again is None else again.about,
        scores=scores,
        comparison=comparison,
        charts=() if truth is None else tuple(reliability_charts(graph, truth)),
        notes=tuple(notes),
    )


def _facts(graph: TaskGraph) -> tuple[tuple[str, str], ...]:
    facts = [("Steps", str(len(graph.steps))), ("Edges", str(len(graph.edges)))]
    for name, title in (
        ("method", "Learned with"),
        ("recordings", "Learned from recordings"),
        ("seed", "Seed"),
        ("stepgraph", "Version of stepgraph"),
    ):
        value = graph.provenance.get(name)
        if isinstance(value, str | int | float):
            facts.append((title, str(value)))
    return tuple(facts)


def _evidence(graph: TaskGraph, demonstrations: Demonstrations) -> dict[Edge, EdgeEvidence]:
    """Count for each edge between steps how recordings order its ends, if they have them at all."""
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
    """Return what a recording is marked with, each kind once; a step may have several."""
    marks = [kind for mark in recording.mistakes or () if mark for kind in mark.split(", ")]
    marks += [SKIPPED] * len(recording.skipped)
    kinds = Counter(marks)
    return tuple(f"{kind} ({number})" if number > 1 else kind for kind, number in kinds.items())


def _done(verdict: Verdict, graph: TaskGraph) -> DoneStep:
    if verdict.kind in _ALLOWED:
        return DoneStep(verdict.step, "again" if verdict.kind is Kind.REPEATED else "")
    return DoneStep(
        verdict.step,
        verdict.kind.value.replace("-", " "),
        explain(verdict, graph),
        is_mistake=verdict.is_mistake,
        deviates=True,
    )
