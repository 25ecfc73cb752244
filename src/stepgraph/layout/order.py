"""The order of a drawing's rows: valid, and with few rails side by side.

Nodes are numbers here, START is 0 and END the last one; `needs[node]` are the nodes that a
node needs. Finding the narrowest order is NP-hard, so that some cheap orders are tried and
the best one is polished by moving single rows.
"""

from __future__ import annotations

from collections.abc import Sequence

Needs = Sequence[Sequence[int]]

# How many edges and rows the polishing may look at: about 20 ms, enough to come to an end
# for the graphs of everyday procedures.
_EFFORT = 100_000


def row_order(needs: Needs) -> list[int]:
    """Return all nodes in a valid order, START first and END last.

    Parameters
    ----------
    needs
        For each node the nodes that it needs.

    Examples
    --------
    >>> row_order([[], [0], [0], [1], [2, 3]])
    [0, 2, 1, 3, 4]
    """
    dependents = dependents_of(needs)
    candidates = (
        _depth_first(needs, dependents, list(range(len(needs)))),
        _depth_first(needs, dependents, _rails_needed(needs)),
        _closing_first(needs, dependents),
        _as_listed(needs),
    )
    best = min(candidates, key=lambda order: _cost(order, needs))
    return _polish(best, needs, dependents)


def dependents_of(needs: Needs) -> list[list[int]]:
    """Return for each node the nodes that need it."""
    dependents: list[list[int]] = [[] for _ in needs]
    for node, needed in enumerate(needs):
        for precondition in needed:
            dependents[precondition].append(node)
    return dependents


def last_rows(order: Sequence[int], needs: Needs) -> list[int]:
    """Return for each node the last row that needs it, or -1 where none does."""
    last = [-1] * len(needs)
    for row, node in enumerate(order):
        for precondition in needs[node]:
            last[precondition] = row
    return last


def _cost(order: Sequence[int], needs: Needs) -> tuple[int, int]:
    """Return the most rails side by side, and the length of all rails."""
    last = last_rows(order, needs)
    closing = [0] * len(order)
    length = 0
    for row, node in enumerate(order):
        if last[node] >= 0:
            closing[last[node]] += 1
            length += last[node] - row
    rails = widest = 0
    for row, node in enumerate(order):
        rails -= closing[row]
        # The row itself takes a column even when no rail leaves it.
        widest = max(widest, rails + 1)
        rails += last[node] >= 0
    return widest, length


def _as_listed(needs: Needs) -> list[int]:
    """Return the order of the numbers, as far as it is valid."""
    order = [0]
    done = {0}
    waiting = list(range(1, len(needs) - 1))
    while waiting:
        node = next(node for node in waiting if done.issuperset(needs[node]))
        waiting.remove(node)
        done.add(node)
        order.append(node)
    return [*order, len(needs) - 1]


def _rails_needed(needs: Needs) -> list[int]:
    """Estimate how many rails the way to each node takes, as Sethi and Ullman for registers."""
    size = len(needs)
    rails = [0] * size
    waiting = list(range(size - 1, -1, -1))
    done = [False] * size
    while waiting:
        node = waiting[-1]
        missing = [needed for needed in needs[node] if not done[needed]]
        if missing:
            waiting.extend(missing)
            continue
        waiting.pop()
        done[node] = True
        # The widest branch goes first, while no other one holds a rail open.
        branches = sorted((rails[needed] for needed in needs[node] if needed), reverse=True)
        rails[node] = max((width + held for held, width in enumerate(branches)), default=1)
    return [-width for width in rails]


def _depth_first(needs: Needs, dependents: list[list[int]], rank: list[int]) -> list[int]:
    """Return the order that finishes one branch after the other, those of low rank first."""
    end = len(needs) - 1
    order = [0]
    done = [False] * len(needs)
    done[0] = True
    # Steps that nobody needs, not even END, come first: END has to be last.
    loose = [node for node in range(1, end) if not dependents[node]]
    waiting = [end, *reversed(loose)]
    while waiting:
        node = waiting[-1]
        missing = [needed for needed in needs[node] if not done[needed]]
        if missing:
            waiting.append(min(missing, key=lambda needed: (rank[needed], needed)))
            continue
        waiting.pop()
        done[node] = True
        order.append(node)
    return order


def _closing_first(needs: Needs, dependents: list[list[int]]) -> list[int]:
    """Return the order that takes the executable node which closes the most rails."""
    end = len(needs) - 1
    missing = [len(needed) for needed in needs]
    open_ends = [len(rows) for rows in dependents]
    opened_at = [0] * len(needs)
    order: list[int] = []
    ready = [node for node in range(end) if not missing[node]]

    def growth(node: int) -> tuple[int, int, int]:
        closed = sum(open_ends[needed] == 1 for needed in needs[node])
        newest = max((opened_at[needed] for needed in needs[node]), default=0)
        return (open_ends[node] > 0) - closed, -newest, node

    while ready:
        node = min(ready, key=growth) if order else 0
        ready.remove(node)
        opened_at[node] = len(order)
        order.append(node)
        for needed in needs[node]:
            open_ends[needed] -= 1
        for dependent in dependents[node]:
            missing[dependent] -= 1
            if not missing[dependent] and dependent != end:
                ready.append(dependent)
    return [*order, end]


def _polish(order: list[int], needs: Needs, dependents: list[list[int]]) -> list[int]:
    """Move single rows as long as the drawing gets narrower or its rails shorter."""
    best = _cost(order, needs)
    price = len(order) + sum(map(len, needs))
    effort = _EFFORT
    improved = True
    while improved and effort > 0:
        improved = False
        for node in order[1:-1]:
            row_of = {placed: row for row, placed in enumerate(order)}
            first = max((row_of[needed] for needed in needs[node]), default=0) + 1
            last = min((row_of[needing] for needing in dependents[node]), default=len(order) - 1)
            others = [placed for placed in order if placed != node]
            # Without the node, the rows behind it have moved up by one.
            for row in range(max(first, 1), last):
                candidate = [*others[:row], node, *others[row:]]
                cost = _cost(candidate, needs)
                effort -= price
                if cost < best:
                    best, order, improved = cost, candidate, True
                if effort <= 0:
                    return order
    return order
