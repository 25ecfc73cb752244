"""Rows and rails for the terminal: one step a row, few rails side by side, few crossings.

Nodes are numbers, START is 0 and END the last one; `needs[node]` are the nodes that a node
needs. `row_order` puts them into a valid order with few rails open at once. A step continues in
the column of a rail that ends at it. A track is such a sequence of rails in one column, and
`choose_columns` places overlapping tracks into different columns.

The best order and the best columns are NP-hard to find, so this module tries some cheap ones and
polishes the best of them by moving single rows and tracks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

Needs = Sequence[Sequence[int]]
"""For each node the nodes that it needs."""

# Number of edges and rows that polishing the order may visit: about 20 ms, enough to finish on the
# graphs of everyday procedures.
_ORDER_EFFORT = 100_000
# Number of cells and tracks that polishing the columns may visit, about 10 ms.
_COLUMN_EFFORT = 200_000
# The number of columns of a horizontal line that one crossing is worth.
_CROSSING = 4


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
    best = min(candidates, key=lambda order: _order_cost(order, needs))
    return _polish_order(best, needs, dependents)


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


def _order_cost(order: Sequence[int], needs: Needs) -> tuple[int, int]:
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
    """Return the order that finishes one branch after another, low ranks first."""
    end = len(needs) - 1
    order = [0]
    done = [False] * len(needs)
    done[0] = True
    # Steps that no other node needs, not even END, come first, because END must be last.
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
    """Return the order that always takes the executable node which closes the most rails."""
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


def _polish_order(order: list[int], needs: Needs, dependents: list[list[int]]) -> list[int]:
    """Move single rows as long as the drawing gets narrower or its rails shorter."""
    best = _order_cost(order, needs)
    price = len(order) + sum(map(len, needs))
    effort = _ORDER_EFFORT
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
                cost = _order_cost(candidate, needs)
                effort -= price
                if cost < best:
                    best, order, improved = cost, candidate, True
                if effort <= 0:
                    return order
    return order


@dataclass(frozen=True)
class Tracks:
    """The tracks of a drawing, numbered from the oldest one, that of START.

    Parameters
    ----------
    of
        The track of each node.
    gathered
        The tracks that meet at each row, that of the row's own node first.
    passing
        The other tracks that are open at each row.
    first, last
        The rows at which each track begins and ends.
    """

    of: tuple[int, ...]
    gathered: tuple[tuple[int, ...], ...]
    passing: tuple[tuple[int, ...], ...]
    first: tuple[int, ...]
    last: tuple[int, ...]

    @cached_property
    def width(self) -> int:
        """The number of columns that the tracks need."""
        return max(len({*g, *p}) for g, p in zip(self.gathered, self.passing, strict=True))

    def rows(self, track: int) -> range:
        """Return the rows along which a track is open."""
        return range(self.first[track], min(self.last[track] + 1, len(self.gathered)))


def lay_tracks(order: Sequence[int], needs: Needs) -> Tracks:
    """Return the tracks for nodes in an order.

    Parameters
    ----------
    order
        All nodes, each behind those that it needs.
    needs
        For each node the nodes that it needs.
    """
    last_needed = last_rows(order, needs)
    of = [-1] * len(needs)
    first: list[int] = []
    last: list[int] = []
    gathered = []
    for row, node in enumerate(order):
        met = [of[needed] for needed in needs[node]]
        ending = [of[needed] for needed in needs[node] if last_needed[needed] == row]
        if ending:
            of[node] = min(ending)
        else:
            of[node] = len(first)
            first.append(row)
            last.append(row)
        gathered.append((of[node], *(track for track in sorted(met) if track != of[node])))
        # A step right below one that no step needs would seem to need it, so the column stays
        # empty for a row.
        last[of[node]] = last_needed[node] if last_needed[node] >= 0 else row + 1
    open_: list[list[int]] = [[] for _ in order]
    for track, (start, stop) in enumerate(zip(first, last, strict=True)):
        for row in range(start, min(stop + 1, len(order))):
            open_[row].append(track)
    passing = tuple(
        tuple(track for track in tracks if track not in met)
        for tracks, met in zip(open_, gathered, strict=True)
    )
    return Tracks(tuple(of), tuple(gathered), passing, tuple(first), tuple(last))


def choose_columns(tracks: Tracks) -> list[int]:
    """Return the column of each track, START's being the first.

    Parameters
    ----------
    tracks
        The tracks of a drawing.
    """
    rows = range(len(tracks.gathered))
    choices = (_first_free(tracks), _nested(tracks))
    return _polish_columns(
        tracks, min(choices, key=lambda columns: _column_cost(tracks, columns, rows))
    )


def _column_cost(tracks: Tracks, columns: Sequence[int], rows: Sequence[int]) -> int:
    """Return the cost of rows: rails crossed and columns spanned."""
    cost = 0
    for row in rows:
        met = [columns[track] for track in tracks.gathered[row]]
        left, right = min(met), max(met)
        cost += right - left
        if right - left > 1:
            cost += _CROSSING * sum(left < columns[other] < right for other in tracks.passing[row])
    return cost


def _first_free(tracks: Tracks) -> list[int]:
    """Give each track the leftmost column that is free."""
    columns: list[int] = []
    for track in range(len(tracks.first)):
        columns.append(_free(tracks, columns, track)[0])
    return columns


def _nested(tracks: Tracks) -> list[int]:
    """Leave room between a track and its origin for tracks that begin beside it.

    Ten steps that all need START then nest without a crossing.
    """
    open_ = [
        sorted(met + others) for met, others in zip(tracks.gathered, tracks.passing, strict=True)
    ]

    def younger(track: int, row: int) -> int:
        return len(open_[row]) - bisect_right(open_[row], track)

    columns = [0]
    for track, row in enumerate(tracks.first[1:], start=1):
        origin = max((columns[met] for met in tracks.gathered[row][1:]), default=-1)
        inside = max(younger(track, later) for later in tracks.rows(track))
        free = _free(tracks, columns, track)
        right = [column for column in free if column > origin] or free
        columns.append(right[min(inside, len(right) - 1)])
    return columns


def _free(tracks: Tracks, columns: Sequence[int], track: int) -> list[int]:
    """Return the columns that no older track holds when a track begins."""
    start = tracks.first[track]
    held = {column for other, column in enumerate(columns) if tracks.last[other] >= start}
    return [column for column in range(tracks.width) if column not in held]


def _polish_columns(tracks: Tracks, columns: list[int]) -> list[int]:
    """Exchange or move single tracks as long as the cost falls."""
    columns = list(columns)
    count = len(columns)
    cells = [len(met + others) for met, others in zip(tracks.gathered, tracks.passing, strict=True)]
    effort = _COLUMN_EFFORT
    improved = True

    def attempt(changes: dict[int, int]) -> None:
        nonlocal effort, improved
        if effort <= 0:
            return
        effort -= count
        if not all(_fits(tracks, columns, changes, track) for track in changes):
            return
        rows = sorted({row for track in changes for row in tracks.rows(track)})
        effort -= 2 * sum(cells[row] for row in rows)
        before = _column_cost(tracks, columns, rows)
        old = {track: columns[track] for track in changes}
        for track, column in changes.items():
            columns[track] = column
        if _column_cost(tracks, columns, rows) < before:
            improved = True
        else:
            for track, column in old.items():
                columns[track] = column

    while improved and effort > 0:
        improved = False
        # The track of START stays at the left.
        for track in range(1, count):
            for other in range(track + 1, count):
                if columns[track] != columns[other]:
                    attempt({track: columns[other], other: columns[track]})
            for column in range(tracks.width):
                attempt({track: column})
    return columns


def _fits(tracks: Tracks, columns: Sequence[int], changes: dict[int, int], track: int) -> bool:
    """Return whether the new column of a track is free all along it."""
    return not any(
        column == changes[track]
        and tracks.first[other] <= tracks.last[track]
        and tracks.first[track] <= tracks.last[other]
        for other, column in enumerate(columns)
        if other not in changes
    )
