"""The paper's figure of a success and a failure on EPIC-Tent-O.

Among the test recordings it finds a mistake that the learned graph rightly flags, and a correct
segment that it wrongly flags for want of a precondition that is none. Both are drawn in the part of
the graph that decides them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.harness import BenchmarkResult, Column, Request, choose_rows
from benchmarks.mistakes.detectors import GraphRule
from benchmarks.mistakes.online_methods import METHODS, MistakeSplit, Workshop, read_split
from stepgraph.drawing.panels import draw_panels, picture_of_moment
from stepgraph.errors import SettingError
from stepgraph.graph import TaskGraph
from stepgraph.monitoring.violations import find_violations
from stepgraph.sequences import Demonstrations

DATASET = "epic-tent-o"
METHOD = "do-paper"
SEED = 42
"""The seed of the paper's configuration."""
PAPERS_OWN = {
    "success": ("pickup/open_stakebag", "pickup/place_ventcover"),
    "failure": ("pickup/open_supportbag", "spread_tent"),
}
"""The step and the missing precondition of the paper's two examples."""
NOTES = (
    "coloured: done before, numbered by when; 'now': the step that is judged",
    (
        "chosen: the paper's own pair of step and precondition where the graph flags it in a test "
        "recording, else the case with the fewest missing preconditions and steps before it"
    ),
)


@dataclass(frozen=True)
class Case:
    """A flagged segment.

    Parameters
    ----------
    kind
        'success' for a mistake, 'failure' for a correct segment.
    recording
        Which test recording, from 1 on.
    done
        The steps before it.
    step
        The step that is flagged.
    missing
        The preconditions that it lacks.
    """

    kind: str
    recording: int
    done: tuple[str, ...]
    step: str
    missing: tuple[str, ...]

    @property
    def is_papers(self) -> bool:
        """Whether it is the paper's own example."""
        step, needed = PAPERS_OWN[self.kind]
        return self.step == step and needed in self.missing

    @property
    def rank(self) -> tuple[bool, int, int]:
        """What to sort cases by, the one to show first."""
        return not self.is_papers, len(self.missing), len(self.done)


def run(request: Request) -> BenchmarkResult:
    """Learn from the training recordings, and show a success and a failure in the others."""
    chosen = choose_rows(request.methods, METHODS, default=(METHOD,))
    if len(chosen) != 1:
        raise SettingError(
            f"the figure shows one method and {len(chosen)} are asked for "
            f"({', '.join(chosen)}); expected one, by default {METHOD!r}"
        )
    split = read_split(DATASET, request.data)
    request.progress(0, 1, f"{split.title}: {chosen[0]}")
    rule = METHODS[chosen[0]].make(Workshop(split), "true", SEED)
    if not isinstance(rule, GraphRule):
        raise SettingError(
            f"the figure shows a graph and {chosen[0]!r} learns none; expected a method such as "
            f"{METHOD!r}"
        )
    request.progress(1, 1, "done")
    return show_cases(chosen[0], rule.graph, split)


def show_cases(method: str, graph: TaskGraph, split: MistakeSplit) -> BenchmarkResult:
    """Return a success and a failure of a graph, where the test recordings have them.

    Parameters
    ----------
    method
        What learned the graph.
    graph
        The graph.
    split
        The recordings that it was learned from, and those to watch.
    """
    found = list(_cases(graph, split))
    shown = {
        kind: min((case for case in found if case.kind == kind), key=lambda case: case.rank)
        for kind in PAPERS_OWN
        if any(case.kind == kind for case in found)
    }
    return BenchmarkResult(
        "tent-cases",
        f"{split.title}: a success and a failure of the graph learned with {method!r} "
        f"(seed {SEED})",
        [_row(method, case, split.train) for case in shown.values()],
        COLUMNS,
        [
            *(
                f"the test recordings have no {kind} with this graph"
                for kind in PAPERS_OWN
                if kind not in shown
            ),
            *(_not_papers(kind) for kind, case in shown.items() if not case.is_papers),
            *NOTES,
        ],
        charts={"tent-cases": _drawing(graph, shown)} if shown else {},
    )


def _cases(graph: TaskGraph, split: MistakeSplit) -> Iterator[Case]:
    """Yield every flagged segment that lacks a precondition."""
    for number, steps in enumerate(split.watched["true"], start=1):
        for violation in find_violations(graph, steps):
            if violation.missing:
                before = steps[: violation.position - 1]
                kind = "success" if violation.position == len(steps) else "failure"
                yield Case(kind, number, before, violation.step, tuple(violation.missing))


def _drawing(graph: TaskGraph, shown: dict[str, Case]) -> str:
    titles = {
        "success": "a mistake, rightly flagged",
        "failure": "a correct step, wrongly flagged",
    }
    pictures = [
        picture_of_moment(graph, case.done, case.step, title=f"({letter}) {titles[kind]}")
        for letter, (kind, case) in zip("ab", shown.items(), strict=False)
    ]
    return draw_panels(pictures)


def _row(method: str, case: Case, train: Demonstrations) -> dict[str, Any]:
    return {
        "method": method,
        "case": case.kind,
        "recording": case.recording,
        "step": case.step,
        "missing": list(case.missing),
        "done": list(case.done),
        "papers_own": case.is_papers,
        "sentence": _sentence(case, train),
    }


def _not_papers(kind: str) -> str:
    step, needed = PAPERS_OWN[kind]
    return f"the paper's own {kind}, '{step}' without '{needed}', does not occur with this graph"


def _sentence(case: Case, train: Demonstrations) -> str:
    """Return what happened, and what the training recordings say of the missing preconditions."""
    lacks = " and ".join(f"'{name}'" for name in case.missing)
    has = "has" if len(case.missing) == 1 else "have"
    verdict = (
        "is a mistake and is flagged" if case.kind == "success" else "is correct, yet it is flagged"
    )
    counts = ", ".join(_times_before(train, case.step, name) for name in case.missing)
    times = sum(case.step in train.names(recording) for recording in train)
    return (
        f"'{case.step}' {verdict}, because {lacks} {has} not been done. Of the {times} training "
        f"recordings with '{case.step}', so many have it after: {counts}."
    )


def _times_before(train: Demonstrations, step: str, needed: str) -> str:
    recordings = [train.names(recording) for recording in train]
    before = sum(needed in names[: names.index(step)] for names in recordings if step in names)
    return f"'{needed}' {before}"


COLUMNS = (
    Column("case", lambda row: str(row["case"])),
    Column("step", lambda row: str(row["step"])),
    Column("missing", lambda row: ", ".join(row["missing"])),
    Column("as in the paper", lambda row: "yes" if row["papers_own"] else "no"),
    Column("what happens", lambda row: str(row["sentence"])),
)
"""How to show the cases."""
