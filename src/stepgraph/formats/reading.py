"""The last steps, the same for all formats: choose a procedure, check, sort, describe."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from stepgraph.errors import FormatError, InputError, UnknownNameError
from stepgraph.formats.draft import Draft
from stepgraph.formats.rows import UNUSED
from stepgraph.sequences import Demonstrations, KeyStepSequence

_T = TypeVar("_T")

ORDERS = ("file", "start", "end")
"""What a recording's steps may be sorted by; the first is the default."""


@dataclass(frozen=True)
class Reading:
    """What a file holds.

    Parameters
    ----------
    procedures
        The demonstrations by procedure, in file order.
    notes
        Everything that was merged, dropped or guessed, in words.
    """

    procedures: Mapping[str, Demonstrations]
    notes: tuple[str, ...] = ()

    def only(self, procedure: str | None = None) -> Demonstrations:
        """Return the procedure named, or the single one if none is named.

        Parameters
        ----------
        procedure
            A procedure's name.

        Raises
        ------
        UnknownNameError
            If there is no such procedure; the message gives the nearest names.
        InputError
            If there are several and none is named.
        """
        if procedure is not None:
            if procedure not in self.procedures:
                raise UnknownNameError("procedure", procedure, self.procedures)
            return self.procedures[procedure]
        if len(self.procedures) != 1:
            raise InputError(
                f"there are {len(self.procedures)} procedures: {_listed(self.procedures)}; "
                "choose one with procedure=NAME"
            )
        return next(iter(self.procedures.values()))


def finish(draft: Draft, *, order: str, procedure: str | None, where: str) -> Reading:
    """Turn a draft into a reading.

    Parameters
    ----------
    draft
        What a reader found.
    order
        One of `ORDERS`.
    procedure
        The only procedure to keep, if one is wanted.
    where
        The file, for messages.
    """
    procedures = dict(draft.procedures)
    if procedure is not None:
        if procedure not in procedures:
            raise _unknown_procedure(draft, procedure, where)
        procedures = {procedure: procedures[procedure]}
    notes = [note for note in draft.notes if not note[0] or note[0] in procedures]
    for name, demonstrations in procedures.items():
        _check_values(demonstrations)
        notes += [(name, remark) for remark in _remarks(demonstrations)]
    order_note = _order_note(procedures, order)
    if order_note:
        notes.append(("", order_note))
    if order != "file":
        procedures = {name: _sorted(found, order) for name, found in procedures.items()}
    several = len(procedures) > 1
    return Reading(
        procedures, tuple(f"{name}: {text}" if several and name else text for name, text in notes)
    )


def _unknown_procedure(draft: Draft, procedure: str, where: str) -> InputError:
    """Return the error of a procedure that a file does not have; a column may name it."""
    error = UnknownNameError("procedure", procedure, draft.procedures, where)
    unused = [text for _, text in draft.notes if text.startswith(UNUSED)]
    if not unused or len(draft.procedures) > 1:
        return error
    return InputError(
        f"{error} ({unused[0]}; columns={{'procedure': NAME}} says which one tells it)"
    )


def _check_values(demonstrations: Demonstrations) -> None:
    # JSON can spell characters and numbers that nothing could be written with afterwards.
    texts = (
        demonstrations.procedure,
        *demonstrations.vocabulary.steps,
        *(sequence.id for sequence in demonstrations),
        *(mark for sequence in demonstrations for mark in sequence.mistakes or () if mark),
    )
    for text in texts:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise FormatError(
                f"the name {text!r} has half of a character (a lone surrogate); rename it"
            ) from None
    for sequence in demonstrations:
        for time in (*(sequence.starts or ()), *(sequence.ends or ())):
            if not math.isfinite(time):
                raise FormatError(
                    f"recording {sequence.id!r} has the time {time}; expected seconds"
                )


def _remarks(demonstrations: Demonstrations) -> Iterator[str]:
    yield from names_alike(demonstrations.vocabulary.steps)
    if demonstrations.unseen_steps:
        yield (
            f"steps never demonstrated: {_listed(demonstrations.unseen_steps)}; "
            "they stay in the vocabulary"
        )


def names_alike(steps: Iterable[str]) -> Iterator[str]:
    """Yield a remark on steps whose names differ in case or blanks only."""
    alike: dict[str, list[str]] = {}
    for name in steps:
        alike.setdefault(" ".join(name.casefold().split()), []).append(name)
    for names in alike.values():
        if len(names) > 1:
            yield (
                f"the steps {_listed(names)} differ only in upper and lower case or blanks; "
                f"kept as {len(names)} steps, write them alike if they are one"
            )


def _order_note(procedures: Mapping[str, Demonstrations], order: str) -> str | None:
    kind = "end" if order == "end" else "start"
    recordings = [sequence for found in procedures.values() for sequence in found]
    moved = sum(_positions(recording, kind) != [*range(len(recording))] for recording in recordings)
    return order_note(moved, len(recordings), order)


def order_note(moved: int, recordings: int, order: str) -> str | None:
    """Return what to note on the order of the steps, if anything.

    Parameters
    ----------
    moved
        How many recordings the file has in another order than that of their times.
    recordings
        How many there are.
    order
        One of `ORDERS`.
    """
    if order != "file":
        return f"sorting by {order} time changes the order of {moved} of {recordings} recordings"
    if moved:
        return (
            f"{moved} of {recordings} recordings {'is' if moved == 1 else 'are'} not in the "
            "order of their start times; the order in the file is kept (order='start' sorts)"
        )
    return None


def lacks_times(recording: str, kind: str) -> FormatError:
    """Return the error of a recording that cannot be sorted.

    Parameters
    ----------
    recording
        Its name.
    kind
        Which times it lacks, ``"start"`` or ``"end"``.
    """
    return FormatError(
        f"recording {recording!r} lacks {kind} times, it cannot be sorted by them; "
        "read the steps in the order of the file (order='file') or add the times"
    )


def _sorted(demonstrations: Demonstrations, kind: str) -> Demonstrations:
    sequences = []
    for recording in demonstrations:
        if (recording.starts if kind == "start" else recording.ends) is None:
            raise lacks_times(recording.id, kind)
        positions = _positions(recording, kind)
        sequences.append(
            replace(
                recording,
                steps=tuple(recording.steps[position] for position in positions),
                starts=_at(recording.starts, positions),
                ends=_at(recording.ends, positions),
                mistakes=_at(recording.mistakes, positions),
            )
        )
    return replace(demonstrations, sequences=tuple(sequences))


def _positions(recording: KeyStepSequence, kind: str) -> list[int]:
    times = recording.starts if kind == "start" else recording.ends
    positions = range(len(recording))
    return list(positions) if times is None else sorted(positions, key=times.__getitem__)


def _at(values: tuple[_T, ...] | None, positions: list[int]) -> tuple[_T, ...] | None:
    return None if values is None else tuple(values[position] for position in positions)


def _listed(names: Mapping[str, object] | list[str] | tuple[str, ...]) -> str:
    return ", ".join(map(repr, names))
