"""All complete sequences up to a length: of graphs, of blocks and of nets.

Each is worked out from its own definition, with none of the code that turns one into another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from hypothesis import reject
from hypothesis import strategies as st

from stepgraph.errors import FormatError, GraphError
from stepgraph.formats.blocks import Block, Loop, OneOf, Order, Step, graph_from_block
from stepgraph.graph import TaskGraph
from stepgraph.graph.semantics import State
from tests.formats.token_game import Firings, Marking, firings_of_net, firings_of_process

Sequence = tuple[str, ...]


def sequences_of_graph(graph: TaskGraph, length: int) -> set[Sequence]:
    """Return the sequences for which `is_valid` with `complete` holds, up to a length."""
    meaning = graph.semantics

    def moves(state: State) -> Iterator[tuple[str, State]]:
        for name, node in meaning.nodes.items():
            if meaning.may_do(node, state):
                yield name, meaning.do(node, state)

    found = set()
    waiting: list[tuple[Sequence, State]] = [((), State())]
    while waiting:
        sequence, state = waiting.pop()
        if not meaning.open(state):
            assert graph.is_valid(sequence, complete=True)
            found.add(sequence)
        if len(sequence) < length:
            waiting += [((*sequence, name), after) for name, after in moves(state)]
    return found


def sequences_of_block(block: Block | None, length: int) -> set[Sequence]:
    """Return the sequences of a block, up to a length."""
    match block:
        case None:
            return {()}
        case Step():
            return {(block.name,)} if length else set()
        case OneOf():
            own = {()} if block.optional else set()
            return own.union(*(sequences_of_block(part, length) for part in block.parts))
        case Loop():
            do, redo = (sequences_of_block(part, length) for part in (block.do, block.redo))
            found, new = set(do), set(do)
            while new:
                longer = {(*one, *back, *again) for one in new for back in redo for again in do}
                new = {sequence for sequence in longer if len(sequence) <= length} - found
                found |= new
            return found
        case Order():
            parts = [sequences_of_block(part, length) for part in block.parts]
            return _interleaved(parts, block.before, length)


def _interleaved(
    parts: list[set[Sequence]], before: Iterable[tuple[int, int]], length: int
) -> set[Sequence]:
    """Return one sequence of each part, mixed; all of a part comes before all of a later one."""
    closed = set(before)
    for middle in range(len(parts)):
        closed |= {
            (one, other) for one, a in closed if a == middle for b, other in closed if b == middle
        }
    rows: set[tuple[Sequence, ...]] = {()}
    for part in parts:
        rows = {
            (*row, own) for row in rows for own in part if sum(map(len, row)) + len(own) <= length
        }
    found: set[Sequence] = set()

    def mix(done: Sequence, row: tuple[Sequence, ...]) -> None:
        if not any(row):
            found.add(done)
        for place, own in enumerate(row):
            if own and not any(row[one] for one, other in closed if other == place):
                mix((*done, own[0]), (*row[:place], own[1:], *row[place + 1 :]))

    for row in rows:
        mix((), row)
    return found


def sequences_of_net(text: str, length: int) -> set[Sequence]:
    """Return what the complete runs of a net do, up to a length."""
    first, firings, is_final = firings_of_net(text)
    return sequences_of_tokens(first, firings, is_final, length)


def sequences_of_process(text: str, length: int) -> set[Sequence]:
    """Return what the complete runs of a BPMN process do, up to a length."""
    first, firings, is_final = firings_of_process(text)
    return sequences_of_tokens(first, firings, is_final, length)


def sequences_of_tokens(
    first: Marking, firings: Firings, is_final: Callable[[Marking], bool], length: int
) -> set[Sequence]:
    """Return the sequences, following sets of markings between which nothing is seen."""

    def silently(markings: Iterable[Marking]) -> frozenset[frozenset[tuple[str, int]]]:
        seen = {frozenset(marking.items()): marking for marking in markings}
        waiting = list(seen.values())
        while waiting:
            for label, after in firings(waiting.pop()):
                key = frozenset(after.items())
                if label is None and key not in seen:
                    seen[key] = after
                    waiting.append(after)
        return frozenset(seen)

    found = set()
    level: dict[Sequence, frozenset[frozenset[tuple[str, int]]]] = {(): silently([first])}
    for _ in range(length + 1):
        following: dict[Sequence, list[Marking]] = {}
        for sequence, keys in level.items():
            markings = [Counter(dict(key)) for key in keys]
            if any(map(is_final, markings)):
                found.add(sequence)
            for marking in markings:
                for label, after in firings(marking):
                    if label is not None:
                        following.setdefault((*sequence, label), []).append(after)
        level = {sequence: silently(markings) for sequence, markings in following.items()}
    return {sequence for sequence in found if len(sequence) <= length}


@st.composite
def blocks(draw: st.DrawFn, max_steps: int = 5, *, loops: bool = True) -> Block:
    """Return random processes of different steps."""
    names = [f"step {letter}" for letter in "abcdefgh"[: draw(st.integers(1, max_steps))]]
    return _block(draw, names, loops)


def _block(draw: st.DrawFn, names: list[str], loops: bool) -> Block:
    inner = _plain_block(draw, names, loops)
    around = draw(st.integers(0, 9))
    if around == 9 and loops:
        return Loop(inner)
    return OneOf((inner,), optional=True) if around > 6 else inner


def _plain_block(draw: st.DrawFn, names: list[str], loops: bool) -> Block:
    if len(names) == 1:
        return Step(names[0])
    count = draw(st.integers(2, min(3, len(names))))
    cuts = sorted(
        draw(st.sets(st.integers(1, len(names) - 1), min_size=count - 1, max_size=count - 1))
    )
    parts = tuple(
        _block(draw, names[start:end], loops)
        for start, end in zip([0, *cuts], [*cuts, len(names)], strict=True)
    )
    kinds = ["order", "order", "one of", "loop"] if loops else ["order", "order", "one of"]
    match draw(st.sampled_from(kinds)):
        case "one of":
            return OneOf(parts, draw(st.booleans()))
        case "loop":
            redo = parts[1] if len(parts) == 2 else Order(parts[1:], frozenset({(0, 1)}))
            return Loop(parts[0], redo)
    pairs = [(one, other) for one in range(count) for other in range(one + 1, count)]
    return Order(parts, frozenset(draw(st.sets(st.sampled_from(pairs)))))


@st.composite
def graphs_of_blocks(draw: st.DrawFn, max_steps: int = 5) -> TaskGraph:
    """Return graphs of random processes, of which a few are refused."""
    try:
        return graph_from_block(draw(blocks(max_steps)), "")
    except (FormatError, GraphError):
        reject()
