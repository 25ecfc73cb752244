"""Verdicts as sentences, with the evidence that the graph holds for its edges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import EdgeEvidence
from stepgraph.monitoring.monitor import Kind, Verdict
from stepgraph.sequences import in_words

if TYPE_CHECKING:
    from stepgraph.monitoring.uncertain_verdict import UncertainVerdict


def explain(verdict: Verdict | UncertainVerdict, graph: TaskGraph) -> str:
    """Return a verdict as one sentence, from the graph's own step names.

    If steps are missing, the sentence ends with the graph's evidence for them; see `evidence`. A
    remark on the observation comes last.

    Parameters
    ----------
    verdict
        The verdict of a monitor, plain or uncertain.
    graph
        The graph that the monitor judges by.

    Examples
    --------
    >>> from stepgraph.monitoring import Monitor
    >>> graph = TaskGraph.from_preconditions({"mix": ["crack the egg", "add milk"]})
    >>> monitor = Monitor(graph)
    >>> print(explain(monitor.observe("mix", time=9), graph))
    'mix' is done before 'crack the egg' and 'add milk', which it needs.
    >>> print(explain(monitor.observe("add milk"), graph))
    'add milk' is done after all; 'mix' was done without it, the mistake of step 1.
    >>> print(explain(monitor.observe("crack the egg", time=8), graph).partition("(")[2])
    time runs backwards: 8 after 9).
    """
    if isinstance(verdict, Verdict):
        return finished(
            _sentence(verdict, graph), [_behind(verdict, verdict.step, graph), verdict.note]
        )
    return verdict.sentence(_behind(verdict, verdict.happened or verdict.step, graph))


def evidence(graph: TaskGraph, step: str, preconditions: Iterable[str]) -> str:
    """Return the evidence of a graph for a step's edges; empty if it has none.

    For each edge the text says how many recordings keep the order and which ones break it, or the
    weight if there is no count. It ends with the method and the number of recordings behind the
    graph.

    Parameters
    ----------
    graph
        The graph.
    step
        A step.
    preconditions
        The direct preconditions in question; the text skips those without evidence or weight.

    Examples
    --------
    >>> from stepgraph.graph import Provenance
    >>> graph = TaskGraph(["egg", "mix"], [("mix", "egg")], weights={("mix", "egg"): 0.931},
    ...                   provenance=Provenance("do", recordings=12))
    >>> evidence(graph, "mix", ["egg"])
    "weight of 'egg': 0.93; learned from 12 recordings with 'do'"
    >>> counted = graph.replace(evidence={("mix", "egg"): EdgeEvidence(10, 1, 1, (), ("anna",))})
    >>> evidence(counted, "mix", ["egg"])
    "'egg' came first in 10 of 11 recordings, not in 'anna'; learned from 12 recordings with 'do'"
    """
    return _with_source(graph, _edge_evidence(graph, step, preconditions))


def _behind(verdict: Verdict | UncertainVerdict, step: str, graph: TaskGraph) -> str:
    """Return the evidence for the order or the step that a mistake broke."""
    match verdict.kind:
        case Kind.TOO_EARLY | Kind.SKIPPED_INFERRED:
            return evidence(graph, step, verdict.missing)
        case Kind.TOO_LATE if verdict.is_mistake:
            before = [
                _counted(step, after, graph.evidence[after, step], f"before '{after}'")
                for after in verdict.done_without_it
                if (after, step) in graph.evidence
            ]
            return _with_source(graph, [*before, *_edge_evidence(graph, step, verdict.missing)])
        case Kind.OPEN_AT_FINISH if verdict.is_mistake and step in graph.attributes:
            share = f"{100 * graph.attributes[step].done:.0f} % of the recordings have it"
            return _with_source(graph, [share])
        case _:
            return ""


def _edge_evidence(graph: TaskGraph, step: str, preconditions: Iterable[str]) -> list[str]:
    """Return the evidence for each of a step's edges."""
    parts = []
    for name in preconditions:
        if (step, name) in graph.evidence:
            parts.append(_counted(name, step, graph.evidence[step, name], "first"))
        elif (step, name) in graph.weights:
            parts.append(f"weight of '{name}': {graph.weights[step, name]:.2f}")
        elif between := _between(graph, step, name):
            may = "which may" if len(between) == 1 else "which may all"
            parts.append(f"through {listed(between)}, {may} be left out")
    return parts


