"""The splits of online mistake detection: what is learned from, and what is watched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.data import data_directory, data_file
from benchmarks.datasets.assembly101 import read_assembly101_o
from benchmarks.datasets.epic_tent import read_epic_tent_o
from benchmarks.datasets.recognition import RECOGNISERS, read_recognition, recognition_file
from stepgraph.errors import MissingDataError
from stepgraph.repetitions import first_occurrences, last_occurrences
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary

SPLITS: Mapping[str, tuple[str, str]] = {
    "assembly101-o": ("Assembly101-O", "assembly101"),
    "epic-tent-o": ("EPIC-Tent-O", "epic-tent"),
}
"""The data sets by the names that users type: their own name and their folder."""

Recordings = tuple[tuple[str, ...], ...]
"""Step names, one tuple a recording; the last step of each is the mistake."""


@dataclass(frozen=True)
class MistakeSplit:
    """One data set.

    Parameters
    ----------
    name
        What users type.
    title
        Its own name.
    train
        Recordings without mistakes, their vocabulary all steps of the data set.
    watched
        The test recordings by segments: 'true' and each recogniser that has a file.
    notes
        What was repaired or is missing.
    """

    name: str
    title: str
    train: Demonstrations
    watched: Mapping[str, Recordings]
    notes: tuple[str, ...] = ()


def read_split(name: str, data: str | Path | None) -> MistakeSplit:
    """Read a data set and what recognisers saw of its test half.

    Parameters
    ----------
    name
        One of `SPLITS`.
    data
        The data directory, as for every benchmark.

    Raises
    ------
    MissingDataError
        If the annotations are not there; a missing recogniser's file is only noted.
    """
    title, folder = SPLITS[name]
    directory = data_directory(data, needs=(folder,))
    notes: list[str] = []
    train: Demonstrations
    test: Demonstrations
    if name == "assembly101-o":
        data_file(directory, folder, "annotations")
        assembly = read_assembly101_o(directory / folder)
        train, test = assembly.train, assembly.test
    else:
        data_file(directory, folder, "Synchronised_action_label.txt")
        tent = read_epic_tent_o(directory / folder)
        train, test = tent.train, tent.test
        notes.append(
            f"{len(tent.notes) - 1} lines of the raw labels have known defects and were repaired "
            "or left out, as the benchmark's authors do; docs/data.md lists them"
        )
    watched: dict[str, Recordings] = {"true": tuple(test.names(s) for s in test)}
    for recogniser in RECOGNISERS:
        try:
            path = data_file(directory, "recognition", recognition_file(name, recogniser))
        except MissingDataError as error:
            notes.append(f"{recogniser} was left out: {error}")
            continue
        seen = read_recognition(path, train.vocabulary)
        wanted = {recording.id for recording in test}
        own = [recording for recording in seen if recording.id in wanted]
        if not own:
            notes.append(f"{recogniser} was left out: {path} has no recording of the test half")
            continue
        watched[recogniser] = tuple(seen.names(recording.recognised) for recording in own)
        if len(own) < len(test):
            notes.append(f"{recogniser}'s file has {len(own)} of the {len(test)} recordings")
        if len(own) < len(seen):
            notes.append(
                f"{recogniser}'s file has {len(seen) - len(own)} recordings that are not of the "
                "test half; left out"
            )
    return MistakeSplit(name, title, train, watched, tuple(notes))


def seen_only(demonstrations: Demonstrations) -> Demonstrations:
    """Return the recordings with a vocabulary of the steps that they show, as the paper does."""
    words = demonstrations.vocabulary
    return Demonstrations.from_steps(
        {recording.id: demonstrations.names(recording) for recording in demonstrations},
        procedure=demonstrations.procedure,
        vocabulary=Vocabulary(tuple(words.name(node) for node in sorted(demonstrations.seen))),
    )


def thrice(demonstrations: Demonstrations) -> Demonstrations:
    """Return each recording three times: first occurrences, last ones, and all of it.

    Learned with repetitions 'random', the third one gives a random occurrence anew each epoch:
    the augmentation of the paper's released code.
    """
    sequences = []
    for recording in demonstrations:
        steps = recording.steps
        sequences += [
            KeyStepSequence(f"{recording.id}/first", first_occurrences(steps)),
            KeyStepSequence(f"{recording.id}/last", last_occurrences(steps)),
            KeyStepSequence(f"{recording.id}/any", steps),
        ]
    return replace(demonstrations, sequences=tuple(sequences))
