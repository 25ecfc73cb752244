"""Whether learning finds that taking a part off undoes putting it on, and what that spares.

Assemblies are learned whole, to list the undoing that is found, and in folds, to watch recordings
that were held out: is taking a part off, or putting it on again, reported as a mistake?
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import stepgraph
from benchmarks.datasets.contest import Trace
from benchmarks.datasets.directory import data_directory
from benchmarks.datasets.rework import ASSEMBLIES, Assembly
from benchmarks.harness import (
    BenchmarkResult,
    Column,
    Request,
    Row,
    choose_rows,
    compute_rows,
    learn_with_defaults,
    percent,
)
from benchmarks.mistakes.fitting import rate
from stepgraph.graph import TaskGraph, Undoing
from stepgraph.sequences import Demonstrations

KINDS = ("removals", "reinstalls", "others")
"""The kinds of steps that are watched: a part is taken off, put on again, and all others."""
OFTEN = 3
"""Number of removals of a part from which on finding its rule can be expected."""


def _without(graph: TaskGraph, _assembly: Assembly) -> TaskGraph:
    return graph.replace(undoings=())


def _by_name(graph: TaskGraph, assembly: Assembly) -> TaskGraph:
    """Return a graph in which every step that takes off a part undoes the one that puts it on."""
    pairs = _pairs_in(graph, assembly)
    return graph.replace(undoings=[Undoing(step, [other]) for step, other in pairs])


def _both_ways(graph: TaskGraph, assembly: Assembly) -> TaskGraph:
    """Return such a graph in which putting on a part also undoes taking it off."""
    pairs = _pairs_in(graph, assembly)
    both = pairs + [(other, step) for step, other in pairs if step in graph.optional_steps]
    return graph.replace(undoings=[Undoing(step, [other]) for step, other in both])


def _pairs_in(graph: TaskGraph, assembly: Assembly) -> list[tuple[str, str]]:
    found = [(step, assembly.installed_by(step)) for step in graph.steps]
    return [(step, other) for step, other in found if other is not None and other in graph.steps]


@dataclass(frozen=True)
class Variant:
    """A graph that recordings are watched with.

    Parameters
    ----------
    about
        What it is.
    source
        Whether it is of the package or a control.
    of
        Makes it of the graph that was learned.
    """

    about: str
    source: str
    of: Callable[[TaskGraph, Assembly], TaskGraph]


METHODS: Mapping[str, Variant] = {
    "learned": Variant("as learned with the defaults", "stepgraph", lambda graph, _: graph),
    "without-undoing": Variant("the same graph without undoing", "control", _without),
    "by-name": Variant("the same graph, undoing as the names of steps say", "control", _by_name),
    "by-name-both": Variant(
        "the same, and putting a part on undoes taking it off", "control", _both_ways
    ),
}


@dataclass
class Watched:
    """What a monitor said about held-out recordings.

    Parameters
    ----------
    flagged
        For each kind of step, whether each was reported as a mistake.
    mistakes
        For each kind of step, the number of mistakes of each kind of verdict.
    """

    flagged: dict[str, list[bool]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    mistakes: dict[str, Counter[str]] = field(
        default_factory=lambda: {kind: Counter() for kind in KINDS}
    )

    def watch(self, graph: TaskGraph, steps: Trace, assembly: Assembly) -> None:
        """Watch a recording to its end."""
        monitor = stepgraph.Monitor(graph)
        removed: set[str] = set()
        for step in steps:
            verdict = monitor.observe(step)
            undone = assembly.installed_by(step)
            kind = "removals" if undone else "reinstalls" if step in removed else "others"
            self.flagged[kind].append(verdict.is_mistake)
            if verdict.is_mistake:
                self.mistakes[kind][verdict.kind.value] += 1
            removed.discard(step)
            if undone is not None:
                removed.add(undone)


def run(request: Request) -> BenchmarkResult:
    """Learn assemblies, list the undoing found, and watch recordings that were held out.

    Parameters
    ----------
    request
        As for every benchmark; nothing is drawn at random, so its seeds have no effect.
    """
    chosen = choose_rows(request.methods, METHODS)
    directory = data_directory(request.data)
    # What is named are methods; a data set that is not there is left out all the same.
    found, left_out = compute_rows(
        tuple(ASSEMBLIES),
        lambda name: _rows(name, directory, chosen),
        replace(request, methods=None),
    )
    rows = [row for own, _ in found for row in own]
    notes = [*(note for _, own in found for note in own), *left_out, *NOTES]
    return BenchmarkResult("rework", TITLE, rows, COLUMNS, notes)


def _rows(
    name: str, directory: Path, chosen: Sequence[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    assemblies = ASSEMBLIES[name](directory)
    whole = [_learn([session.steps for session in own.sessions]) for own in assemblies]
    watched = {method: Watched() for method in chosen}
    for assembly in assemblies:
        for training, held_out in folds(assembly):
            graph = _learn(training)
            for method in chosen:
                own = METHODS[method].of(graph, assembly)
                for steps in held_out:
                    watched[method].watch(own, steps, assembly)
    rows = []
    for method in chosen:
        variant = METHODS[method]
        graphs = [variant.of(graph, own) for graph, own in zip(whole, assemblies, strict=True)]
        row = {
            "method": method,
            "about": variant.about,
            "source": variant.source,
            "data": name,
            "procedure_count": len(assemblies),
            "recordings": sum(len(own.sessions) for own in assemblies),
        }
        row |= _pairs_found(assemblies, graphs)
        for kind, marks in watched[method].flagged.items():
            row[kind] = len(marks)
            row |= rate(f"{kind}_flagged", marks) if marks else {}
            row[f"{kind}_mistakes"] = dict(sorted(watched[method].mistakes[kind].items()))
        rows.append(row)
    return rows, [
        note
        for row in rows
        if row["method"] == "learned"
        for note in (_found_in_words(name, row), _mistakes_in_words(name, row))
    ]


def _learn(steps: Sequence[Trace]) -> TaskGraph:
    return learn_with_defaults(Demonstrations.from_steps([list(own) for own in steps]))


def folds(assembly: Assembly) -> Iterator[tuple[list[Trace], list[Trace]]]:
    """Yield the recordings to learn from and those to watch, groups kept apart."""
    groups = sorted({session.group for session in assembly.sessions})
    number = min(assembly.folds or len(groups), len(groups))
    for fold in range(number):
        held_out = set(groups[fold::number])
        training = [own.steps for own in assembly.sessions if own.group not in held_out]
        if training:
            yield training, [own.steps for own in assembly.sessions if own.group in held_out]


def _pairs_found(assemblies: Sequence[Assembly], graphs: Sequence[TaskGraph]) -> dict[str, Any]:
    """Return which undoing is there, as the names say or otherwise."""
    single: list[dict[str, Any]] = []
    extra: list[str] = []
    for assembly, graph in zip(assemblies, graphs, strict=True):
        found = {(own.step, undone) for own in graph.undoings for undone in own.undone}
        done = Counter(step for session in assembly.sessions for step in session.steps)
        expected = assembly.pairs
        single += [
            {
                "procedure": assembly.name,
                "step": step,
                "times": done[step],
                "found": (step, undone) in found,
            }
            for step, undone in expected.items()
        ]
        extra += [
            f"{step} undoes {undone}"
            for step, undone in sorted(found - set(expected.items()))
            if not _same_part(assembly, step, undone)
        ]
    often = [pair for pair in single if pair["times"] >= OFTEN]
    return {
        "expected": len(single),
        "found": sum(pair["found"] for pair in single),
        "expected_often": len(often),
        "found_often": sum(pair["found"] for pair in often),
        "extra": len(extra),
        "pairs": single,
        "extra_pairs": extra,
    }


def _same_part(assembly: Assembly, step: str, undone: str) -> bool:
    """Return whether undoing is about one part: taken off after it was put on wrongly, or put on.

    Such undoing is not expected, and not wrong either.
    """
    if assembly.installed_by(undone) == step:
        return True
    part = step.removeprefix(assembly.removal)
    return assembly.installed_by(step) is not None and undone.endswith(f" {part}")


def _found_in_words(name: str, row: Row) -> str:
    parts = {
        said: [pair["step"] for pair in row["pairs"] if pair["found"] is found]
        for said, found in (("found", True), ("not found", False))
    }
    parts["extra"] = row["extra_pairs"]
    said = [f"{what}: {_listed(steps)}" for what, steps in parts.items() if steps]
    return f"{name}, of the steps that take off a part: {'; '.join(said)}"


def _mistakes_in_words(name: str, row: Row) -> str:
    said = [
        f"{', '.join(f'{number} {kind}' for kind, number in row[f'{kinds}_mistakes'].items())} of "
        f"{row[kinds]:,} {kinds}"
        for kinds in KINDS
        if row[f"{kinds}_mistakes"]
    ]
    return f"{name}, mistakes reported: {'; '.join(said) or 'none'}"


def _listed(names: Sequence[str], most: int = 15) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _of(first: str, second: str) -> Callable[[Row], str]:
    return lambda row: f"{row[first]} of {row[second]}"


def flagged(kind: str) -> Callable[[Row], str]:
    """Return a cell with the share of a kind of steps that was reported, and its interval."""

    def cell(row: Row) -> str:
        key = f"{kind}_flagged"
        if key not in row:
            return ""
        ends = (percent(row[f"{key}_{end}90"]) for end in ("low", "high"))
        return f"{percent(row[key])} ({' to '.join(ends)})"

    return cell


TITLE = "Parts taken off: undoing that is found, and steps reported as mistakes in other recordings"
COLUMNS = (
    Column("data", lambda row: str(row["data"])),
    Column("graph", lambda row: str(row["method"])),
    Column("recordings", lambda row: str(row["recordings"])),
    Column("found", _of("found", "expected")),
    Column(f"done {OFTEN} times", _of("found_often", "expected_often")),
    Column("extra", lambda row: str(row["extra"])),
    Column("taken off", flagged("removals")),
    Column("put on again", flagged("reinstalls")),
    Column("other steps", lambda row: percent(row.get("others_flagged"))),
)
NOTES = (
    (
        "found: steps that take off a part and undo the one that puts it on, in a graph learned "
        "from all recordings, of those parts that both are done with; extra: any other undoing, "
        "but not that of a wrong installation of the part, nor the other way round"
    ),
    (
        "taken off, put on again, other steps: the share reported as a mistake by the monitor in "
        "recordings that were held out; 90 % percentile bootstrap over steps"
    ),
    (
        "meccano-psr: each recording is held out by itself; rows of the same frame stay in the "
        "order of the file, though nobody knows theirs; names of steps stay as they are written"
    ),
    (
        "assembly101: one graph of all toys; assembly101-toys: one of each kind of toy with 10 or "
        "more recordings; people are dealt into 5 parts, each held out once; marks of mistakes and "
        "corrections are not looked at"
    ),
    (
        "without-undoing, by-name: controls, the same graph with no undoing and with the expected "
        "one; by-name-both: putting on also undoes taking off, so that a part may be taken off "
        "a second time"
    ),
)
