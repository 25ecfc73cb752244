"""Which column of a table holds what: as the user says, or guessed from its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from stepgraph.errors import FormatError, SettingError, UnknownNameError

COLUMN_NAMES: Mapping[str, tuple[str, ...]] = {
    "recording": (
        "recording", "recording_id", "recording_name", "video", "video_id", "video_name",
        "case:concept:name", "case", "case_id", "caseid", "session", "session_id", "trace",
        "trace_id", "demonstration", "demonstration_id", "demo", "demo_id", "sequence_id",
        "take", "take_id",
    ),
    "step": (
        "step", "step_name", "key_step", "keystep", "key_step_name", "action", "action_name",
        "concept:name", "activity", "label", "event", "event_name", "description",
        "step_description", "step_id", "task", "task_name", "operation",
    ),
    "start": (
        "start", "start_time", "start_s", "start_sec", "start_seconds", "start_timestamp",
        "starttime", "begin", "begin_time", "onset", "timestamp", "time:timestamp", "time",
    ),
    "end": (
        "end", "end_time", "end_s", "end_sec", "end_seconds", "end_timestamp", "endtime",
        "stop", "stop_time", "finish", "offset",
    ),
    "mistake": (
        "mistake", "mistakes", "is_mistake", "has_mistake", "error", "errors", "is_error",
        "has_error", "has_errors", "mark",
    ),
    "procedure": (
        "procedure", "procedure_name", "recipe", "recipe_name", "scenario", "process",
        "process_name", "task", "task_name",
    ),
    "weight": ("weight", "recording_weight", "case_weight", "variant_weight"),
}  # fmt: skip
"""For each thing a table holds, the usual names of its column, likeliest first.

A task is the procedure where another column is the step, and the step where none is.
"""

UNUSED = "columns not used: "
"""How the remark on them begins."""


def find_columns(
    present: Sequence[str],
    given: Mapping[str, str],
    where: str,
    required: Iterable[str] = ("recording", "step"),
    *,
    names: Mapping[str, Sequence[str]] = COLUMN_NAMES,
    option: str = "--column {role}=NAME",
) -> tuple[dict[str, str], list[str]]:
    """Return the column for each thing a table holds, and remarks on the guesses.

    Parameters
    ----------
    present
        The columns that there are.
    given
        The columns that the user named.
    where
        The file, for messages.
    required
        What the table must hold.
    names
        The usual names of each column, likeliest first.
    option
        How to name a column, for messages.

    Raises
    ------
    UnknownNameError
        If a column was named that is not there.
    FormatError
        If a required column cannot be guessed, or a column that counts comes twice.
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
        named = " ".join(option.format(role=role) for role in missing)
        in_python = f", in Python columns={{{', '.join(f'{role!r}: NAME' for role in missing)}}}"
        raise FormatError(
            f"no column looks like the {' or the '.join(missing)}; the columns are {columns}"
            f"{f' ({known})' if known else ''}; name {'it' if len(missing) == 1 else 'them'} with "
            f"{named}{in_python} (the first line must hold the columns' names, each other line one "
            "step)"
        )
    for column in found.values():
        if present.count(column) > 1:
            raise FormatError(f"two columns are called {column!r}; rename one of them")
    unused = [repr(column) for column in present if column and column not in found.values()]
    remarks = [f"columns guessed: {', '.join(guesses)}"] if guesses else []
    return found, remarks + ([f"{UNUSED}{', '.join(unused)}"] if unused else [])


def _normal(column: str) -> str:
    return re.sub(r"[\s_-]+", "_", column.strip().casefold())
