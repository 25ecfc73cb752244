"""Which column each rail of a drawing takes, so that few rails cross.

A step goes on in the column of a rail that ends at it, as a train goes on along its track:
a track is a row of rails in one column. Tracks that overlap need different columns. Here,
too, the best choice is hard to find, so that the better of two simple ones is polished.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from stepgraph.layout.order import Needs, last_rows

# How many cells and tracks the polishing may look at, about 10 ms.
_EFFORT = 200_000
# One crossing less is worth a horizontal line that is longer by so many columns.
_CROSSING = 4


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
        """How many columns the tracks need."""
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
        # A step right below one that nobody needs would seem to need it, so that its
        # column rests for a row.
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
    return _polish(tracks, min(choices, key=lambda columns: _cost(tracks, columns, rows)))


def _cost(tracks: Tracks, columns: Sequence[int], rows: Sequence[int]) -> int:
    """Return how unquiet some rows are: rails crossed and columns spanned."""
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
    """Leave room between a track and where it comes from for those that begin beside it.

    Ten steps that all need START come to lie one inside the other, without a crossing.
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


def _polish(tracks: Tracks, columns: list[int]) -> list[int]:
    """Exchange or move single tracks as long as the drawing gets calmer."""
    columns = list(columns)
    count = len(columns)
    cells = [len(met + others) for met, others in zip(tracks.gathered, tracks.passing, strict=True)]
    effort = _EFFORT
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
        before = _cost(tracks, columns, rows)
        old = {track: columns[track] for track in changes}
        for track, column in changes.items():
            columns[track] = column
        if _cost(tracks, columns, rows) < before:
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
