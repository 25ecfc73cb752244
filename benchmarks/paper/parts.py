"""The paper's tables and figures: what each is called, the tasks behind it, and its layout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from benchmarks.graphs import captaincook4d, data_split, figures, understanding
from benchmarks.harness import BenchmarkResult
from benchmarks.mistakes import online, perturbation, tent_cases
from benchmarks.mistakes.online_methods import SPLITS
from benchmarks.paper import graph_tables, mistake_tables
from benchmarks.paper.hyper_parameters import hyper_parameters
from benchmarks.paper.work import Outcome, Run, Task

Layout = Callable[[Sequence[Outcome]], BenchmarkResult]

RECIPES = ("captaincook4d", "llm-graphs")
MOMENT = 0.4
"""How long most tasks take: reading the data, and learning in no time."""
SECONDS = {
    "assembly101-o-at-random": 16.0,
    "assembly101-o-do": 1.5,
    "assembly101-o-do-paper-1200": 8.0,
    "assembly101-o-tgt-text": 17.0,
    "assembly101-o-tgt-text-paper": 300.0,
    "captaincook4d-do-paper": 2.0,
    "captaincook4d-tgt-text": 71.0,
    "captaincook4d-tgt-text-paper": 810.0,
    "captaincook4d-tgt-text-paper-unified": 340.0,
    "captaincook4d-tgt-text-random": 71.0,
    "captaincook4d-tgt-text-unified": 116.0,
    "epic-tent-o-tgt-text": 2.0,
    "epic-tent-o-tgt-text-paper": 40.0,
    "perturbation-do": 1.5,
    "perturbation-do-paper": 1.5,
    "perturbation-do-paper-1200": 3.0,
    "understanding-random-matrices": 2.0,
    "understanding-tgt-text": 385.0,
    "understanding-tgt-video-simulated": 250.0,
}
"""How long other tasks take: seconds on two cores, five seeds, as measured."""


@dataclass(frozen=True)
class Part:
    """One of the paper's tables or figures, or several that belong together.

    Parameters
    ----------
    name
        What users type, and the name of its files.
    table
        What the paper calls it.
    tasks
        The work behind it.
    lay_out
        Makes it of their outcomes.
    """

    name: str
    table: str
    tasks: tuple[Task, ...]
    lay_out: Layout


def _tasks(
    benchmark: str, run: Run, needs: tuple[str, ...], methods: Iterable[str]
) -> tuple[Task, ...]:
    tasks = (Task(benchmark, run, method, needs) for method in methods)
    return tuple(replace(task, seconds=SECONDS.get(task.name, MOMENT)) for task in tasks)


def _as_it_is(table: str, outcomes: Sequence[Outcome]) -> BenchmarkResult:
    """Lay out a benchmark whole, with its own table."""
    (outcome,) = outcomes
    if outcome.reason:
        return BenchmarkResult(table, table, (), (), [f"not computed: {outcome.reason}"])
    return outcome.result()


_mistake_tasks = tuple(
    task
    for name, (_, folder) in SPLITS.items()
    for task in _tasks(
        name,
        partial(online.run_online, name),
        (folder, "recognition"),
        mistake_tables.mistake_methods(name),
    )
)

PARTS = {
    part.name: part
    for part in (
        Part(
            "data-split",
            "Table 6: the recordings of CaptainCook4D",
            (Task("data-split", data_split.run, needs=("captaincook4d",)),),
            partial(_as_it_is, "data-split"),
        ),
        Part(
            "table-1",
            "Table 1: task graph generation",
            _tasks("captaincook4d", captaincook4d.run, RECIPES, graph_tables.edge_methods()),
            graph_tables.table_1,
        ),
        Part(
            "table-2",
            "Table 2: pairwise ordering and future prediction",
            _tasks("understanding", understanding.run, RECIPES[:1], understanding.ROWS),
            graph_tables.table_2,
        ),
        Part(
            "table-3",
            "Table 3: online mistake detection",
            _mistake_tasks,
            mistake_tables.table_3,
        ),
        Part(
            "hyper-parameters",
            "Tables 4 and 5: hyper-parameters",
            (),
            hyper_parameters,
        ),
        Part(
            "scalability",
            "Table 7: scalability of the Task Graph Transformer",
            _tasks(
                "captaincook4d",
                captaincook4d.run,
                RECIPES,
                [
                    *(line.method for line in graph_tables.SCALABILITY),
                    *graph_tables.SCALABILITY_OURS,
                ],
            ),
            graph_tables.scalability,
        ),
        Part(
            "figure-5",
            "Figure 5: noise in the key-steps",
            _tasks(
                "perturbation",
                perturbation.run,
                tuple(folder for _, folder in SPLITS.values()),
                [*mistake_tables.DRAWN, *mistake_tables.APART],
            ),
            mistake_tables.figure_5,
        ),
        Part(
            "qualitative",
            "Figures of the 24 recipes: (a) ground truth and (b) prediction",
            _tasks("figures", figures.run, RECIPES[:1], [figures.METHOD]),
            partial(_as_it_is, "qualitative"),
        ),
        Part(
            "tent-cases",
            "Figure of a success and a failure on EPIC-Tent-O",
            _tasks("tent-cases", tent_cases.run, ("epic-tent",), [tent_cases.METHOD]),
            partial(_as_it_is, "tent-cases"),
        ),
    )
}
"""All parts by name, in the order of the page."""
