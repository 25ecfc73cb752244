"""The recipes of CaptainCook4D that several benchmarks learn: recordings and known graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import data_file
from stepgraph.errors import InputError, MissingDataError
from stepgraph.formats import read_adjacency, read_demonstrations, read_graph
from stepgraph.graph import TaskGraph
from stepgraph.postprocess import to_graph
from stepgraph.sequences import Demonstrations


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
