"""How many choices, undoings and steps that go together are learned with the defaults, anywhere.

Recipes, random procedures and those that ship have none, so that whatever is found there is made
up. Processes, event logs and assemblies have some; nobody has counted them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.datasets.captaincook4d import read_recipes, unmarked
from benchmarks.datasets.contest import LOGS, read_cases, read_contest
from benchmarks.datasets.directory import data_directory
from benchmarks.datasets.petri_nets import read_processes
from benchmarks.datasets.rework import ASSEMBLIES
from benchmarks.generators import Noise, draw_demonstrations
from benchmarks.generators.problems import draw_procedures
from benchmarks.graphs.captaincook4d import read_unfiltered
from benchmarks.graphs.rules import RulePairs
from benchmarks.harness import (
    BenchmarkResult,
    Column,
    Request,
    choose_rows,
    compute_rows,
    learn_with_defaults,
)
from benchmarks.mistakes.powl import training_of
from stepgraph.graph import TaskGraph
from stepgraph.procedures import load_procedure, procedure_names
from stepgraph.sequences import Demonstrations

RECORDINGS = 16
"""Number of recordings of a random procedure."""
ERRORS = 0.1
"""The rate of errors in the recordings of random procedures that have some."""
Read = Callable[[Request], Sequence[Demonstrations]]
NONE, SOME = "none", "some"
"""Whether there are rules to find."""


@dataclass(frozen=True)
class Source:
    """Where recordings come from.

    Parameters
    ----------
    about
        What they are.
    rules
        Whether the procedures have rules.
    read
        Returns the recordings of each procedure, given the data directory or how many procedures
        to draw.
    """

    about: str
    rules: str
    read: Read


def _random(noise: Noise | None) -> Read:
    return lambda request: [
        draw_demonstrations(graph, RECORDINGS, seed, noise=noise)
        for seed, graph in enumerate(draw_procedures(request.seeds))
    ]


def _log(name: str) -> Read:
    return lambda request: [_of_steps(read_cases(data_directory(request.data), name))]


def _assemblies(name: str) -> Read:
    return lambda request: [
        _of_steps([session.steps for session in own.sessions])
        for own in ASSEMBLIES[name](data_directory(request.data))
    ]


def _of_steps(cases: Sequence[Sequence[str]]) -> Demonstrations:
    return Demonstrations.from_steps([list(case) for case in cases])


SOURCES: Mapping[str, Source] = {
    "captaincook4d": Source(
        "recipes, recordings without order errors",
        NONE,
        lambda request: read_recipes(data_directory(request.data)).demonstrations,
    ),
    "captaincook4d-unfiltered": Source(
        "recipes, all recordings",
        NONE,
        lambda request: read_unfiltered(data_directory(request.data)).demonstrations,
    ),
    "synthetic": Source("random procedures without errors", NONE, _random(None)),
    "synthetic-errors": Source(
        f"random procedures, errors at {ERRORS:.0%} of the steps",
        NONE,
        _random(Noise.mixed(ERRORS)),
    ),
    "shipped": Source(
        "the procedures that ship",
        NONE,
        lambda _: [load_procedure(name).demonstrations for name in procedure_names()],
    ),
    "contest": Source(
        "processes of the Process Discovery Contest",
        SOME,
        lambda request: [
            process.training for process in read_contest(data_directory(request.data))
        ],
    ),
    "powl": Source(
        "processes with choices and loops",
        SOME,
        lambda request: [
            training_of(process) for process in read_processes(data_directory(request.data))
        ],
    ),
    **{name: Source(f"event log {name}", SOME, _log(name)) for name in LOGS},
    **{
        name: Source(f"{about}, parts taken off again", SOME, _assemblies(name))
        for name, about in {
            "meccano-psr": "MECCANO-PSR",
            "assembly101": "Assembly101 as one procedure",
            "assembly101-toys": "kinds of toys of Assembly101",
        }.items()
    },
}


def run(request: Request) -> BenchmarkResult:
    """Learn every procedure of every source, and count the rules.

    The methods are the sources; the seeds say how many random procedures there are of each size.
    """
    chosen = choose_rows(request.methods, SOURCES, kind="source")
    rows, left_out = compute_rows(chosen, lambda name: _row(name, request), request)
    return BenchmarkResult("rules-found", TITLE, rows, COLUMNS, [*left_out, *NOTES])


def _row(name: str, request: Request) -> dict[str, Any]:
    source = SOURCES[name]
    given = [unmarked(own) for own in source.read(request)]
    single = [_counts(own, learn_with_defaults(own)) for own in given]
    row: dict[str, Any] = {
        "method": name,
        "about": source.about,
        "rules": source.rules,
        "procedure_count": len(single),
        "recordings": round(sum(own.total_weight for own in given)),
    }
    row |= {key: sum(own[key] for own in single) for key in COUNTED}
    row["with_rules"] = sum(
        any(own[key] for key in ("choices", "undoings", "goes_with")) for own in single
    )
    return row | {"procedures": single}


COUNTED = ("steps", "choices", "undoings", "goes_with", "optional", "repeatable")


def _counts(given: Demonstrations, graph: TaskGraph) -> dict[str, Any]:
    """Return how many rules and attributes a graph has; undoing and going together as pairs."""
    pairs = RulePairs.of_graph(graph)
    return {
        "procedure": given.procedure,
        "steps": len(graph.steps),
        "choices": len(graph.choices),
        "undoings": len(pairs.undoings),
        "goes_with": len(pairs.goes_with),
        "optional": len(graph.optional_steps),
        "repeatable": sum(own.repeatable for own in graph.attributes.values()),
    }


TITLE = "Choices, undoings and steps that go together, learned with the defaults"
NOTES = (
    (
        "there: whether the procedures have such rules; where they have none, every one that is "
        "found is made up. Known graphs of recipes have none; that no cook ever has a choice is "
        "more than they say"
    ),
    "undoings, goes with: pairs of steps; with rules: procedures in which any is found",
    (
        f"random procedures: those of the benchmark 'synthetic', {RECORDINGS} recordings each; "
        "marks of mistakes are not looked at anywhere"
    ),
)
COLUMNS = (
    Column("data", lambda row: str(row["method"])),
    Column("there", lambda row: str(row["rules"])),
    Column("procedures", lambda row: str(row["procedure_count"])),
    Column("recordings", lambda row: f"{row['recordings']:,}"),
    Column("steps", lambda row: str(row["steps"])),
    Column("choices", lambda row: str(row["choices"])),
    Column("undoings", lambda row: str(row["undoings"])),
    Column("goes with", lambda row: str(row["goes_with"])),
    Column("with rules", lambda row: str(row["with_rules"])),
    Column("optional", lambda row: str(row["optional"])),
    Column("repeatable", lambda row: str(row["repeatable"])),
)