def _with_source(graph: TaskGraph, parts: Iterable[str]) -> str:
    """Return the evidence, with the method and recordings behind the graph."""
    method, recordings = graph.provenance.method, graph.provenance.recordings
    source = ""
    if recordings is not None:
        noun = "recording" if recordings == 1 else "recordings"
        how = f" with {method!r}" if method else ""
        source = f"learned from {in_words(recordings)} {noun}{how}"
    return "; ".join(filter(None, [", ".join(parts), source]))


def _between(graph: TaskGraph, step: str, name: str) -> list[str]:
    """Return the optional steps between a step and an indirect precondition."""
    if step not in graph.vocabulary or (step, name) in graph.edges:
        return []
    optional = graph.optional_steps
    return [
        other
        for other in graph.preconditions_of(step)
        if other in optional
        and (name in graph.preconditions_of(other) or _between(graph, other, name))
    ]


def _counted(name: str, step: str, found: EdgeEvidence, place: str) -> str:
    if not found.held + found.broken:
        return f"no recording has both '{name}' and '{step}'"
    said = f"'{name}' came {place} in {found.where}"
    if found.doubtful:
        said += f", doubtful: {100 * (found.probability or 0.0):.0f} % probable"
    return said


def _sentence(verdict: Verdict, graph: TaskGraph) -> str:
    step = f"'{verdict.step}'"
    missing, after = listed(verdict.missing), listed(verdict.done_without_it)
    one = len(verdict.done_without_it) == 1
    coming = coming_after(verdict.done_without_it, optional=verdict.step in graph.optional_steps)
    match verdict.kind:
        case Kind.CORRECT:
            return f"{step} is right"
        case Kind.TOO_EARLY:
            return f"{step} is done before {missing}, which it needs" + (
                f", and after {coming}" if after else ""
            )
        case Kind.SKIPPED_INFERRED:
            skipped = "at step" if len(verdict.missing) == 1 else "from step"
            on = "" if len(verdict.missing) == 1 else " on"
            return (
                f"{step} is done without {missing}, which it needs"
                + (f", and after {coming}" if after else "")
                + f": skipped, as reported {skipped} {verdict.cause}{on}"
            )
        case Kind.TOO_LATE:
            lacking = f", and without {missing}, which it needs" if missing else ""
            if verdict.cause is None:
                return f"{step} is done after {coming}{lacking}"
            return (
                f"{step} is done after {coming} through other steps: "
                f"this follows from step {verdict.cause}"
            )
        case Kind.REPAIRED:
            lacking = f", but without {missing}, which it needs" if missing else ""
            were = "was" if one else "were"
            if not after:
                return f"{step} is done again, now with all that it needs"
            return (
                f"{step} is done after all{lacking}; {after} {were} done without it, "
                f"the mistake of step {verdict.cause}"
            )
        case Kind.REPEATED:
            return f"{step} is done again, with all that it needs"
        case Kind.NEEDLESS:
            return f"{step} is done again, although it is done and not to be repeated"
        case Kind.OTHER_ALTERNATIVE:
            return f"{step} is done although {listed(verdict.instead)} was chosen instead of it"
        case Kind.UNKNOWN_STEP:
            return unknown(verdict.step, verdict.nearest)
        case Kind.OPEN_AT_FINISH:
            if verdict.instead:
                return f"never done: one of {listed((verdict.step, *verdict.instead), 'or')}"
            since = f", passed over at step {verdict.cause}" if verdict.cause else ""
            return f"{step} was never done{since}"


def finished(sentence: str, remarks: Iterable[str]) -> str:
    """Return a sentence with any remarks in brackets, and a full stop."""
    said = "; ".join(filter(None, remarks))
    sentence += f" ({said})" if said else ""
    return sentence if sentence.endswith("?") else f"{sentence}."


def listed(names: Sequence[str], word: str = "and") -> str:
    """Return names in quotes, joined as in a sentence.

    Examples
    --------
    >>> print(listed(["egg", "milk", "flour"]))
    'egg', 'milk' and 'flour'
    """
    quoted = [f"'{name}'" for name in names]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {word} {quoted[-1]}"


def coming_after(names: Sequence[str], *, optional: bool) -> str:
    """Return a phrase for the steps that come after another, perhaps optional, step.

    Examples
    --------
    >>> print(coming_after(["mix", "bake"], optional=False))
    'mix' and 'bake', which need it
    """
    one = len(names) == 1
    if optional:
        return f"{listed(names)}, which {'comes' if one else 'come'} after it if it is done at all"
    return f"{listed(names)}, which {'needs' if one else 'need'} it"


def unknown(step: str, nearest: Sequence[str]) -> str:
    """Return the sentence for a step that a graph does not have."""
    advice = f"; did you mean {listed(nearest, 'or')}?" if nearest else ""
    return f"'{step}' is no step of this procedure{advice}"
