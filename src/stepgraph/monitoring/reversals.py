"""Steps that take others back: what is put on can be taken off again, and put on anew.

A plain monitor takes a step for done once and for all. Where some steps reverse others, as
'detach wheel' reverses 'attach wheel', what is done can become undone, and taking back what was
done wrongly is a correction rather than a mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from stepgraph.graph import TaskGraph
from stepgraph.monitoring.plan import Plan


def judge_with_reversals(
    graph: TaskGraph, steps: Sequence[str], reverses: Mapping[str, str]
) -> tuple[bool, ...]:
    """Say of each step whether it is a mistake, where steps can be taken back.

    A step is a mistake if something it needs, directly or through others, is not in place, or
    if the graph does not know it. Taking a step back is a mistake unless that step was one, was
    done while one was in place, or is not in place at all; then it is a correction.

    Parameters
    ----------
    graph
        The procedure's graph; it need not know the steps that take others back.
    steps
        Step names in the order done.
    reverses
        For each step that takes another back, that other step.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"attach cabin": ["attach seat"]})
    >>> undo = {"detach cabin": "attach cabin"}
    >>> judge_with_reversals(graph, ["attach cabin", "detach cabin", "attach seat"], undo)
    (True, False, False)
    >>> judge_with_reversals(graph, ["attach seat", "attach cabin", "detach cabin"], undo)
    (False, False, True)
    """
    plan = Plan.of(graph)
    in_place: dict[str, bool] = {}  # and whether each is a mistake still standing
    verdicts = []
    for step in steps:
        if step in reverses:
            undone = reverses[step]
            verdicts.append(in_place.pop(undone, True) is False)
            continue
        node = plan.nodes.get(step)
        wrong = node is None or bool(
            plan.needs_all[node] & ~sum(1 << plan.nodes[s] for s in in_place if s in plan.nodes)
        )
        verdicts.append(wrong)
        in_place[step] = wrong
    return tuple(verdicts)


def reversals(steps: Iterable[str], verbs: Mapping[str, str]) -> dict[str, str]:
    """Find which steps take which back, by the verbs that their names begin with.

    Parameters
    ----------
    steps
        Step names.
    verbs
        For each verb that takes back, the verb that it reverses.

    Examples
    --------
    >>> reversals(["attach-wheel", "detach-wheel", "detach-cabin"], {"detach": "attach"})
    {'detach-wheel': 'attach-wheel', 'detach-cabin': 'attach-cabin'}
    """
    found = {}
    for step in steps:
        for back, forth in verbs.items():
            if step.startswith(back) and not step[len(back) : len(back) + 1].isalnum():
                found[step] = forth + step[len(back) :]
    return found
