"""Write the procedures that ship with stepgraph: true graphs, and demonstrations drawn from them.

Run it as ``python tools/make_procedures.py``; it writes ``src/stepgraph/procedures/*.json``, and
the same bytes each time. Each procedure has a seed of its own, so that changing one leaves
the others as they are. Only ``random.Random.random`` is used, whose numbers Python promises
to keep from version to version.

How a recording without a mistake is drawn
    1. Each optional step is left out with probability `LEAVE_OUT`.
    2. Each step gets an eagerness, uniform in [0, 1): in this recording, what the person
       would rather do early and what they would put off.
    3. Until all is done: with probability `CARRY_ON` the person carries on with what they
       have just done, which is a random one of the executable steps that need the last step
       directly; otherwise, or where there is none, they do the most eager executable step.
    4. Each repeatable step that is part of the recording is done again with probability
       `AGAIN`, once or twice, each time at a random place between two steps that the
       procedure names: a pan is greased again after the first pancake and before stacking.
    5. The person has a pace in [0.8, 1.25); each step takes its typical time times the pace
       times a number in [0.7, 1.4), and is followed by a pause of 0.5 to 6 seconds.

How a mistake gets into it
    Mistakes are about the steps that somebody can forget and go on nevertheless, which each
    procedure lists. No two recordings of a procedure have the same mistake.

    order
        A step that needs a forgettable one directly is done too early, just before it; or the
        forgettable one is remembered late, one to three steps after the step that needs it.
        Each has probability 1/2, but only the second where the step would lack anything else.
    skipped
        A forgettable step is never done.

    What is marked follows from the graph alone, see `marks`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from declared_procedures import RECIPES, Recipe

from stepgraph.files import write_text
from stepgraph.formats.json_text import dump_json
from stepgraph.formats.stepgraph_json import demonstrations_to_json, graph_to_json
from stepgraph.graph import TaskGraph
from stepgraph.procedures import DEMONSTRATIONS_SUFFIX, GRAPH_SUFFIX, ORDER, PRECONDITION_SKIPPED
from stepgraph.sequences import Demonstrations, KeyStepSequence

FOLDER = Path(__file__).resolve().parents[1] / "src" / "stepgraph" / "procedures"

LEAVE_OUT = 0.35
CARRY_ON = 0.3
AGAIN = 0.45

Item = TypeVar("Item")


def pick(rng: random.Random, items: Sequence[Item]) -> Item:
    """Return one of the items, each equally likely."""
    return items[int(rng.random() * len(items))]


def shuffled(rng: random.Random, items: Sequence[Item]) -> list[Item]:
    """Return the items in a random order."""
    return sorted(items, key=lambda _: rng.random())


def draw_order(recipe: Recipe, graph: TaskGraph, rng: random.Random) -> list[str]:
    """Draw a recording without a mistake, as the steps in order."""
    left_out = {step for step in recipe.optional if rng.random() < LEAVE_OUT}
    eagerness = {step: rng.random() for step in graph.steps}
    order: list[str] = []
    while todo := [step for step in graph.executable(order) if step not in left_out]:
        next_in_line = [
            step for step in todo if order and order[-1] in graph.preconditions_of(step)
        ]
        if next_in_line and rng.random() < CARRY_ON:
            order.append(pick(rng, next_in_line))
        else:
            order.append(max(todo, key=eagerness.__getitem__))
    for step, (after, until) in recipe.repeatable.items():
        if step in order and rng.random() < AGAIN:
            for _ in range(pick(rng, (1, 2))):
                places = range(order.index(after) + 1, order.index(until) + 1)
                order.insert(pick(rng, places), step)
    return order


def swap(
    graph: TaskGraph, order: Sequence[str], step: str, needed: str, rng: random.Random
) -> list[str]:
    """Return the order with a step done before one that it needs."""
    before = order.index(needed)
    lacks_nothing_else = graph.missing_before(step, order[:before]) == (needed,)
    if rng.random() < 0.5 and lacks_nothing_else:
        changed = list(order)
        changed.remove(step)
        changed.insert(before, step)
    else:
        changed = [name for name in order if name != needed]
        late = changed.index(step) + pick(rng, (1, 2, 3))
        changed.insert(min(late, len(changed)), needed)
    return changed


def marks(graph: TaskGraph, order: Sequence[str]) -> tuple[str | None, ...]:
    """Return the mark of each step of a recording, or None where it was done right.

    A step done while a direct precondition is missing is marked: `ORDER` if one of those
    missing is done later, `PRECONDITION_SKIPPED` if none is.
    """
    found: list[str | None] = []
    for position, step in enumerate(order):
        missing = graph.missing_before(step, order[:position])
        if not missing:
            found.append(None)
        elif set(missing) & set(order[position:]):
            found.append(ORDER)
        else:
            found.append(PRECONDITION_SKIPPED)
    return tuple(found)


def draw_times(
    recipe: Recipe, order: Sequence[str], rng: random.Random
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Draw when each step starts and ends, in seconds with one decimal."""
    pace = 0.8 + 0.45 * rng.random()
    now = 0.5 + 5.5 * rng.random()
    starts, ends = [], []
    for step in order:
        starts.append(round(now, 1))
        now += recipe.steps[step][0] * pace * (0.7 + 0.7 * rng.random())
        ends.append(round(now, 1))
        now += 0.5 + 5.5 * rng.random()
    return tuple(starts), tuple(ends)


def draw_demonstrations(recipe: Recipe, graph: TaskGraph) -> Demonstrations:
    """Draw all recordings of a procedure, those with mistakes in random places among them."""
    rng = random.Random(recipe.seed)
    swaps = shuffled(
        rng,
        [
            (step, needed)
            for needed in recipe.forgettable
            for step in graph.dependents_of(needed)
            if step not in recipe.optional
        ],
    )
    skips = shuffled(rng, recipe.forgettable)
    kinds = ["clean"] * recipe.clean + ["order"] * recipe.order + ["skipped"] * recipe.skipped
    sequences = []
    for number, kind in enumerate(shuffled(rng, kinds), start=1):
        order = draw_order(recipe, graph, rng)
        skipped: tuple[str, ...] = ()
        if kind == "order":
            order = swap(graph, order, *swaps.pop(), rng)
        elif kind == "skipped":
            skipped = (skips.pop(),)
            order = [step for step in order if step not in skipped]
        starts, ends = draw_times(recipe, order, rng)
        sequences.append(
            KeyStepSequence(
                f"simulated-{number:02}",
                tuple(map(graph.vocabulary.node, order)),
                starts=starts,
                ends=ends,
                mistakes=marks(graph, order),
                skipped=tuple(map(graph.vocabulary.node, skipped)),
            )
        )
    return Demonstrations(graph.vocabulary, tuple(sequences), recipe.name)


def generate() -> dict[str, str]:
    """Return the text of every file, by file name."""
    texts = {}
    for recipe in RECIPES:
        graph = recipe.graph()
        demonstrations = draw_demonstrations(recipe, graph)
        texts[recipe.name + GRAPH_SUFFIX] = dump_json(graph_to_json(graph))
        texts[recipe.name + DEMONSTRATIONS_SUFFIX] = dump_json(
            demonstrations_to_json(demonstrations)
        )
    return texts


def main() -> None:
    """Write every file, and remove those of procedures that are no longer declared."""
    texts = generate()
    for path in FOLDER.glob("*.json"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        write_text(FOLDER / name, text)


if __name__ == "__main__":
    main()
