"""Recordings of which it is known where they are wrong, for an audit that is not told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.generators import Demonstrator, Noise, draw_demonstrations
from benchmarks.random_procedures import SIZES, draw_procedure, measured_seeds
from benchmarks.whole_recordings import read_everything, unmarked
from stepgraph.graph import TaskGraph
from stepgraph.sequences import Demonstrations, KeyStepSequence

ORDER_ERROR = "Order Error"
MISSING = "Missing Step"
RECORDINGS = 16
NOISE = Noise(Demonstrator(), Demonstrator.even(0.3), careless_share=0.5)
"""Half of the recordings are right, as in CaptainCook4D, and the rest have several errors each."""


@dataclass(frozen=True)
class Labelled:
    """A procedure whose errors are known.

    Parameters
    ----------
    demonstrations
        All recordings, with nothing marked.
    wrong
        For each recording, for each of its steps, whether it is an error of order.
    clean
        Which recordings have neither an error of order nor a missing step.
    truth
        The known graph.
    """

    demonstrations: Demonstrations
    wrong: tuple[tuple[bool, ...], ...]
    clean: tuple[bool, ...]
    truth: TaskGraph


def read_labelled(directory: Path, order: str) -> tuple[list[Labelled], list[str]]:
    """Read every recording of CaptainCook4D with its tags, the tags kept apart.

    Returns
    -------
    tuple
        The recipes, and what was left out.

    Raises
    ------
    MissingDataError
        If a file is not there.
    """
    found = []
    whole, notes = read_everything(directory, order=order, tagged=True)
    for one in whole:
        given = one.demonstrations
        marks = [recording.mistakes or (None,) * len(recording) for recording in given]
        found.append(
            Labelled(
                unmarked(given),
                tuple(tuple(ORDER_ERROR in (mark or "") for mark in row) for row in marks),
                tuple(
                    not recording.skipped
                    and not any(
                        tag in (mark or "") for tag in (ORDER_ERROR, MISSING) for mark in row
                    )
                    for recording, row in zip(given, marks, strict=True)
                ),
                one.truth,
            )
        )
    return found, notes


def draw_labelled(seeds: int) -> list[Labelled]:
    """Draw random procedures with recordings of which it is known what was moved."""
    found = []
    for size in SIZES:
        for seed in measured_seeds(seeds):
            truth = draw_procedure(size, seed)
            drawn = draw_demonstrations(truth, RECORDINGS, seed, noise=NOISE)
            wrong = tuple(_errors(truth, drawn, recording) for recording in drawn)
            clean = tuple(
                not any(row) and not recording.skipped
                for recording, row in zip(drawn, wrong, strict=True)
            )
            found.append(Labelled(unmarked(drawn), wrong, clean, truth))
    return found


def _errors(
    truth: TaskGraph, drawn: Demonstrations, recording: KeyStepSequence
) -> tuple[bool, ...]:
    """Return which steps were moved and stand on the wrong side of another."""
    broken = {step for pair in broken_pairs(truth, drawn.names(recording)) for step in pair}
    seen: set[str] = set()
    found = []
    for step, mark in zip(drawn.names(recording), recording.mistakes or (), strict=True):
        found.append(step not in seen and mark is not None and step in broken)
        seen.add(step)
    return tuple(found)


def broken_pairs(truth: TaskGraph, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return each step with what it needs, where it is done before that."""
    place: dict[str, int] = {}
    for at, step in enumerate(names):
        place.setdefault(step, at)
    return [
        (step, needed)
        for step in place
        for needed in truth.all_preconditions_of(step)
        if place.get(needed, -1) > place[step]
    ]
