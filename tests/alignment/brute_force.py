"""The cheapest explanation by search: slow, plain, and knowing nothing of antichains."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from stepgraph.alignment import Costs
from stepgraph.graph import TaskGraph


def cheapest(graph: TaskGraph, steps: Sequence[str], costs: Costs) -> float:
    """Return the cost of a cheapest path through (place in the recording, steps past, done)."""
    optional = graph.optional_steps
    again = [step for step, about in graph.attributes.items() if about.repeatable]
    nothing: list[str] = []
    queue: list[tuple[float, int, list[str], list[str]]] = [(0.0, 0, nothing, nothing)]
    best = {(0, frozenset(nothing), frozenset(nothing)): 0.0}
    while queue:
        cost, place, past, done = heapq.heappop(queue)
        if cost > best[place, frozenset(past), frozenset(done)]:
            continue
        if place == len(steps) and len(past) == len(graph.steps):
            return cost
        moves: list[tuple[float, int, list[str], list[str]]] = []
        if place < len(steps):
            moves.append((costs.of("inserted", steps[place]), place + 1, past, done))
            if steps[place] in done and steps[place] in again:
                moves.append((costs.of("done", steps[place]), place + 1, past, done))
        for step in graph.steps:
            if step not in past and set(graph.preconditions_of(step)) <= set(past):
                after = sorted([*past, step])
                skip = 0.0 if step in optional else costs.of("skipped", step)
                moves.append((skip, place, after, done))
                if place < len(steps) and steps[place] == step:
                    doing = sorted([*done, step])
                    moves.append((costs.of("done", step), place + 1, after, doing))
        for price, next_place, next_past, next_done in moves:
            state = (next_place, frozenset(next_past), frozenset(next_done))
            if cost + price < best.get(state, float("inf")):
                best[state] = cost + price
                heapq.heappush(queue, (cost + price, next_place, next_past, next_done))
    raise AssertionError("every recording can be inserted and every graph skipped")
