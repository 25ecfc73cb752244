"""Which column of a log holds what: as the user says, or guessed; always reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stepgraph.formats.rows import COLUMN_NAMES, find_columns

LOG_COLUMN_NAMES: Mapping[str, tuple[str, ...]] = {
    "recording": (*COLUMN_NAMES["recording"], "case:id", "order_id", "ticket", "ticket_id"),
    "step": (*COLUMN_NAMES["step"], "status"),
    "time": (
        "time:timestamp", "timestamp", "time", "event_time", "datetime", "date_time", "date",
        *(name for name in COLUMN_NAMES["start"] if "time" not in name or "start" in name),
        "end_timestamp", "complete_timestamp", "completed", "end_time", "end",
    ),
    "procedure": (*COLUMN_NAMES["procedure"], "process_id", "case:procedure", "case:process"),
    "lifecycle": ("lifecycle:transition", "lifecycle", "transition", "lifecycle_transition"),
}  # fmt: skip
"""For each thing a log holds, the usual names of its column, likeliest first.

What a table holds as well is called alike, so that both ways to read a file take it for the same.
"""


@dataclass(frozen=True)
class Mapped:
    """Which columns a log's recording, step, time, procedure and lifecycle are in.

    Parameters
    ----------
    by_role
        The columns that were named or guessed; recording and step are always among them.
    guessed
        Which of them were guessed.
    unused
        The other columns.
    """

    by_role: Mapping[str, str]
    guessed: tuple[str, ...]
    unused: tuple[str, ...]

    def __getitem__(self, role: str) -> str:
        return self.by_role[role]

    def __contains__(self, role: object) -> bool:
        return role in self.by_role

    def notes(self) -> list[str]:
        """Return the mapping in words."""
        parts = [
            f"{role} = {column!r}{' (guessed)' if role in self.guessed else ''}"
            for role, column in self.by_role.items()
        ]
        notes = [f"columns: {', '.join(parts)}"]
        if self.unused:
            notes.append(f"columns not used: {', '.join(map(repr, self.unused))}")
        marks = [name for name in self.unused if name.casefold() in COLUMN_NAMES["mistake"]]
        if marks:
            notes.append(
                f"marks of mistakes in {', '.join(map(repr, marks))} are not looked at: every row "
                "of a log is a step that was done; a CSV file that is not read as a log keeps them"
            )
        return notes


def map_columns(present: tuple[str, ...], given: Mapping[str, str], where: str) -> Mapped:
    """Return which column holds what.

    Parameters
    ----------
    present
        The columns that there are.
    given
        The columns that the user named, by what they hold.
    where
        The log, for messages.

    Raises
    ------
    UnknownNameError
        If a column was named that is not there.
    FormatError
        If the recording or the step cannot be guessed.
    """
    found, _ = find_columns(
        list(present), given, where, names=LOG_COLUMN_NAMES, option="--{role}-column NAME"
    )
    ordered = {role: found[role] for role in LOG_COLUMN_NAMES if role in found}
    return Mapped(
        ordered,
        tuple(role for role in ordered if role not in given),
        tuple(column for column in present if column not in found.values()),
    )
