"""What a drawing and a list say of steps and edges, beyond which needs which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes


def describe(graph: TaskGraph) -> Iterator[str]:
    r"""Yield a line for each edge with evidence, then for each step that is not simply done once.

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
    for edge in graph.edges:
        if edge in graph.evidence:
            said = graph.evidence[edge].told(stated=edge in stated)
            needs = "comes after" if edge[1] in optional else "needs"
            yield f"'{edge[0]}' {needs} '{edge[1]}': {said}"
    for step in graph.steps:
        known = graph.attributes.get(step)
        if known is not None:
            yield from (f"'{step}' {sentence}" for sentence in _attributes(known))


def _attributes(known: StepAttributes) -> Iterator[str]:
    share = f"done in {100 * known.done:.0f} % of the recordings"
    if known.optional:
        text = f"is optional: {share}" if known.done < 1 else "is optional"
        if known.left_out_with:
            text += f"; left out together with {_listed(known.left_out_with)}"
        if known.done_instead:
            text += f"; instead of it {_listed(known.done_instead)}"
        yield text
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
