"""Rows of a table, one a step: finds columns by name, gathers rows into recordings."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from stepgraph.errors import FormatError, SettingError, UnknownNameError
from stepgraph.formats.json_text import shown
from stepgraph.formats.reading import UNUSED, Event, Recording
from stepgraph.formats.times import OTHER_TIMES, Time, TimeKind, parse_time, seconds_of_recording

_RIGHT = frozenset({"", "0", "0.0", "false", "f", "no", "n", "none", "n/a", "na", "-"}) | frozenset(
    {"correct", "right", "ok", "okay", "good", "fine"}
)
_WRONG = frozenset({"1", "1.0", "true", "t", "yes", "y"})
_LEFT_OUT = frozenset({"skipped", "missing", "omitted", "missing step", "not done"})

SWAPPED = 0.5
"""Share of rows that keep the step and change the recording, above which both seem swapped."""
SWAP = (
    "from row to row the recording changes and the step stays: if the two columns are swapped, "
    "exchange their names, in the first line or where you gave them; if the rows are sorted by "
    "step, sort them by recording and time"
)


@dataclass(frozen=True)
class Row:
    """One row of a table; missing texts are empty."""

    line: int
    recording: str
    step: str
    procedure: str
    start: str = ""
    end: str = ""
    mistake: str = ""
    weight: str = ""
    lifecycle: str = ""


def gather(rows: Iterable[Row], *, marked: bool) -> tuple[list[Recording], list[str]]:
    """Return the recordings that rows belong to, each with its rows in the order of the file.

    Notes report recordings whose rows do not stand together: two recordings may share a name, or
    the columns of recordings and steps may be swapped. They also report a recording that goes on as
    another procedure.

    Parameters
    ----------
    rows
        The rows; those of different recordings may be mixed.
    marked
        Whether the table marks mistakes.

    Raises
    ------
    FormatError
        If a row lacks a value or has an invalid time; the message gives the line.
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
    weights = {own: _weight(group) for own, group in by_recording.items()}
    by_recording, on_lifecycle = _with_lifecycle(by_recording)
    recordings = [
        Recording(id_, procedure, _events(group), marked, weights[procedure, id_])
        for (procedure, id_), group in by_recording.items()
    ]
    swapped = resumed and by_step > SWAPPED * (number - 1)
    remarks = [SWAP] if swapped else list(_on_resumed(resumed))
    return recordings, [*remarks, *_on_parted(parted), *on_lifecycle]


_Rows = dict[tuple[str, str], list[Row]]
"""Rows by the procedure and the recording that they belong to."""


def _with_lifecycle(by_recording: _Rows) -> tuple[_Rows, list[str]]:
    """Keep the rows of starts and completions of steps, with notes on the others.

    If all rows have the same lifecycle, each row is a step, and the lifecycle does not matter.
    """
    rows = [row for group in by_recording.values() for row in group]
    kinds = Counter(lifecycle_of(row.lifecycle) for row in rows)
    if set(kinds) <= {"complete"} or set(kinds) <= {"start"}:
        return {
            own: [replace(row, lifecycle="") for row in group]
            for own, group in by_recording.items()
        }, []
    kept = {
        own: [
            replace(row, lifecycle=kind)
            for row in group
            if (kind := lifecycle_of(row.lifecycle)) in ("start", "complete")
        ]
        for own, group in by_recording.items()
    }
    present = sorted((group[0].line, own) for own, group in kept.items() if group)
    return {own: kept[own] for _, own in present}, lifecycle_notes(kinds)


def lifecycle_of(text: str) -> str:
    """Return the lifecycle of a row; by default its step completes."""
    return text.strip().lower() or "complete"


def lifecycle_notes(kinds: Mapping[str, int]) -> list[str]:
    """Return notes on rows that are joined or left out, from their number by lifecycle."""
    notes = ["lifecycle: the start and the completion of a step are one"]
    others = [
        f"{number} {kind!r}"
        for kind, number in sorted(kinds.items())
        if kind not in ("start", "complete")
    ]
    return notes + ([f"lifecycle: left out were {', '.join(others)}"] if others else [])


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


