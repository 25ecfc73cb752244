"""The paper's tables and our speed, each recomputed by one command.

A benchmark reads what its data directory holds, runs every method that the user names, and
returns rows: plain figures beside the controls and the paper's own. `BENCHMARKS` lists them;
`run_benchmark` runs one by name.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from benchmarks.harness import BenchmarkResult, Request
from stepgraph.errors import UnknownNameError
from stepgraph.learners import Progress, no_progress

__all__ = ["BENCHMARKS", "BenchmarkEntry", "BenchmarkResult", "run_benchmark"]


@dataclass(frozen=True)
class BenchmarkEntry:
    """A benchmark as the registry knows it, before its module is imported.

    Parameters
    ----------
    name
        What users type.
    summary
        What it measures, in one line.
    module
        Where it lives.
    function
        The function of that module that takes a `Request` and does the work.
    folder
        Where its page, Markdown, LaTeX and JSON go unless the user says otherwise; empty for
        nowhere.
    """

    name: str
    summary: str
    module: str
    function: str = "run"
    folder: str = ""


BENCHMARKS = MappingProxyType(
    {
        entry.name: entry
        for entry in (
            BenchmarkEntry(
                "paper",
                "every table and figure of the paper, as a page, Markdown and LaTeX",
                "benchmarks.paper",
                folder="bench-output",
            ),
            BenchmarkEntry(
                "figures",
                "the paper's 24 figures: known graphs, and learned ones beside them",
                "benchmarks.graphs.figures",
                folder="bench-output",
            ),
            BenchmarkEntry(
                "captaincook4d",
                "graphs from CaptainCook4D's recordings without order errors (Table 1)",
                "benchmarks.graphs.captaincook4d",
            ),
            BenchmarkEntry(
                "captaincook4d-unfiltered",
                "the same from every recording, mistakes included and their tags unseen",
                "benchmarks.graphs.captaincook4d",
                function="run_unfiltered",
            ),
            BenchmarkEntry(
                "data-split",
                "recordings, segments and hours that graphs are learned from (Table 6)",
                "benchmarks.graphs.data_split",
            ),
            BenchmarkEntry(
                "agreement",
                "where Direct Optimization ends at the intersection order, and where not",
                "benchmarks.graphs.agreement",
            ),
            BenchmarkEntry(
                "assembly101-o",
                "mistakes flagged online on Assembly101-O, beside controls (Table 3)",
                "benchmarks.mistakes.online",
                function="run_assembly101_o",
            ),
            BenchmarkEntry(
                "epic-tent-o",
                "mistakes flagged online on EPIC-Tent-O, beside controls (Table 3)",
                "benchmarks.mistakes.online",
                function="run_epic_tent_o",
            ),
            BenchmarkEntry(
                "perturbation",
                "what mistake detection loses to noise (Figure 5), as a page",
                "benchmarks.mistakes.perturbation",
                folder="bench-output",
            ),
            BenchmarkEntry(
                "captaincook4d-trials",
                "order errors and skipped steps in whole recordings, mistakes and all",
                "benchmarks.mistakes.captaincook4d_trials",
            ),
            BenchmarkEntry(
                "assembly101-trials",
                "all mistakes of Assembly101's whole recordings, people kept apart",
                "benchmarks.mistakes.assembly101_trials",
            ),
            BenchmarkEntry(
                "fusion-weights",
                "fusion's weights, fitted leaving one recipe out at a time",
                "benchmarks.graphs.fusion_weights",
            ),
            BenchmarkEntry(
                "unseen",
                "recipes that nobody has demonstrated, from their step names",
                "benchmarks.graphs.unseen",
            ),
            BenchmarkEntry(
                "understanding",
                "which of two steps comes first, and which comes next (Table 2)",
                "benchmarks.graphs.understanding",
            ),
            BenchmarkEntry(
                "synthetic",
                "F1 by the number of recordings and by their noise, on random procedures",
                "benchmarks.graphs.synthetic",
                folder="bench-output",
            ),
            BenchmarkEntry(
                "advice",
                "recordings needed if advice chooses the next one, on random procedures",
                "benchmarks.graphs.advice",
                folder="bench-output",
            ),
            BenchmarkEntry(
                "attributes",
                "optional and repeatable steps told from slips, on random procedures",
                "benchmarks.graphs.attributes",
            ),
            BenchmarkEntry(
                "rules",
                "choices, rework and steps that go together, on random procedures",
                "benchmarks.graphs.rules",
            ),
            BenchmarkEntry(
                "rules-found",
                "how many rules are learned, also where there are none",
                "benchmarks.graphs.rules_found",
            ),
            BenchmarkEntry(
                "audit",
                "recordings and steps with errors of order, found without their tags",
                "benchmarks.mistakes.audit",
            ),
            BenchmarkEntry(
                "contest",
                "whether traces fit a process, asked of a graph and of counted rules",
                "benchmarks.mistakes.contest",
            ),
            BenchmarkEntry(
                "powl",
                "whether runs fit processes with choices and loops, whose nets are known",
                "benchmarks.mistakes.powl",
            ),
            BenchmarkEntry(
                "rework",
                "whether taking parts off is learned to undo putting them on",
                "benchmarks.mistakes.rework",
            ),
            BenchmarkEntry(
                "calibration",
                "whether the probabilities of edges and pairs mean what they say",
                "benchmarks.graphs.calibration",
                folder="bench-output",
            ),
            BenchmarkEntry(
                "synthetic-trials",
                "the rules of order on random procedures, where truth is known",
                "benchmarks.mistakes.synthetic_trials",
            ),
            BenchmarkEntry(
                "speed",
                "Direct Optimization against a plain loop, and how its cost grows",
                "benchmarks.cost.speed",
            ),
            BenchmarkEntry(
                "scale",
                "logs of millions of rows and thousands of procedures, against plain ways",
                "benchmarks.cost.scale",
            ),
            BenchmarkEntry(
                "scaling",
                "how the cost grows with recordings, steps, procedures and workers",
                "benchmarks.cost.scaling",
            ),
            BenchmarkEntry(
                "monitor",
                "the monitor's time for a step, and whether it stays flat",
                "benchmarks.cost.monitor",
            ),
            BenchmarkEntry(
                "alignment",
                "the time to explain recordings by a graph, and whether brute force agrees",
                "benchmarks.cost.alignment",
            ),
            BenchmarkEntry(
                "monitor-uncertain",
                "false alarms and mistakes found behind a recogniser that errs",
                "benchmarks.recognition.monitor_uncertain",
            ),
            BenchmarkEntry(
                "smoother",
                "key-steps from frames: how close to the true ones, raw and smoothed",
                "benchmarks.recognition.smoother",
            ),
            BenchmarkEntry(
                "recogniser",
                "from simulated video features to key-steps and verdicts",
                "benchmarks.recognition.recogniser",
            ),
            BenchmarkEntry(
                "draw",
                "how long drawings take, of 25 and of 500 steps",
                "benchmarks.cost.draw",
            ),
            BenchmarkEntry(
                "serve",
                "the live service: throughput, times to answer, and kill -9 in the middle",
                "benchmarks.cost.serve",
            ),
        )
    }
)


def run_benchmark(
    name: str,
    *,
    data: str | Path | None = None,
    methods: Sequence[str] | None = None,
    seeds: int = 5,
    progress: Progress = no_progress,
) -> BenchmarkResult:
    """Run a benchmark.

    Parameters
    ----------
    name
        A name in `BENCHMARKS`.
    data
        The data directory; by default the one that the environment variable STEPGRAPH_DATA names.
    methods
        Which methods to run; by default all.
    seeds
        How many runs a method that draws at random gets.
    progress
        Called with the progress.

    Raises
    ------
    UnknownNameError
        If there is no such benchmark or method.
    MissingDataError
        If the data directory lacks what the benchmark reads.
    """
    if name not in BENCHMARKS:
        raise UnknownNameError("benchmark", name, BENCHMARKS)
    entry = BENCHMARKS[name]
    run = getattr(importlib.import_module(entry.module), entry.function)
    result: BenchmarkResult = run(Request(data, methods, seeds, progress))
    return result
