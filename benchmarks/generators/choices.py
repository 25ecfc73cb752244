"""What people choose when they show a procedure: steps left out, and steps done again.

`with_choices` says which steps of a procedure may be left out or repeated, as attributes of its
graph; `make_choices` makes one person's choices for a recording. Neither is an error.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from stepgraph.errors import SettingError
from stepgraph.graph import Choice, TaskGraph
from stepgraph.graph.evidence import StepAttributes

SHARES = (0.3, 0.8)
"""How often an optional step is done, and how often a repeatable one is repeated: within these."""


def with_choices(graph: TaskGraph, *, optional: float, repeatable: float, seed: int) -> TaskGraph:
    """Return the same procedure with steps that may be left out and steps that are done again.

    Steps are drawn at random and taken two by two. A pair is, each equally likely, of two optional
    steps with nothing in common, of two that go together, or a choice; steps that need each other
    are no choice. A repeatable step is repeated directly after itself or after a step that needs
    it.

    Parameters
    ----------
    graph
        The procedure.
    optional, repeatable
        The shares of its steps that may be left out, and that are repeated.
    seed
        The same seed gives the same choices.

    Raises
    ------
    SettingError
        If a share is not between 0 and 1.

    Examples
    --------
    >>> from benchmarks.generators import random_procedure
    >>> plain = random_procedure(8, width=3, density=0.5, seed=0)
    >>> graph = with_choices(plain, optional=0.25, repeatable=0.0, seed=0)
    >>> len(graph.optional_steps), graph == plain
    (2, True)
    """
    for what, share in (("optional", optional), ("repeatable", repeatable)):
        if not 0 <= share <= 1:
            raise SettingError(f"the share of {what} steps is {share:g}; expected 0 to 1")
    rng = random.Random(f"choices {seed}")
    attributes: dict[str, StepAttributes] = {}
    choices: list[Choice] = []
    chosen = rng.sample(graph.steps, round(optional * len(graph.steps)))
    for place in range(0, len(chosen), 2):
        attributes |= _optional(graph, chosen[place : place + 2], choices, rng)
    for step in rng.sample(graph.steps, round(repeatable * len(graph.steps))):
        after = [other for other in graph.steps if step in graph.all_preconditions_of(other)]
        known = attributes.get(step, StepAttributes())
        attributes[step] = StepAttributes(
            done=known.done,
            optional=known.optional,
            repeated=rng.uniform(*SHARES),
            repeatable=True,
            repeated_after=(rng.choice([step, *after]),),
            goes_with=known.goes_with,
        )
    return graph.replace(attributes=attributes, choices=choices)


def _optional(
    graph: TaskGraph, steps: Sequence[str], choices: list[Choice], rng: random.Random
) -> dict[str, StepAttributes]:
    """Return the attributes of one or two steps; add their choice, if they are one."""
    done = rng.uniform(*SHARES)
    kind = rng.choice(("apart", "together", "choice"))
    if len(steps) < 2:
        return {steps[0]: StepAttributes(done, optional=True)}
    first, second = steps
    if kind == "together":
        return {
            first: StepAttributes(done, optional=True, goes_with=(second,)),
            second: StepAttributes(done, optional=True, goes_with=(first,)),
        }
    ordered = {first, second} & {
        *graph.all_preconditions_of(first),
        *graph.all_preconditions_of(second),
    }
    if kind == "choice" and not ordered:
        choices.append(Choice([[first], [second]]))
        return {first: StepAttributes(done), second: StepAttributes(1 - done)}
    return {
        first: StepAttributes(done, optional=True),
        second: StepAttributes(rng.uniform(*SHARES), optional=True),
    }


def make_choices(graph: TaskGraph, order: Sequence[int], rng: random.Random) -> tuple[int, ...]:
    """Return an order as one person does it: without what they leave out, with what they repeat.

    Parameters
    ----------
    graph
        The procedure, with the attributes of its steps.
    order
        All its steps as node numbers, in a valid order.
    rng
        Where chance comes from.
    """
    node = graph.vocabulary.node
    left_out: dict[str, bool] = {}
    for step in graph.optional_steps:
        known = graph.attributes[step]
        told = rng.random() >= known.done
        for other in known.goes_with:
            told = left_out.get(other, told)
        left_out[step] = told
    for choice in graph.choices:
        shares = [graph.attributes[steps[0]].done for steps in choice.alternatives]
        (taken,) = rng.choices(choice.alternatives, shares)
        left_out |= {step: step not in taken for step in choice.steps}
    without = {node(step) for step, out in left_out.items() if out}
    done = [step for step in order if step not in without] or [order[0]]
    for step, known in graph.attributes.items():
        if not known.repeatable or node(step) not in done or rng.random() >= known.repeated:
            continue
        for after in known.repeated_after:
            if node(after) in done:
                last = len(done) - 1 - done[::-1].index(node(after))
                done.insert(last + 1, node(step))
    return tuple(done)
