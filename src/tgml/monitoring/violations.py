"""Steps done without what they need: the paper's mistake rule, over a whole recording."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tgml.errors import nearest_names
from tgml.graph import TaskGraph
from tgml.sequences import refuse_text


@dataclass(frozen=True)
class Violation:
    """One step of a recording that does not fit the graph.

    Parameters
    ----------
    position
        Which step of the recording it is, from 1 on.
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
        if not self.known:
            hint = (
                f" (did you mean {' or '.join(map(repr, self.nearest))}?)" if self.nearest else ""
            )
            return f"step {self.position}, '{self.step}': not in the graph{hint}"
        needed = ", ".join(f"'{name}'" for name in self.missing)
        return f"step {self.position}, '{self.step}': done before {needed}"


def find_violations(graph: TaskGraph, steps: Iterable[str]) -> tuple[Violation, ...]:
    """Return each step of a recording that came before something it needs.

    A repeated step is checked each time it is done. A step that the graph does not know is a
    violation of its own and counts as nothing done.

    Parameters
    ----------
    graph
        The procedure's graph.
    steps
        Step names in the order done.

    Raises
    ------
    InputError
        If a step's name came where a list of names belongs.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg", "milk"]})
    >>> for violation in find_violations(graph, ["egg", "mix", "milk"]):
    ...     print(violation)
    step 2, 'mix': done before 'milk'
    """
    refuse_text(steps, graph.vocabulary)
    done: set[str] = set()
    found = []
    for position, step in enumerate(steps, start=1):
        if step not in graph.vocabulary:
            nearest = nearest_names(step, graph.steps)
            found.append(Violation(position, step, known=False, nearest=nearest))
            continue
        missing = graph.missing_before(step, done)
        if missing:
            found.append(Violation(position, step, missing))
        done.add(step)
    return tuple(found)
