"""CaptainCook4D's recipes: recordings and known graphs, the clean split and all recordings.

`read_recipes` reads the recordings without order errors that the paper learns from;
`read_everything` reads all recordings, mistakes and their tags included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.datasets.directory import data_file
from benchmarks.harness import MissingDataError
from stepgraph.errors import FormatError, InputError
from stepgraph.formats import read_adjacency, read_demonstrations, read_graph
from stepgraph.formats.json_text import read_json
from stepgraph.graph import TaskGraph
from stepgraph.postprocess import to_graph
from stepgraph.sequences import Demonstrations, Vocabulary


@dataclass(frozen=True)
class Recipes:
    """The recipes that a data directory holds.

    Parameters
    ----------
    demonstrations, truths
        Their recordings and their known graphs.
    answers
        A language model's published graphs by recipe, where there are any.
    directory
        The data directory.
    notes
        What was left out.
    """

    demonstrations: tuple[Demonstrations, ...]
    truths: tuple[TaskGraph, ...]
    answers: dict[str, TaskGraph]
    directory: Path
    notes: tuple[str, ...] = ()


def read_recipes(directory: Path) -> Recipes:
    """Read the recipes that have recordings and a known graph.

    Raises
    ------
    MissingDataError
        If the files are not there, or no recipe has both.
    """
    annotations = data_file(directory, "captaincook4d", "task_graph_generation_annotations.json")
    truths_folder = data_file(directory, "captaincook4d", "ground_truth_task_graphs")
    demonstrations, truths, notes = [], [], []
    for name, given in read_demonstrations(annotations, format="annotations").procedures.items():
        path = truths_folder / f"{name}.json"
        if not path.exists():
            notes.append(f"{name} has no known graph and was left out")
            continue
        truth = read_graph(path)
        unknown = [step for step in given.vocabulary.steps if step not in truth.vocabulary]
        if unknown:
            notes.append(f"{name} was left out: {path} does not know its step {unknown[0]!r}")
            continue
        demonstrations.append(given)
        truths.append(truth)
    if not truths:
        reasons = "".join(f"; {note}" for note in notes[:3])
        raise MissingDataError(
            f"{truths_folder}: no known graph of any recipe in {annotations}{reasons}"
        )
    known = {given.procedure: truth for given, truth in zip(demonstrations, truths, strict=True)}
    answers, unusable = published_answers(directory, known)
    return Recipes(tuple(demonstrations), tuple(truths), answers, directory, (*notes, *unusable))


def published_answers(
    directory: Path, known: Mapping[str, TaskGraph]
) -> tuple[dict[str, TaskGraph], list[str]]:
    """Return the graphs that a language model gave for recipes, and notes on unusable ones.

    Parameters
    ----------
    directory
        The data directory.
    known
        The known graphs by what the files of answers call them.
    """
    answers, notes = {}, []
    for name, truth in known.items():
        path = directory / "llm-graphs" / f"graph_{name}.adjlist"
        if not path.exists():
            continue
        try:
            answer = to_graph(read_adjacency(path), procedure=name).graph
        except InputError as error:
            notes.append(f"a language model's answer cannot be used: {error}")
            continue
        unknown = [step for step in answer.steps if step not in truth.vocabulary]
        if unknown:
            notes.append(
                "a language model's answer cannot be used: "
                f"{path}: the known graph has no step {unknown[0]!r}"
            )
            continue
        answers[name] = answer
    return answers, notes


def published_graphs(recipes: Recipes) -> list[TaskGraph]:
    """Return a language model's published answers, one for each recipe.

    Raises
    ------
    MissingDataError
        If there are none, or one is missing.
    """
    if not recipes.answers:
        data_file(recipes.directory, "llm-graphs", "")
    missing = [g.procedure for g in recipes.demonstrations if g.procedure not in recipes.answers]
    if missing:
        raise MissingDataError(
            f"llm-graphs has no answer for {', '.join(missing)}; expected one file for each recipe"
        )
    return [recipes.answers[given.procedure] for given in recipes.demonstrations]


ANNOTATIONS, ERRORS = "complete_step_annotations", "error_annotations"
"""How the files begin: one of steps, and the one of errors that goes with it."""


@dataclass(frozen=True)
class WholeRecipe:
    """All recordings of a recipe that has a known graph.

    Parameters
    ----------
    demonstrations
        Its recordings, under the known graph's names.
    truth
        The known graph.
    file
        The known graph's file, without its ending.
    """

    demonstrations: Demonstrations
    truth: TaskGraph
    file: str


def read_everything(
    directory: Path, *, order: str = "file", tagged: bool = False
) -> tuple[list[WholeRecipe], list[str]]:
    """Read all files of steps, whose recordings may lie in several of them.

    Parameters
    ----------
    directory
        The data directory.
    order
        Which order of steps counts, as for `read_demonstrations`.
    tagged
        Whether to mark steps as the error annotations do, and to leave out the recordings that
        these do not have.

    Returns
    -------
    tuple
        The recipes, and what was left out.

    Raises
    ------
    MissingDataError
        If files are not there, or no recipe has a known graph.
    """
    known = known_graph_files(directory)
    files = annotation_files(directory)
    found: dict[str, WholeRecipe] = {}
    notes: list[str] = []
    for path in files:
        errors = error_file(directory, path) if tagged else None
        read = read_demonstrations(path, format="captaincook4d", order=order, errors=errors)
        listed = None if errors is None else _recordings_in(errors)
        for given in read.procedures.values():
            name, graph_file = given.procedure, known.get(letters(given.procedure))
            if graph_file is None:
                notes.append(f"{name} has no known graph and was left out")
                continue
            truth = read_graph(graph_file)
            try:
                renamed = with_names(given, truth.steps)
            except FormatError as error:
                notes.append(f"{name} of {path.name} was left out: {error}")
                continue
            if listed is not None:
                kept = tuple(one for one in renamed if one.id in listed)
                if len(kept) < len(renamed):
                    notes.append(
                        f"{name}: {len(renamed) - len(kept)} of {len(renamed)} recordings have no "
                        "error annotations and were left out"
                    )
                if not kept:
                    continue
                renamed = replace(renamed, sequences=kept)
            if letters(name) in found:
                renamed = joined(found[letters(name)].demonstrations, renamed)
            found[letters(name)] = WholeRecipe(renamed, truth, graph_file.stem)
    if not found:
        reasons = "".join(f"; {note}" for note in notes[:3])
        names = ", ".join(path.name for path in files)
        raise MissingDataError(
            f"{files[0].parent}: no recording of {names} can be used: expected recipes with a "
            f"known graph{reasons}"
        )
    return list(found.values()), notes


def joined(first: Demonstrations, second: Demonstrations) -> Demonstrations:
    """Return the recordings of both, those of the same id once."""
    words = Vocabulary(tuple(dict.fromkeys((*first.vocabulary.steps, *second.vocabulary.steps))))
    node = [0, *(words.node(step) for step in second.vocabulary.steps)]
    known = {recording.id for recording in first}
    more = tuple(
        replace(
            recording,
            steps=tuple(node[step] for step in recording.steps),
            skipped=tuple(node[step] for step in recording.skipped),
        )
        for recording in second
        if recording.id not in known
    )
    return Demonstrations(words, (*first.sequences, *more), first.procedure)


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


def tagged_steps(directory: Path, tag: str) -> dict[str, frozenset[str]]:
    """Return by recording the letters of the steps that its error annotation gives a tag.

    A step is known by its description, as annotators write that and an id may be a slip; where
    the recipe has no step called so, by its id.

    Parameters
    ----------
    directory
        A data directory whose files a reader has checked.
    tag
        What an annotator calls the error.
    """
    found: dict[str, frozenset[str]] = {}
    for path in annotation_files(directory):
        recordings = read_json(path)
        called: dict[tuple[str, str], Counter[str]] = {}
        for recording in recordings.values():
            for step in recording["steps"]:
                key = recording["activity_name"], str(step["step_id"])
                called.setdefault(key, Counter())[step["description"]] += 1
        names = {key: letters(most.most_common(1)[0][0]) for key, most in called.items()}
        steps = {(activity, name) for (activity, _), name in names.items()}
        for errors in read_json(error_file(directory, path)):
            own = recordings.get(errors["recording_id"])
            if own is not None and errors["recording_id"] not in found:
                found[errors["recording_id"]] = frozenset(
                    letters(step["description"])
                    if (own["activity_name"], letters(step["description"])) in steps
                    else names.get((own["activity_name"], str(step["step_id"])), "")
                    for step in errors["step_annotations"]
                    if any(error["tag"] == tag for error in step.get("errors") or ())
                )
    return found


def _recordings_in(errors: Path) -> set[str]:
    return {str(recording["recording_id"]) for recording in read_json(errors)}


def with_names(given: Demonstrations, names: Sequence[str]) -> Demonstrations:
    """Return demonstrations under the known graph's names, whose spelling may differ a little.

    Raises
    ------
    FormatError
        If the graph lacks one of the steps, or two have the same letters.
    """
    spelling = {letters(name): name for name in names}
    found: dict[str, str] = {}
    for step in given.vocabulary.steps:
        name = spelling.get(letters(step))
        if name is None:
            raise FormatError(f"its known graph lacks the step {step!r}")
        if name in found:
            raise FormatError(f"the steps {found[name]!r} and {step!r} have the same letters")
        found[name] = step
    return Demonstrations(Vocabulary(tuple(found)), given.sequences, given.procedure)


def unmarked(given: Demonstrations) -> Demonstrations:
    """Return the recordings without any marks."""
    bare = (replace(recording, mistakes=None, skipped=()) for recording in given)
    return replace(given, sequences=tuple(bare))