def two_weights(recording: str, one: str, other: str) -> FormatError:
    """Return the error for a recording with more than one weight."""
    return FormatError(
        f"recording {recording!r} has the weights {one!r} and {other!r}; a recording stands for "
        "one number of equal ones, rename the column if it means something else"
    )


def _weight(rows: list[Row]) -> float:
    """Return the weight of a recording; all its rows must agree."""
    given = [row for row in rows if row.weight]
    for row in given:
        if row.weight != given[0].weight:
            error = two_weights(row.recording, given[0].weight, row.weight)
            raise FormatError(f"line {row.line}: {error}")
    if not given:
        return 1.0
    return parse_weight(given[0].weight, f"line {given[0].line}: the weight")


def _events(rows: list[Row]) -> tuple[Event, ...]:
    times = seconds_of_recording(_times(rows))
    events = []
    for number, row in enumerate(rows):
        mark, done = parse_mark(row.mistake)
        start, end = times.get((number, "start")), times.get((number, "end"))
        events.append(Event(row.step, start, end, mark, done=done))
    if any(row.lifecycle for row in rows):
        return tuple(_paired(events, [row.lifecycle for row in rows]))
    return tuple(events)


def _times(rows: list[Row]) -> dict[tuple[int, str], Time]:
    """Return one recording's times by row and column, all of one kind."""
    times: dict[tuple[int, str], Time] = {}
    kinds: dict[TimeKind, int] = {}
    for number, row in enumerate(rows):
        for name, text in (("start", row.start), ("end", row.end)):
            if text:
                time = parse_time(text, f"line {row.line}: the {name} time", OTHER_TIMES)
                times[number, name] = time
                kinds.setdefault(time.kind, row.line)
    if len(kinds) > 1:
        mixed = " and ".join(f"{kind} (line {line})" for kind, line in kinds.items())
        raise FormatError(
            f"line {max(kinds.values())}: recording {rows[0].recording!r} mixes {mixed}; "
            "write all its times alike"
        )
    return times


def _paired(events: list[Event], lifecycles: list[str]) -> list[Event]:
    """Join the start and the completion of a step into one event.

    The first start of a step belongs to its first completion by time, and so on.
    """
    found: dict[tuple[str, int], list[int]] = {}
    counted: Counter[tuple[str, str]] = Counter()
    for place in sorted(range(len(events)), key=lambda place: _when(events[place])):
        own = events[place].step, lifecycles[place]
        found.setdefault((own[0], counted[own]), []).append(place)
        counted[own] += 1
    pairs = sorted(sorted(places) for places in found.values())
    return [_joined([events[place] for place in places]) for places in pairs]


def _when(event: Event) -> float:
    return event.start if event.start is not None else math.inf


def _joined(rows: list[Event]) -> Event:
    starts = [row.start for row in rows if row.start is not None]
    ends = [time for row in rows if (time := row.start if row.end is None else row.end) is not None]
    marks = [row.mark for row in rows if row.mark is not None]
    return Event(
        rows[0].step,
        min(starts) if len(starts) == len(rows) else None,
        max(ends) if len(ends) == len(rows) else None,
        marks[0] if marks else None,
        done=all(row.done for row in rows),
    )


COLUMN_NAMES: Mapping[str, tuple[str, ...]] = {
    "recording": (
        "recording", "recording_id", "recording_name", "video", "video_id", "video_name",
        "case:concept:name", "case", "case_id", "caseid", "session", "session_id", "trace",
        "trace_id", "demonstration", "demonstration_id", "demo", "demo_id", "sequence_id",
        "take", "take_id", "case:id", "order_id", "ticket", "ticket_id",
    ),
    "step": (
        "step", "step_name", "key_step", "keystep", "key_step_name", "action", "action_name",
        "concept:name", "activity", "label", "event", "event_name", "description",
        "step_description", "step_id", "task", "task_name", "operation", "status",
    ),
    "start": (
        "start", "start_time", "start_s", "start_sec", "start_seconds", "start_timestamp",
        "starttime", "begin", "begin_time", "onset", "timestamp", "time:timestamp", "time",
        "event_time", "datetime", "date_time",
    ),
    "end": (
        "end", "end_time", "end_s", "end_sec", "end_seconds", "end_timestamp", "endtime",
        "stop", "stop_time", "finish", "offset", "complete_timestamp",
    ),
    "mistake": (
        "mistake", "mistakes", "is_mistake", "has_mistake", "error", "errors", "is_error",
        "has_error", "has_errors", "mark",
    ),
    "procedure": (
        "procedure", "procedure_name", "recipe", "recipe_name", "scenario", "process",
        "process_name", "task", "task_name", "process_id", "case:procedure", "case:process",
    ),
    "weight": ("weight", "recording_weight", "case_weight", "variant_weight"),
    "lifecycle": (
        "lifecycle:transition", "lifecycle", "transition", "lifecycle_transition",
    ),
}  # fmt: skip
"""For each role, the usual names of its column, likeliest first.

A task is the procedure if another column is the step; otherwise it is the step.
"""


