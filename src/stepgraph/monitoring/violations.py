"""What of a recording does not fit a graph, once it is over.

`find_violations` asks the semantics of the graph, as the monitor does, so that both find something
or neither does. If some steps reverse others, as 'detach wheel' reverses 'attach wheel',
`judge_with_reversals` lets steps become undone, and takes reversing a mistake for a correction.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stepgraph.errors import nearest_names
from stepgraph.graph import Edge, TaskGraph
from stepgraph.graph.edges import bits
from stepgraph.graph.semantics import Semantics, State
from stepgraph.graph.task_graph import expect_graph
from stepgraph.monitoring.explain import listed
from stepgraph.monitoring.monitor import Kind
from stepgraph.monitoring.plan import Plan
from stepgraph.sequences import step_names


@dataclass(frozen=True)
class Violation:
    """One step that does not fit the graph.

    Parameters
    ----------
    position
        The number of the step in the recording, from 1; one more than the last for a step that was
        never done.
    step
        Its name.
    missing
        The direct preconditions that had not been done.
    kind
        What is wrong.
    others
        The steps in whose light it is: those that should come after it, those of the alternative
        that was chosen, or those that might have been done instead of a step never done.
    nearest
        For an unknown step, the most similar names in the graph.
    """

    position: int
    step: str
    missing: tuple[str, ...] = ()
    kind: Kind = Kind.TOO_EARLY
    others: tuple[str, ...] = ()
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
        if self.kind is Kind.OPEN_AT_FINISH:
            names = listed((self.step, *self.others), "or")
            return f"never done: {'one of ' if self.others else ''}{names}"
        *first, last = map(str, (self.position, *also_at))
        place = f"steps {', '.join(first)} and {last}" if first else f"step {last}"
        return f"{place}, '{self.step}': {self._what(performed)}"

    def _what(self, performed: Container[str]) -> str:
        match self.kind:
            case Kind.UNKNOWN_STEP:
                hint = f" (did you mean {listed(self.nearest, 'or')}?)" if self.nearest else ""
                return f"not in the graph{hint}"
            case Kind.OTHER_ALTERNATIVE:
                return f"done although {listed(self.others)} was chosen instead of it"
            case Kind.TOO_LATE:
                return f"done after {listed(self.others)}, too late"
            case Kind.NEEDLESS:
                return "done again, although it is done and not to be repeated"
        later = [f"'{name}'" for name in self.missing if name in performed]
        never = [f"'{name}'" for name in self.missing if name not in performed]
        parts = [f"before {', '.join(later)}"] if later else []
        if never:
            parts.append(f"without {', '.join(never)}")
        return f"done {' and '.join(parts)}"


def broken_edges(violations: Iterable[Violation]) -> set[Edge]:
    """Return the edges of the graph that violations break.

    Examples
    --------
    >>> broken_edges([Violation(1, "mix", missing=("egg",)), Violation(2, "fly")])
    {('mix', 'egg')}
    """
    return {(found.step, needed) for found in violations for needed in found.missing}


def find_violations(
    graph: TaskGraph, steps: Iterable[str], *, complete: bool = False
) -> tuple[Violation, ...]:
    """Return each step of a recording that may not be done when it is; `Semantics` says when.

    There are none if and only if ``graph.is_valid(steps, complete=complete)``. An unknown step is
    a violation and counts as nothing done. The paper's rule is the kind 'too-early' alone.

    Parameters
    ----------
    graph
        The procedure's graph.
    steps
        Step names in the order done.
    complete
        Whether the procedure must also be finished: then all that is due and was never done is a
        violation, too, unless another one names it already.

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
    too_early: set[int] = set()
    position = 0
    for position, step in enumerate(names, start=1):
        node = meaning.nodes.get(step)
        if node is None:
            nearest = nearest_names(step, graph.steps)
            found.append(Violation(position, step, kind=Kind.UNKNOWN_STEP, nearest=nearest))
            continue
        violation = _violation(meaning, node, state, position)
        # Doing a step again that was done too early repairs it.
        if violation is not None and not (violation.kind is Kind.NEEDLESS and node in too_early):
            found.append(violation)
        if violation is not None and violation.missing:
            too_early.add(node)
        else:
            too_early.discard(node)
        state = meaning.do(node, state)
    if complete:
        found += _never_done(meaning, state, position + 1, found)
    return tuple(found)


def _violation(meaning: Semantics, node: int, state: State, position: int) -> Violation | None:
    """Return what is wrong with doing a step now; None if it may be done."""
    step = meaning.names[node]
    if missing := meaning.missing(node, state):
        return Violation(position, step, meaning.names_in(missing))
    if begun := meaning.begun_instead(node, state.done):
        return Violation(
            position, step, kind=Kind.OTHER_ALTERNATIVE, others=meaning.names_in(begun)
        )
    if passed := meaning.passed(node, state):
        return Violation(position, step, kind=Kind.TOO_LATE, others=meaning.names_in(passed))
    if meaning.is_needless(node, state):
        return Violation(position, step, kind=Kind.NEEDLESS)
    return None


def _never_done(
    meaning: Semantics, state: State, position: int, found: Sequence[Violation]
) -> Iterator[Violation]:
    """Yield the steps that are due and not done, a choice that was not made as one."""
    open_ = meaning.open(state)
    for choice in meaning.undecided(state.done):
        first = [next(bits(steps & open_)) for steps in choice.each if steps & open_]
        if len(first) < 2:
            continue
        node, *others = first
        open_ &= ~choice.every
        names = tuple(meaning.names[other] for other in others)
        yield Violation(position, meaning.names[node], kind=Kind.OPEN_AT_FINISH, others=names)
    named = {name for violation in found for name in violation.missing}
    for name in meaning.names_in(open_):
        if name not in named:
            yield Violation(position, name, kind=Kind.OPEN_AT_FINISH)


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
