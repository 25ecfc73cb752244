"""The input and output of every reader, and the last steps for all formats.

A reader takes a `Source` and turns its format into `Recording` values, with steps by name.
`assemble` turns these into a `Draft` of demonstrations and notes what it left out. `finish` chooses
a procedure, checks, sorts and describes, and returns a `Reading`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from stepgraph.errors import (
    CycleError,
    FormatError,
    GraphError,
    InputError,
    StepgraphError,
    UnknownNameError,
)
from stepgraph.formats.json_text import parse_json
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary

Note = tuple[str, str]
"""A procedure, empty for the whole file, and a note on it."""
ORDERS = ("file", "start", "end")
"""The orders of a recording's steps; the first is the default."""
UNUSED = "columns not used: "
"""The beginning of the note on unused columns."""
_T = TypeVar("_T")


@dataclass(frozen=True)
class Source:
    """An opened file with the options of the call.

    Parameters
    ----------
    path
        Its path.
    text
        Its content.
    columns
        The columns that the caller named, by role.
    errors
        A second file, with error annotations.
    """

    path: Path
    text: str
    columns: Mapping[str, str]
    errors: Path | None = None

    @cached_property
    def json(self) -> Any:
        """The content as JSON values, parsed once for all formats."""
        return parse_json(self.text, str(self.path))

    @property
    def name(self) -> str:
        """The name of the procedure if the file has none."""
        return self.path.stem.encode("utf-8", "replace").decode("utf-8")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield line numbers from 1 and lines without surrounding blanks."""
        # Not splitlines: it also splits at characters that JSON allows inside a text.
        text = self.text.replace("\r\n", "\n").replace("\r", "\n")
        for number, line in enumerate(text.split("\n"), start=1):
            yield number, line.strip()


@dataclass(frozen=True)
class Event:
    """One step in one recording, done or left out."""

    step: str
    start: float | None = None
    end: float | None = None
    mark: str | None = None
    done: bool = True


@dataclass(frozen=True)
class Recording:
    """One recording with steps by name; `marked` if an annotator checked it for mistakes.

    `weight` is the number of equal recordings that it represents.
    """

    id: str
    procedure: str
    events: tuple[Event, ...]
    marked: bool = False
    weight: float = 1.0


@dataclass(frozen=True)
class Draft:
    """The result of a reader, in file order."""

    procedures: Mapping[str, Demonstrations]
    notes: tuple[Note, ...] = ()


def assemble(
    recordings: Iterable[Recording],
    vocabularies: Mapping[str, Vocabulary] | None = None,
    notes: Iterable[Note] = (),
) -> Draft:
    """Turn recordings into demonstrations.

    Parameters
    ----------
    recordings
        The recordings of all procedures, in file order.
    vocabularies
        The steps by procedure; by default in order of appearance.
    notes
        The notes of the reader; the notes on incomplete times follow.
    """
    by_procedure: dict[str, list[Recording]] = {}
    for recording in recordings:
        by_procedure.setdefault(recording.procedure, []).append(recording)
    if not by_procedure:
        raise FormatError("no recordings in it, only a head perhaps; expected one at least")
    all_notes = list(notes)
    procedures = {}
    for procedure, group in by_procedure.items():
        vocabulary = (vocabularies or {}).get(procedure) or Vocabulary(
            tuple(dict.fromkeys(event.step for recording in group for event in recording.events))
        )
        sequences = []
        for recording in group:
            sequence, remarks = _sequence(recording, vocabulary)
            sequences.append(sequence)
            all_notes += [(procedure, remark) for remark in remarks]
        procedures[procedure] = Demonstrations(vocabulary, tuple(sequences), procedure)
    return Draft(procedures, tuple(all_notes))


def _sequence(recording: Recording, vocabulary: Vocabulary) -> tuple[KeyStepSequence, list[str]]:
    done = [event for event in recording.events if event.done]
    skipped = dict.fromkeys(event.step for event in recording.events if not event.done)
    if not done:
        raise no_steps(recording.id, skipped=bool(skipped))
    starts, remarks = _complete([event.start for event in done], "start", recording)
    ends, more = _complete([event.end for event in done], "end", recording)
    both = sorted(skipped.keys() & {event.step for event in done})
    if both:
        more.append(
            f"recording {recording.id!r} has {', '.join(map(repr, both))} both done and left "
            "out; kept as both"
        )
    sequence = KeyStepSequence(
        recording.id,
        tuple(vocabulary.node(event.step) for event in done),
        starts=starts,
        ends=ends,
        mistakes=tuple(event.mark for event in done) if recording.marked else None,
        skipped=tuple(vocabulary.node(step) for step in skipped),
        weight=recording.weight,
    )
    return sequence, remarks + more


def no_steps(recording: str, *, skipped: bool) -> FormatError:
    """Return the error for a recording without steps."""
    left_out = " (all are marked as left out)" if skipped else ""
    return FormatError(
        f"recording {recording!r} has no steps{left_out}; "
        "a demonstration shows at least one, remove the recording"
    )


def _complete(
    times: list[float | None], kind: str, recording: Recording
) -> tuple[tuple[float, ...] | None, list[str]]:
    known = tuple(time for time in times if time is not None)
    if len(known) == len(times):
        return known, []
    if not known:
        return None, []
    remark = (
        f"recording {recording.id!r} lacks the {kind} time of {len(times) - len(known)} of its "
        f"{len(times)} steps; its {kind} times are left out"
    )
    return None, [remark]


def distinct_names(names: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Give different names to steps that share one.

    Parameters
    ----------
    names
        Step names by step id.

    Returns
    -------
    tuple
        The names by id, each used once, and notes on the changed ones.

    Examples
    --------
    >>> distinct_names({"3": "stir", "8": "stir", "9": "serve"})[0]
    {'3': 'stir (step 3)', '8': 'stir (step 8)', '9': 'serve'}
    """
    uses = Counter(names.values())
    changed = {id_: f"{name} (step {id_})" for id_, name in names.items() if uses[name] > 1}
    remarks = [
        f"{count} steps are called {name!r}; their ids were added to tell them apart"
        for name, count in uses.items()
        if count > 1
    ]
    return {**names, **changed}, remarks


