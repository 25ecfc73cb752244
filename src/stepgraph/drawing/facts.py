"""The evidence and attributes of a graph's edges and steps, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stepgraph.drawing.svg import label
from stepgraph.formats.drawn_rules import DrawnRule, drawn_rules
from stepgraph.graph import Edge, RuleEvidence, TaskGraph
from stepgraph.graph.evidence import StepAttributes


def describe(graph: TaskGraph) -> Iterator[str]:
    r"""Yield a line for each edge with evidence, step that is not simply done once, and rule.

    Examples
    --------
    >>> from stepgraph.graph.evidence import EdgeEvidence
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg"]}).replace(
    ...     evidence={("mix", "egg"): EdgeEvidence(11, 1, 0, (), ("anna",), 0.93)},
    ...     attributes={"egg": StepAttributes(0.75, optional=True)},
    ... )
    >>> print("\n".join(describe(graph)))
    'mix' comes after 'egg': so in 11 of 12 recordings, not in 'anna'; 93 % probable
    'egg' is optional: done in 75 % of the recordings
    """
    stated, optional = graph.constraints.required, set(graph.optional_steps)
    chosen = {step for choice in graph.choices for step in choice.steps}
    for edge in graph.edges:
        if edge in graph.evidence:
            said = graph.evidence[edge].told(stated=edge in stated)
            needs = "comes after" if edge[1] in optional else "needs"
            yield f"'{edge[0]}' {needs} '{edge[1]}': {said}"
    for step in graph.steps:
        known = graph.attributes.get(step)
        if known is not None:
            yield from (
                f"'{step}' {sentence}" for sentence in _attributes(known, chosen=step in chosen)
            )
    yield from rules_told(graph)


def _attributes(known: StepAttributes, *, chosen: bool) -> Iterator[str]:
    share = f"done in {100 * known.done:.0f} % of the recordings"
    if known.optional:
        yield f"is optional: {share}" if known.done < 1 else "is optional"
    elif known.done < 1 and chosen:
        yield f"is {share}, as one alternative"
    elif known.done < 1:
        yield f"is {share}; where it is missing, that looks like a mistake"
    if known.repeatable:
        text = "may be done again"
        if known.repeated:
            text += f", as in {100 * known.repeated:.0f} % of the recordings with it"
        if known.repeated_after:
            text += f"; mostly after {_listed(known.repeated_after)}"
        yield text


def _listed(names: Sequence[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def rules_told(graph: TaskGraph) -> tuple[str, ...]:
    """Return each rule of a graph as a sentence, with its evidence.

    Parameters
    ----------
    graph
        The graph.

    Examples
    --------
    >>> from stepgraph.graph import Undoing
    >>> seen = RuleEvidence((12,), 1, 30, 0.97)
    >>> graph = TaskGraph("abc", [], undoings=[Undoing("b", ["a"], seen)])
    >>> rules_told(graph)
    ("'b' undoes 'a': done again after it 12 times, forgotten 1 time; 97 % probable",)
    """
    return tuple(
        rule.about
        if rule.evidence is None
        else f"{rule.about}: {_rule_evidence(rule, rule.evidence)}"
        for rule in drawn_rules(graph)
    )


def _rule_evidence(rule: DrawnRule, seen: RuleEvidence) -> str:
    *most, last = map(label, seen.held) if seen.held else ("0",)
    numbers = f"{', '.join(most)} and {last}" if most else last
    broken = label(seen.broken)
    if rule.kind == "choice":
        against = "several" if rule.word.endswith("at most one of") else "none or several"
        text = f"so in {numbers} of {counted(seen.recordings, 'recording')}"
        text += f", {against} in {broken}" if seen.broken else f", never {against}"
    else:
        text = f"done again after it {numbers} {'time' if numbers == '1' else 'times'}"
        text += (
            f", forgotten {counted(seen.broken, 'time')}" if seen.broken else ", never forgotten"
        )
    if seen.probability is not None:
        text += f"; {100 * seen.probability:.0f} % probable"
    return text


def edge_facts(graph: TaskGraph, edge: Edge) -> str:
    """Return the evidence for an edge: its probability or weight, and counts of recordings.

    An edge that the constraints require is "as stated".

    Parameters
    ----------
    graph
        The graph.
    edge
        One of its edges.

    Examples
    --------
    >>> graph = TaskGraph(["egg", "mix"], [("mix", "egg")], weights={("mix", "egg"): 0.931})
    >>> edge_facts(graph, ("mix", "egg"))
    'weight 0.931'
    """
    facts = [f"weight {label(graph.weights[edge])}"] if edge in graph.weights else []
    if edge in graph.evidence:
        seen = graph.evidence[edge]
        if seen.probability is not None:
            facts = [f"{100 * seen.probability:.0f} % probable"]
        if edge in graph.constraints.required:
            facts = ["as stated"]
        facts.append(
            f"in this order in {counted(seen.held, 'recording')}, opposite in "
            f"{label(seen.broken)}, undecided in {label(seen.silent)}"
        )
    return "; ".join(facts)


def step_facts(graph: TaskGraph, step: str) -> str:
    """Return how often a step is done and repeated; empty where the graph has no attributes.

    Parameters
    ----------
    graph
        The graph.
    step
        One of its steps.
    """
    known = graph.attributes.get(step)
    if known is None:
        return ""
    facts = [f"done in {100 * known.done:.0f} % of the recordings"]
    if known.repeated:
        facts.append(f"done again in {100 * known.repeated:.0f} % of those")
    return ", ".join(facts)


def counted(number: float, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{label(number)} {noun}" if number == 1 else f"{label(number)} {noun}s"
