"""Random task graphs, with names that nobody would wish for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from hypothesis import strategies as st

from stepgraph.graph import Edge, TaskGraph, connect_ends
from stepgraph.sequences import END, START
from tests.strategies import graphs_with_rules

NASTY = (
    "stir\nwell",
    'say "now" \\N \\',
    "<b>bold</b> &amp; <",
    "卵を割ってよく混ぜる" * 5,
    "👩‍🍳 cook ❤️",
    "\x1b[31mred\x00",
    "\u202eback\u2028line\u0301",
    "1. #35; `x` %% style: a;",
    "long " * 30,
    "x" * 120,
    "]; n0 -> n1 [",
    "← 3, 7",
    "end",
)


def names() -> st.SearchStrategy[str]:
    """Return any names that a vocabulary takes."""
    return (st.text(min_size=1, max_size=40) | st.sampled_from(NASTY)).filter(
        lambda name: bool(name.strip()) and name not in (START, END)
    )


@st.composite
def task_graphs(
    draw: st.DrawFn,
    *,
    endings: st.SearchStrategy[str] | None = None,
    connected: bool = True,
    max_steps: int = 15,
) -> TaskGraph:
    """Return graphs of 1 to 15 steps with random edges.

    With `endings`, every name begins with a word of its own, ``k1``, ``k2`` and so on, by
    which a drawing's rows can be told. Graphs that are not `connected` may have steps that
    need nothing or that nobody needs, not even START or END.
    """
    count = draw(st.integers(1, max_steps))
    if endings is None:
        steps = draw(st.lists(names(), min_size=count, max_size=count, unique=True))
    else:
        steps = [f"k{number} {draw(endings)}".rstrip() for number in range(count)]
    order = draw(st.permutations(range(count)))
    density = draw(st.sampled_from((0, 1, 3, 9)))
    chance = st.integers(0, 9).map(lambda value: value < density)
    edges: list[Edge] = [
        (steps[order[later]], steps[order[earlier]])
        for later in range(count)
        for earlier in range(later)
        if draw(chance)
    ]
    if connected:
        return TaskGraph(steps, connect_ends(steps, edges))
    some = st.lists(st.sampled_from(steps), unique=True)
    edges += [(step, START) for step in draw(some)]
    edges += [(END, step) for step in draw(some)]
    return TaskGraph(steps, edges)


@st.composite
def strange_graphs_with_rules(draw: st.DrawFn) -> TaskGraph:
    """Return graphs with choices, undoing and what goes with what, under any names."""
    graph = draw(graphs_with_rules())
    count = len(graph.steps)
    named = draw(st.lists(names(), min_size=count, max_size=count, unique=True))
    return renamed(graph, dict(zip(graph.steps, named, strict=True)))


def renamed(graph: TaskGraph, new: Mapping[str, str]) -> TaskGraph:
    """Return a graph whose steps have other names."""

    def each(steps: Iterable[str]) -> list[str]:
        return [new.get(step, step) for step in steps]

    return TaskGraph(
        each(graph.steps),
        [(new.get(step, step), new.get(needed, needed)) for step, needed in graph.edges],
        attributes={
            new[step]: replace(own, goes_with=tuple(each(own.goes_with)))
            for step, own in graph.attributes.items()
        },
        choices=[
            replace(choice, alternatives=[each(steps) for steps in choice.alternatives])
            for choice in graph.choices
        ],
        undoings=[
            replace(own, step=new[own.step], undone=each(own.undone)) for own in graph.undoings
        ],
    )