def find_columns(
    present: Sequence[str],
    given: Mapping[str, str],
    where: str,
    required: Iterable[str] = ("recording", "step"),
    *,
    names: Mapping[str, Sequence[str]] = COLUMN_NAMES,
) -> tuple[dict[str, str], list[str]]:
    """Return the column of each role, and notes on the guesses.

    Parameters
    ----------
    present
        The columns of the table.
    given
        The columns that the user named.
    where
        The file, for messages.
    required
        The required roles.
    names
        The usual names of each column, likeliest first.

    Raises
    ------
    UnknownNameError
        If the caller names a missing column.
    FormatError
        If there is no guess for a required column, or a used column comes twice.
    """
    found: dict[str, str] = {}
    for role, column in given.items():
        if role not in names:
            raise UnknownNameError("kind of column", role, names, where)
        if column not in present:
            raise UnknownNameError("column", column, present, where)
        if column in found.values():
            raise SettingError(
                f"{where}: the column {column!r} is named twice; name one column for each thing"
            )
        found[role] = column
    by_name: dict[str, list[str]] = {}
    for column in present:
        by_name.setdefault(_normal(column), []).append(column)
    guesses = []
    for role, usual in names.items():
        if role in found:
            continue
        candidates = [
            column
            for name in usual
            for column in by_name.get(name, ())
            if column not in found.values()
        ]
        if candidates:
            found[role] = candidates[0]
            if _normal(candidates[0]) != role or len(set(candidates)) > 1:
                guesses.append(f"{role} = {candidates[0]!r}")
    missing = [role for role in required if role not in found]
    if missing:
        columns = ", ".join(map(repr, present)) or "none"
        known = ", ".join(f"{other} = {column!r}" for other, column in found.items())
        named = f"columns={{{', '.join(f'{role!r}: NAME' for role in missing)}}}"
        raise FormatError(
            f"no column looks like the {' or the '.join(missing)}; the columns are {columns}"
            f"{f' ({known})' if known else ''}; name {'it' if len(missing) == 1 else 'them'} with "
            f"{named} (the first line must hold the columns' names, each other line one step)"
        )
    for column in found.values():
        if present.count(column) > 1:
            raise FormatError(f"two columns are called {column!r}; rename one of them")
    unused = [repr(column) for column in present if column and column not in found.values()]
    remarks = [f"columns guessed: {', '.join(guesses)}"] if guesses else []
    return found, remarks + ([f"{UNUSED}{', '.join(unused)}"] if unused else [])


def _normal(column: str) -> str:
    return re.sub(r"[\s_-]+", "_", column.strip().casefold())


def parse_weight(text: str, about: str) -> float:
    """Return the weight of a recording."""
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not math.isfinite(weight) or weight <= 0:
        raise FormatError(f"{about} is {shown(text)}; expected a finite number above 0")
    return weight


def parse_mark(text: str) -> tuple[str | None, bool]:
    """Return the mistake that a text marks, and whether the step was done.

    Examples
    --------
    >>> parse_mark("no"), parse_mark("1"), parse_mark("spilled"), parse_mark("Skipped")
    ((None, True), ('mistake', True), ('spilled', True), (None, False))
    """
    text = text.strip()
    folded = text.casefold()
    if folded in _RIGHT:
        return None, True
    if folded in _WRONG:
        return "mistake", True
    if re.sub(r"[\s_-]+", " ", folded) in _LEFT_OUT:
        return None, False
    return text, True
