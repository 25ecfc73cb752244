"""Every recording of CaptainCook4D, mistakes and all, under the names of the known graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tgml.benchmarks.data import data_file
from tgml.sequences import Demonstrations, Vocabulary
from tgml.storage import read_json

ANNOTATIONS, ERRORS = "complete_step_annotations", "error_annotations"
"""How the files begin: one of steps, and the one of errors that goes with it."""


def annotation_files(directory: Path) -> list[Path]:
    """Return the files of steps, in the order of their names.

    Raises
    ------
    MissingDataError
        If there is none.
    """
    folder = directory / "captaincook4d"
    found = sorted(folder.glob(f"{ANNOTATIONS}*.json"))
    return found or [data_file(directory, "captaincook4d", f"{ANNOTATIONS}.json")]


def error_file(directory: Path, steps: Path) -> Path:
    """Return the file of errors that goes with one of steps.

    Raises
    ------
    MissingDataError
        If it is not there.
    """
    return data_file(directory, "captaincook4d", steps.name.replace(ANNOTATIONS, ERRORS))


def known_graph_files(directory: Path) -> dict[str, Path]:
    """Return the files of the known graphs by the letters of their recipe.

    Raises
    ------
    MissingDataError
        If their folder is not there.
    """
    folder = data_file(directory, "captaincook4d", "ground_truth_task_graphs")
    return {letters(path.stem): path for path in folder.glob("*.json")}


def letters(name: str) -> str:
    """Return a name without spaces, signs and capitals: the known graphs' files are named so."""
    return "".join(char for char in name.casefold() if char.isalnum())


def tagged_steps(errors: Path, tag: str) -> dict[str, frozenset[str]]:
    """Return by recording the letters of the steps that an error annotation gives a tag.

    Parameters
    ----------
    errors
        A file of errors that a reader has checked.
    tag
        What an annotator calls the error.
    """
    return {
        recording["recording_id"]: frozenset(
            letters(step["description"])
            for step in recording["step_annotations"]
            if any(error["tag"] == tag for error in step.get("errors") or ())
        )
        for recording in read_json(errors)
    }


def with_names(given: Demonstrations, names: Sequence[str]) -> Demonstrations | None:
    """Return demonstrations under the known graph's names, whose spelling may differ a little."""
    spelling = {letters(name): name for name in names}
    found = [spelling.get(letters(step)) for step in given.vocabulary.steps]
    if None in found or len(set(found)) < len(found):
        return None
    words = Vocabulary(tuple(name for name in found if name is not None))
    return Demonstrations(words, given.sequences, given.procedure)


def unmarked(given: Demonstrations) -> Demonstrations:
    """Return recordings in which nobody marked anything."""
    bare = (replace(recording, mistakes=None, skipped=()) for recording in given)
    return replace(given, sequences=tuple(bare))
