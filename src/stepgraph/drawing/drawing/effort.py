"""How much of a picture Graphviz is asked to untangle, so that large ones are drawn in time.

Graphviz puts a hidden node wherever an edge passes a layer, and its time grows with the number
of those. The longer all edges are together, the less it is asked to polish; of a picture
beyond all measure it gets only the shortest edges, which hold the layers together. Of a graph
with edges beyond what an eye can follow, those that others imply can be left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from graphlib import TopologicalSorter
from operator import or_

from stepgraph.drawing.drawing.picture import Arrow

# By the length of all edges in layers, up to which length they hold.
_LIMITS = (
    (800, ""),
    (3_000, "nslimit=1, nslimit1=1, mclimit=0.5"),
)
_LAST_LIMITS = "nslimit=0.3, nslimit1=0.3, mclimit=0.1"
MOST_LAYERS = 8_000
MOST_EDGES = 1_500
"""Beyond that number a drawing of a graph leaves out the edges that follow from others."""


def plan_effort(count: int, arrows: Sequence[Arrow]) -> tuple[list[int], str]:
    """Return which arrows Graphviz is to route, by their place, and the limits it gets.

    Parameters
    ----------
    count
        How many boxes there are.
    arrows
        The edges between them; they may run in circles, as in a comparison.
    """
    depths = layer_depths(count, arrows)
    lengths = [abs(depths[arrow.step] - depths[arrow.precondition]) for arrow in arrows]
    routed, total = [], 0
    for place in sorted(range(len(arrows)), key=lengths.__getitem__):
        total += max(lengths[place], 1)
        # Those of length one hold each step above what it needs, however many they are.
        if total > MOST_LAYERS and lengths[place] > 1:
            break
        routed.append(place)
    total = sum(max(lengths[place], 1) for place in routed)
    limits = next((limits for most, limits in _LIMITS if total <= most), _LAST_LIMITS)
    return sorted(routed), limits


def implied_places(arrows: Sequence[Arrow]) -> set[int]:
    """Return the places of the arrows that follow from others: a step needs what its needs need.

    Parameters
    ----------
    arrows
        The edges of a graph without circles.
    """
    needs: dict[int, list[int]] = {}
    for arrow in arrows:
        needs.setdefault(arrow.step, []).append(arrow.precondition)
    # All that lies below a box, as the bits of a number.
    below: dict[int, int] = {}
    through: dict[int, int] = {}
    for node in TopologicalSorter(needs).static_order():
        direct = needs.get(node, ())
        through[node] = reduce(or_, (below[needed] for needed in direct), 0)
        below[node] = reduce(or_, (1 << needed for needed in direct), through[node])
    return {
        place for place, arrow in enumerate(arrows) if through[arrow.step] >> arrow.precondition & 1
    }


def layer_depths(count: int, arrows: Sequence[Arrow]) -> list[int]:
    """Return how many steps lie below each box at the least; circles are cut anywhere.

    Parameters
    ----------
    count, arrows
        As for `plan_effort`.
    """
    needs: list[set[int]] = [set() for _ in range(count)]
    dependents: list[list[int]] = [[] for _ in range(count)]
    for arrow in arrows:
        if arrow.precondition not in needs[arrow.step]:
            needs[arrow.step].add(arrow.precondition)
            dependents[arrow.precondition].append(arrow.step)
    depths = [0] * count
    waiting = dict.fromkeys(range(count))
    ready = [node for node in waiting if not needs[node]]
    while waiting:
        node = ready.pop() if ready else next(iter(waiting))
        if node not in waiting:
            continue
        del waiting[node]
        for other in dependents[node]:
            needs[other].discard(node)
            if other in waiting:
                depths[other] = max(depths[other], depths[node] + 1)
                if not needs[other]:
                    ready.append(other)
    return depths
