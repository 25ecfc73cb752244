"""Verdicts as sentences that a person understands, with what the graph knows of its edges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tgml.attributes import EdgeEvidence
from tgml.graph import TaskGraph
from tgml.monitoring.verdict import Kind, Verdict


def explain(verdict: Verdict, graph: TaskGraph) -> str:
    """Return a verdict as one sentence, from the graph's own step names.

    Where steps are missing, the sentence ends with the evidence that the graph holds for it,
    see `evidence`; a remark on the observation itself comes last.

    Parameters
    ----------
    verdict
        What a monitor said.
    graph
        The graph that the monitor judges by.

    Examples
    --------
    >>> from tgml.monitoring import Monitor
    >>> graph = TaskGraph.from_preconditions({"mix": ["crack the egg", "add milk"]})
    >>> monitor = Monitor(graph)
    >>> print(explain(monitor.observe("mix", time=9), graph))
    'mix' is done before 'crack the egg' and 'add milk', which it needs.
    >>> print(explain(monitor.observe("add milk"), graph))
    'add milk' is done after all; 'mix' was done without it, the mistake of step 1.
    >>> print(explain(monitor.observe("crack the egg", time=8), graph).partition("(")[2])
    time runs backwards: 8 after 9).
    """
    remarks = [verdict.note] if verdict.note else []
    if verdict.kind in (Kind.TOO_EARLY, Kind.SKIPPED_INFERRED):
        remarks = [*filter(None, [evidence(graph, verdict.step, verdict.missing)]), *remarks]
    about = f" ({'; '.join(remarks)})" if remarks else ""
    sentence = f"{_sentence(verdict)}{about}"
    return sentence if sentence.endswith("?") else f"{sentence}."


def evidence(graph: TaskGraph, step: str, preconditions: Iterable[str]) -> str:
    """Return what a graph holds in favour of a step's edges; empty where it holds nothing.

    That is, for each edge, in how many recordings the order held and which ones broke it, or its
    weight where nobody counted; and the method and number of recordings behind the graph.

    Parameters
    ----------
    graph
        The graph.
    step
        A step.
    preconditions
        The direct preconditions in question; those without evidence or weight are passed over.

    Examples
    --------
    >>> from tgml.attributes import EdgeEvidence
    >>> graph = TaskGraph(["egg", "mix"], [("mix", "egg")], weights={("mix", "egg"): 0.931},
    ...                   provenance={"method": "do", "recordings": 12})
    >>> evidence(graph, "mix", ["egg"])
    "weight of 'egg': 0.93; learned from 12 recordings with 'do'"
    >>> counted = graph.replace(evidence={("mix", "egg"): EdgeEvidence(10, 1, 1, (), ("anna",))})
    >>> evidence(counted, "mix", ["egg"])
    "'egg' came first in 10 of 11 recordings, not in 'anna'; learned from 12 recordings with 'do'"
    """
    parts = []
    for name in preconditions:
        if (step, name) in graph.evidence:
            parts.append(_counted(name, graph.evidence[step, name]))
        elif (step, name) in graph.weights:
            parts.append(f"weight of {name!r}: {graph.weights[step, name]:.2f}")
        elif between := _between(graph, step, name):
            may = "which may" if len(between) == 1 else "which may all"
            parts.append(f"through {_listed(between)}, {may} be left out")
    method, recordings = graph.provenance.get("method"), graph.provenance.get("recordings")
    source = []
    if isinstance(recordings, int) and not isinstance(recordings, bool):
        noun = "recording" if recordings == 1 else "recordings"
        how = f" with {method!r}" if isinstance(method, str) else ""
        source = [f"learned from {recordings} {noun}{how}"]
    return "; ".join([", ".join(parts), *source] if parts else source)


def _between(graph: TaskGraph, step: str, name: str) -> list[str]:
    """Return the optional steps through which one needs another that it does not need directly."""
    if step not in graph.vocabulary:
        return []
    return [
        other
        for other in graph.preconditions_of(step)
        if other in graph.optional_steps and name in graph.all_preconditions_of(other)
    ]


def _counted(name: str, found: EdgeEvidence) -> str:
    said = f"{name!r} came first in {found.counts}"
    if found.doubtful:
        said += f", doubtful: {100 * (found.probability or 0.0):.0f} % probable"
    return said


def _sentence(verdict: Verdict) -> str:
    step = f"'{verdict.step}'"
    missing, after = _listed(verdict.missing), _listed(verdict.done_without_it)
    were = "was" if len(verdict.done_without_it) == 1 else "were"
    match verdict.kind:
        case Kind.CORRECT:
            return f"{step} is right"
        case Kind.TOO_EARLY:
            return f"{step} is done before {missing}, which it needs"
        case Kind.SKIPPED_INFERRED:
            return (
                f"{step} is done without {missing}, which it needs: "
                f"skipped, as reported at step {verdict.cause}"
            )
        case Kind.TOO_LATE:
            if verdict.cause is None:
                come = "comes" if len(verdict.done_without_it) == 1 else "come"
                return f"{step} is done after {after}, which {come} after it if it is done at all"
            needs = "needs" if len(verdict.done_without_it) == 1 else "need"
            return (
                f"{step} is done after {after}, which {needs} it through other steps: "
                f"this follows from step {verdict.cause}"
            )
        case Kind.REPAIRED:
            return (
                f"{step} is done after all; {after} {were} done without it, "
                f"the mistake of step {verdict.cause}"
            )
        case Kind.REPEATED:
            return f"{step} is done again, with all that it needs"
        case Kind.UNKNOWN_STEP:
            advice = f"; did you mean {_listed(verdict.nearest, 'or')}?" if verdict.nearest else ""
            return f"{step} is no step of this procedure{advice}"
        case Kind.OPEN_AT_FINISH:
            since = f", missing since step {verdict.cause}" if verdict.cause else ""
            return f"{step} was never done{since}"


def _listed(names: Sequence[str], word: str = "and") -> str:
    quoted = [f"'{name}'" for name in names]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {word} {quoted[-1]}"
