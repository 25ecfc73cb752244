"""Random recordings, task graphs and orders that tests of several packages draw from."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import strategies as st

from stepgraph.errors import GraphError
from stepgraph.graph import (
    Choice,
    Edge,
    Provenance,
    StepAttributes,
    TaskGraph,
    Undoing,
    connect_ends,
)
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary

STEP_NAMES = tuple(f"step {letter}" for letter in "abcdefghi")
"""Enough for the largest graph."""

WEIGHTS = st.floats(0, 1000, allow_subnormal=False)

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
"""What a JSON parser may give, NaN and infinities included."""


@st.composite
def demonstrations(
    draw: st.DrawFn,
    *,
    repetitions: bool = True,
    omissions: bool = True,
    max_steps: int = 8,
    max_recordings: int = 6,
) -> Demonstrations:
    """Return 1 to 6 recordings of 1 to 8 steps, at will each step exactly once in each."""
    steps = STEP_NAMES[: draw(st.integers(1, max_steps))]
    recording = st.permutations(steps)
    if omissions:
        recording = recording.flatmap(
            lambda order: st.integers(1, len(order)).map(lambda length: order[:length])
        )
    if repetitions:
        recording = st.builds(
            lambda order, again: [*order, *again],
            recording,
            st.lists(st.sampled_from(steps), max_size=4),
        ).flatmap(st.permutations)
    recordings = draw(st.lists(recording, min_size=1, max_size=max_recordings))
    return Demonstrations.from_steps(recordings, vocabulary=Vocabulary(steps))


@st.composite
def annotated_demonstrations(draw: st.DrawFn) -> Demonstrations:
    """Return recordings with random times, marks and skipped steps, some of them unknown."""
    plain = draw(demonstrations())
    procedure = draw(st.text(st.characters(codec="utf-8"), max_size=10))
    times = st.floats(-1e9, 1e9)
    marks = st.none() | st.text(st.characters(codec="utf-8"), max_size=5)
    nodes = st.integers(1, len(plain.vocabulary))
    annotated = []
    for sequence in plain:
        known = st.none() | st.tuples(*[times] * len(sequence))
        annotated.append(
            KeyStepSequence(
                sequence.id,
                sequence.steps,
                starts=draw(known),
                ends=draw(known),
                mistakes=draw(st.none() | st.tuples(*[marks] * len(sequence))),
                skipped=tuple(draw(st.lists(nodes, max_size=2, unique=True))),
            )
        )
    return Demonstrations(plain.vocabulary, tuple(annotated), procedure)


@st.composite
def task_graphs(draw: st.DrawFn, *, weighted: bool = False, max_steps: int = 9) -> TaskGraph:
    """Return random acyclic graphs over 1 to 9 steps, START and END connected."""
    steps = STEP_NAMES[: draw(st.integers(1, max_steps))]
    order = draw(st.permutations(steps))
    pairs: list[Edge] = [
        (later, earlier) for place, later in enumerate(order) for earlier in order[:place]
    ]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    edges = connect_ends(steps, chosen)
    if not weighted:
        return TaskGraph(steps, edges)
    weights = draw(st.dictionaries(st.sampled_from(edges), WEIGHTS))
    provenance = draw(st.dictionaries(st.text(max_size=5), st.integers() | st.booleans()))
    name = draw(st.text(st.characters(codec="utf-8"), max_size=10))
    return TaskGraph(
        steps, edges, procedure=name, weights=weights, provenance=Provenance(other=provenance)
    )


@st.composite
def graphs_with_rules(draw: st.DrawFn, *, max_steps: int = 7) -> TaskGraph:
    """Return random graphs with optional and repeatable steps, choices and undoing."""
    graph = draw(task_graphs(max_steps=max_steps))
    some = st.lists(st.sampled_from(graph.steps), unique=True, max_size=2)
    few = st.lists(st.sampled_from(graph.steps), unique=True, min_size=1, max_size=2)
    attributes = {
        step: StepAttributes(
            optional=draw(st.booleans()),
            repeatable=draw(st.booleans()),
            goes_with=tuple(other for other in draw(some) if other != step),
        )
        for step in graph.steps
    }
    graph = graph.replace(attributes=attributes)
    for _ in range(draw(st.integers(0, 2))):
        one, other, undone = draw(few), draw(few), draw(few)
        step, optional = draw(st.sampled_from(graph.steps)), draw(st.booleans())
        with suppress(GraphError):
            graph = graph.replace(choices=[*graph.choices, Choice([one, other], optional)])
        with suppress(GraphError):
            graph = graph.replace(undoings=[*graph.undoings, Undoing(step, undone)])
    return graph


@st.composite
def valid_orders(draw: st.DrawFn, graph: TaskGraph) -> tuple[str, ...]:
    """Return an order of all steps of a graph in which each comes after what it needs."""
    done: list[str] = []
    while len(done) < len(graph.steps):
        needs_met = [
            step
            for step in graph.steps
            if step not in done and set(graph.preconditions_of(step)) <= set(done)
        ]
        done.append(draw(st.sampled_from(needs_met)))
    return tuple(done)