@contextmanager
def naming(path: str | Path, *others: str | Path) -> Iterator[None]:
    """Put a path in front of every error raised inside, unless the message names it already."""
    try:
        yield
    except StepgraphError as error:
        if str(error).startswith(tuple(f"{place}: " for place in (path, *others))):
            raise
        if isinstance(error, CycleError):
            raise CycleError(error.cycle, str(path)) from None
        raise located(error, str(path)) from None


def located(error: StepgraphError, where: str) -> StepgraphError:
    """Return the same kind of error with the file in front of its message."""
    if isinstance(error, CycleError):
        return CycleError(error.cycle, where)
    kind = GraphError if isinstance(error, GraphError) else FormatError
    return kind(f"{where}: {error}")


@dataclass(frozen=True)
class Reading:
    """The content of a file.

    Parameters
    ----------
    procedures
        The demonstrations by procedure, in file order.
    notes
        Sentences about everything that was merged, dropped or guessed.
    """

    procedures: Mapping[str, Demonstrations]
    notes: tuple[str, ...] = ()

    def only(self, procedure: str | None = None) -> Demonstrations:
        """Return the named procedure, or the only one.

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
        The result of a reader.
    order
        One of `ORDERS`.
    procedure
        The only procedure to keep; by default all.
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
    """Return the error for an unknown procedure; an unused column may name it."""
    error = UnknownNameError("procedure", procedure, draft.procedures, where)
    unused = [text for _, text in draft.notes if text.startswith(UNUSED)]
    if not unused or len(draft.procedures) > 1:
        return error
    return InputError(
        f"{error} ({unused[0]}; columns={{'procedure': NAME}} says which one tells it)"
    )


def _check_values(demonstrations: Demonstrations) -> None:
    # JSON can spell characters and numbers that no file could hold afterwards.
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
    """Return a note on the order of the steps, if any.

    Parameters
    ----------
    moved
        Number of recordings in another order than that of their times.
    recordings
        Number of recordings.
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
    """Return the error for a recording that cannot be sorted.

    Parameters
    ----------
    recording
        Its name.
    kind
        The missing times, ``"start"`` or ``"end"``.
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
