"""The rules by which whole recordings are judged: a graph and steps in, a score a step out.

Online rules judge each step by what came before it, rules of the end by the whole recording.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from stepgraph.alignment import align
from stepgraph.graph import Edge, TaskGraph
from stepgraph.monitoring.order import ALARM, OrderWatch, out_of_order
from stepgraph.monitoring.plan import Plan

Trust = Mapping[Edge, float]
Judge = Callable[[TaskGraph, Sequence[str], Trust], list[float]]


@dataclass(frozen=True)
class Rule:
    """A way to call steps mistakes.

    Parameters
    ----------
    name
        What it is called.
    about
        When it flags a step.
    judge
        Gives each step of a recording a score from 0 to 1.
    threshold
        The score from which a step is flagged.
    knows
        'online' if a score depends on earlier steps only, 'end' if on the whole recording.
    """

    name: str
    about: str
    judge: Judge
    threshold: float = 0.5
    knows: str = "online"


def _plain(*, direct: bool = False, early: bool = True, late: bool = False) -> Judge:
    """Return a rule of masks: what is missing before a step, what was done that needs it."""

    def judge(graph: TaskGraph, steps: Sequence[str], trust: Trust) -> list[float]:  # noqa: ARG001
        plan = Plan.of(graph)
        needs = plan.needs if direct else plan.needs_all
        performed = 0
        scores = []
        for step in steps:
            node = plan.nodes.get(step)
            if node is None:
                scores.append(1.0)
                continue
            first = not performed >> node & 1
            wrong = (early and needs[node] & ~performed) or (
                late and first and plan.needed_by[node] & performed
            )
            scores.append(float(bool(wrong)))
            performed |= 1 << node
        return scores

    return judge


def _online(graph: TaskGraph, steps: Sequence[str], trust: Trust) -> list[float]:
    watch = OrderWatch(graph, trust=trust)
    return [watch.observe(step).probability if step in graph.vocabulary else 1.0 for step in steps]


def _end(graph: TaskGraph, steps: Sequence[str], trust: Trust) -> list[float]:
    return [
        verdict.probability if verdict.step in graph.vocabulary else 1.0
        for verdict in out_of_order(graph, steps, trust=trust)
    ]


def _moved(graph: TaskGraph, steps: Sequence[str], trust: Trust) -> list[float]:  # noqa: ARG001
    inserted = {move.position for move in align(graph, steps).inserted}
    return [float(position in inserted) for position in range(1, len(steps) + 1)]


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            Rule("direct", "a direct precondition is missing (the paper's)", _plain(direct=True)),
            Rule("too-early", "anything it needs is missing", _plain()),
            Rule("too-late", "a step that needs it is done", _plain(early=False, late=True)),
            Rule("early-or-late", "too early or too late", _plain(late=True)),
            Rule(
                "order-online",
                "too late, or what is missing probably comes",
                _online,
                threshold=ALARM,
            ),
            Rule("order-end", "on the wrong side of a step that was done", _end, knows="end"),
            Rule(
                "moved-end",
                "inserted, by the cheapest explanation (stepgraph align)",
                _moved,
                knows="end",
            ),
        )
    }
)
"""All rules. A step that the graph does not know is a mistake by each of them."""
