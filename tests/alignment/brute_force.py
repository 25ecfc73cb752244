"""The cheapest explanation by search: slow, plain, and knowing nothing of antichains."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from tgml.alignment import Costs
from tgml.graph import TaskGraph


def cheapest(
    graph: TaskGraph, steps: Sequence[str], costs: Costs, optional: frozenset[str] = frozenset()
) -> float:
    """Return the cost of a cheapest path through pairs of (place in the recording, steps past)."""
    start: tuple[int, frozenset[str]] = (0, frozenset())
    best = {start: 0.0}
    queue: list[tuple[float, int, list[str]]] = [(0.0, 0, [])]
    while queue:
        cost, place, past = heapq.heappop(queue)
        state = (place, frozenset(past))
        if cost > best[state]:
            continue
        if place == len(steps) and len(past) == len(graph.steps):
            return cost
        moves: list[tuple[float, int, list[str]]] = []
        if place < len(steps):
            moves.append((costs.of("inserted", steps[place]), place + 1, past))
        for step in graph.steps:
            if step not in past and set(graph.preconditions_of(step)) <= set(past):
                after = sorted([*past, step])
                skip = 0.0 if step in optional else costs.of("skipped", step)
                moves.append((skip, place, after))
                if place < len(steps) and steps[place] == step:
                    moves.append((costs.of("done", step), place + 1, after))
        for price, next_place, after in moves:
            state = (next_place, frozenset(after))
            if cost + price < best.get(state, float("inf")):
                best[state] = cost + price
                heapq.heappush(queue, (cost + price, next_place, after))
    raise AssertionError("every recording can be inserted and every graph skipped")
