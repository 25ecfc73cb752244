"""Steps of a recording that come before their preconditions.

`find_violations` is the paper's mistake rule: a step stays done. If some steps reverse others, as
'detach wheel' reverses 'attach wheel', `judge_with_reversals` lets steps become undone, and takes
reversing a mistake for a correction.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from stepgraph.errors import nearest_names
from stepgraph.graph import Edge, TaskGraph
from stepgraph.graph.semantics import State
from stepgraph.graph.task_graph import expect_graph
from stepgraph.monitoring.plan import Plan
from stepgraph.sequences import step_names


@dataclass(frozen=True)
class Violation:
    """One step of a recording that does not fit the graph.

    Parameters
    ----------
    position
        The number of the step in the recording, from 1.
    step
        Its name.
    missing
        The direct preconditions that had not been done; empty for an unknown step.
    known
        Whether the graph has such a step.
    nearest
        For an unknown step, the most similar names in the graph.
    """

    position: int
    step: str
    missing: tuple[str, ...] = ()
    known: bool = True
    nearest: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.describe(self.missing)

    def describe(self, performed: Container[str], also_at: Sequence[int] = ()) -> str:
        """Return the violation in words, once the recording is over.

        Parameters
        ----------
        performed
            The steps of the whole recording; others were never done.
        also_at
            Later positions of the same violation.

        Examples
        --------
        >>> Violation(2, "mix", missing=("egg", "milk")).describe(["mix", "egg"], also_at=[5])
        "steps 2 and 5, 'mix': done before 'egg' and without 'milk'"
        """
        *first, last = map(str, (self.position, *also_at))
        place = f"steps {', '.join(first)} and {last}" if first else f"step {last}"
        if not self.known:
            hint = (
                f" (did you mean {' or '.join(map(repr, self.nearest))}?)" if self.nearest else ""
            )
            return f"{place}, '{self.step}': not in the graph{hint}"
        later = [f"'{name}'" for name in self.missing if name in performed]
        never = [f"'{name}'" for name in self.missing if name not in performed]
        parts = [f"before {', '.join(later)}"] if later else []
        if never:
            parts.append(f"without {', '.join(never)}")
        return f"{place}, '{self.step}': done {' and '.join(parts)}"


def broken_edges(violations: Iterable[Violation]) -> set[Edge]:
    """Return the edges of the graph that violations break.

    Examples
    --------
    >>> broken_edges([Violation(1, "mix", missing=("egg",)), Violation(2, "fly", known=False)])
    {('mix', 'egg')}
    """
    return {(found.step, needed) for found in violations for needed in found.missing}


def find_violations(graph: TaskGraph, steps: Iterable[str]) -> tuple[Violation, ...]:
    """Return each step of a recording that comes before one of its preconditions.

    A repeated step is checked each time it is done. An unknown step is a violation and counts as
    nothing done. `Monitor` asks more: whether an optional step comes late, a step is repeated
    needlessly, a second alternative is begun, or something is never done.

    Parameters
    ----------
    graph
        The procedure's graph.
    steps
        Step names in the order done.

    Raises
    ------
    InputError
        If the graph is not a TaskGraph, or the steps are not names.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg", "milk"]})
    >>> for violation in find_violations(graph, ["egg", "mix", "milk"]):
    ...     print(violation)
    step 2, 'mix': done before 'milk'
    """
    names = step_names(steps, expect_graph(graph, "find_violations").vocabulary)
    meaning, state = graph.semantics, State()
    found = []
    for position, step in enumerate(names, start=1):
        if step not in graph.vocabulary:
            nearest = nearest_names(step, graph.steps)
            found.append(Violation(position, step, known=False, nearest=nearest))
            continue
        node = meaning.nodes[step]
        missing = meaning.missing(node, state)
        if missing:
            found.append(Violation(position, step, meaning.names_in(missing)))
        state = meaning.do(node, state)
    return tuple(found)


def judge_with_reversals(
    graph: TaskGraph, steps: Sequence[str], reverses: Mapping[str, str]
) -> tuple[bool, ...]:
    """Judge whether each step is a mistake, where steps can be taken back.

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
    in_place: dict[str, bool] = {}  # and whether each is a mistake that still stands
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
    """Find the steps that reverse others, by the verbs that their names begin with.

    Parameters
    ----------
    steps
        Step names.
    verbs
        For each reversing verb, the verb that it reverses.

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
