"""Rows of a table, one a step, gathered into recordings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from stepgraph.errors import FormatError
from stepgraph.formats.draft import Event, Recording
from stepgraph.formats.values import parse_mark, parse_time, parse_weight

SWAPPED = 0.5
"""Where in so many rows the step stays and the recording changes, each seems to be the other."""
SWAP = (
    "from row to row the recording changes and the step stays: if the two columns are swapped, "
    "exchange their names, in the first line or where you gave them; if the rows are sorted by "
    "step, sort them by recording and time"
)

OTHER_TIMES = (
    "; with --time-format, as in '%d/%m/%Y %H:%M', a table is read as an event log, which may have "
    "others"
)
"""What to do where a table has times of another kind."""


@dataclass(frozen=True)
class Row:
    """One step as a table gives it; texts that are not there are empty."""

    line: int
    recording: str
    step: str
    procedure: str
    start: str = ""
    end: str = ""
    mistake: str = ""
    weight: str = ""


def gather(rows: Iterable[Row], *, marked: bool) -> tuple[list[Recording], list[str]]:
    """Return the recordings that rows belong to, each with its rows in the order of the file.

    Remarks tell where the rows of a recording do not stand together: two recordings may have been
    given the same name, or the columns of recordings and steps are swapped; and where a recording
    goes on as another procedure.

    Parameters
    ----------
    rows
        The rows; those of different recordings may be mixed.
    marked
        Whether the table says which steps were mistakes.

    Raises
    ------
    FormatError
        If a row lacks a value or has a time that cannot be understood; the message gives the
        line.
    """
    by_recording: dict[tuple[str, str], list[Row]] = {}
    resumed: dict[tuple[str, str], int] = {}
    parted: dict[str, Row] = {}
    last: tuple[str, str] | None = None
    last_step, by_step, number = "", 0, 0
    for row in rows:
        for name, value in (
            ("recording", row.recording),
            ("step", row.step),
            ("procedure", row.procedure),
        ):
            if not value:
                raise FormatError(f"line {row.line}: the {name} is missing")
        own = row.procedure, row.recording
        if own != last and own in by_recording:
            resumed.setdefault(own, row.line)
        if last and row.recording == last[1] and row.procedure != last[0]:
            parted.setdefault(row.recording, row)
        by_step += own != last and row.step == last_step
        number += 1
        last, last_step = own, row.step
        by_recording.setdefault(own, []).append(row)
    recordings = [
        Recording(id_, procedure, _events(group), marked, _weight(group))
        for (procedure, id_), group in by_recording.items()
    ]
    swapped = resumed and by_step > SWAPPED * (number - 1)
    remarks = [SWAP] if swapped else list(_on_resumed(resumed))
    return recordings, [*remarks, *_on_parted(parted)]


def _on_resumed(resumed: dict[tuple[str, str], int]) -> Iterator[str]:
    if resumed:
        (_, id_), line = next(iter(resumed.items()))
        one = len(resumed) == 1
        yield (
            f"the rows of {'a recording' if one else f'{len(resumed)} recordings'} do not stand "
            f"together: {id_!r} goes on in line {line} after another; taken as one recording"
            f"{'' if one else ' each'}, rename one of two that share a name"
        )


def _on_parted(parted: dict[str, Row]) -> Iterator[str]:
    if parted:
        id_, row = next(iter(parted.items()))
        one = len(parted) == 1
        yield (
            f"{'a recording goes' if one else f'{len(parted)} recordings go'} on as another "
            f"procedure: {id_!r} as {row.procedure!r} in line {row.line}; each procedure keeps its "
            "own part, rename the column if it does not name the procedure"
        )


def _weight(rows: list[Row]) -> float:
    """Return how many recordings one stands for; every row that says so says the same."""
    given = [row for row in rows if row.weight]
    for row in given:
        if row.weight != given[0].weight:
            raise FormatError(
                f"line {row.line}: recording {row.recording!r} has the weights "
                f"{given[0].weight!r} and {row.weight!r}; a recording stands for one number of "
                "equal ones, rename the column if it means something else"
            )
    if not given:
        return 1.0
    return parse_weight(given[0].weight, f"line {given[0].line}: the weight")


def _events(rows: list[Row]) -> tuple[Event, ...]:
    times = _seconds(rows)
    events = []
    for number, row in enumerate(rows):
        mark, done = parse_mark(row.mistake)
        events.append(
            Event(
                row.step, times.get((number, "start")), times.get((number, "end")), mark, done=done
            )
        )
    return tuple(events)


def _seconds(rows: list[Row]) -> dict[tuple[int, str], float]:
    """Return one recording's times; moments become seconds since the recording's first."""
    numbers: dict[tuple[int, str], float] = {}
    moments: dict[tuple[int, str], datetime] = {}
    kinds: dict[str, int] = {}
    for number, row in enumerate(rows):
        for name, text in (("start", row.start), ("end", row.end)):
            if not text:
                continue
            time = parse_time(text, f"line {row.line}: the {name} time", OTHER_TIMES)
            if isinstance(time, datetime):
                moments[number, name] = time
                kind = "timestamps with" if time.utcoffset() is not None else "timestamps without"
                kinds.setdefault(f"{kind} a time zone", row.line)
            else:
                numbers[number, name] = time
                kinds.setdefault("seconds", row.line)
    if len(kinds) > 1:
        mixed = " and ".join(f"{kind} (line {line})" for kind, line in kinds.items())
        raise FormatError(
            f"line {max(kinds.values())}: recording {rows[0].recording!r} mixes {mixed}; "
            "write all its times alike"
        )
    if not moments:
        return numbers
    first = min(moments.values())
    return {place: (moment - first).total_seconds() for place, moment in moments.items()}
