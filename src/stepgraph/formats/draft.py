"""What every reader is given, a `Source`, and what it hands on, a `Draft`.

A reader turns its format into `Recording` values, steps by name; `assemble` makes
demonstrations of them and notes what had to be left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from stepgraph.errors import CycleError, FormatError, GraphError, StepgraphError
from stepgraph.formats.json_text import parse_json
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary

Note = tuple[str, str]
"""A procedure, empty where the whole file is meant, and what is to be said about it."""


@dataclass(frozen=True)
class Source:
    """A file that was opened, with the options that came with it.

    Parameters
    ----------
    path
        Where it is.
    text
        Its content.
    columns
        The columns that were named, by what they hold.
    errors
        A second file, with error annotations.
    """

    path: Path
    text: str
    columns: Mapping[str, str]
    errors: Path | None = None

    @cached_property
    def json(self) -> Any:
        """The content as JSON values; parsed once, however many formats look at it."""
        return parse_json(self.text, str(self.path))

    @property
    def name(self) -> str:
        """What to call the procedure where the file does not say."""
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
    """One recording before its steps have numbers; `marked` if it was checked for mistakes.

    `weight` says how many equal recordings it stands for.
    """

    id: str
    procedure: str
    events: tuple[Event, ...]
    marked: bool = False
    weight: float = 1.0


@dataclass(frozen=True)
class Draft:
    """What a reader found, in file order."""

    procedures: Mapping[str, Demonstrations]
    notes: tuple[Note, ...] = ()


def assemble(
    recordings: Iterable[Recording],
    vocabularies: Mapping[str, Vocabulary] | None = None,
    notes: Iterable[Note] = (),
) -> Draft:
    """Make demonstrations of recordings.

    Parameters
    ----------
    recordings
        The recordings of all procedures, mixed as the file has them.
    vocabularies
        The steps by procedure, where known; otherwise they are taken in order of appearance.
    notes
        What the reader has to say; the notes on incomplete times follow.
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
    """Return the error of a recording in which nothing was done."""
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
    """Give steps that share a name different ones.

    Parameters
    ----------
    names
        Step names by step id.

    Returns
    -------
    tuple
        The names by id, each used once, and remarks on those that were changed.

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
    """Put a path in front of every error raised inside, unless it names one of these already."""
    try:
        yield
    except StepgraphError as error:
        if str(error).startswith(tuple(f"{place}: " for place in (path, *others))):
            raise
        if isinstance(error, CycleError):
            raise CycleError(error.cycle, str(path)) from None
        raise located(error, str(path)) from None


def located(error: StepgraphError, where: str) -> StepgraphError:
    """Return the same kind of error with the file it came from in front of its message."""
    if isinstance(error, CycleError):
        return CycleError(error.cycle, where)
    kind = GraphError if isinstance(error, GraphError) else FormatError
    return kind(f"{where}: {error}")
