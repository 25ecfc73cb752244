"""How well learned graphs tell runs of 20 processes with choices and loops from disturbed ones.

Each process is a Petri net, which says exactly what fits. Runs drawn from it fit; runs with one
change that the net rejects do not.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.datasets.contest import Trace
from benchmarks.datasets.directory import data_directory
from benchmarks.datasets.petri_nets import PROCESSES, NetProcess, PetriNet, read_processes
from benchmarks.harness import BenchmarkResult, Column, Request, Row, choose_rows, percent
from benchmarks.mistakes.fitting import (
    JUDGES,
    Learned,
    compared,
    differing,
    disagreement,
    fit_columns,
    judge_row,
    judge_traces,
    rate,
    rates,
)
from stepgraph.sequences import Demonstrations

HALF = f"{PROCESSES}-half"
"""What the figures are called for graphs learned from half of a log."""
METHODS = tuple(name for name in JUDGES if name != "check")
BY_PROCESS = ("valid", "memory", "counting-a+b", "counting-a+b+c")
"""The methods that the table of single processes shows."""
RUNS = 50
"""Number of runs that are drawn from a net to be judged, and of disturbed ones."""
TRAINING = 200
"""Number of runs that are drawn from a net without a log to learn from; equal ones count once."""
LONGEST = 2
"""The length of the longest run that is drawn, as a multiple of the number of steps."""
ATTEMPTS = 200
"""Number of runs to disturb, for each that is wanted, before giving up."""


def swap(trace: Trace, _steps: Sequence[str], rng: random.Random) -> Trace:
    """Return a trace in which two neighbours have changed places."""
    if len(trace) < 2:
        return trace
    place = rng.randrange(len(trace) - 1)
    return (*trace[:place], trace[place + 1], trace[place], *trace[place + 2 :])


def drop(trace: Trace, _steps: Sequence[str], rng: random.Random) -> Trace:
    """Return a trace without one of its steps."""
    place = rng.randrange(len(trace))
    return trace[:place] + trace[place + 1 :]


def repeat(trace: Trace, _steps: Sequence[str], rng: random.Random) -> Trace:
    """Return a trace in which one step is done once more, anywhere after its place."""
    place = rng.randrange(len(trace))
    again = rng.randint(place + 1, len(trace))
    return (*trace[:again], trace[place], *trace[again:])


def insert(trace: Trace, steps: Sequence[str], rng: random.Random) -> Trace:
    """Return a trace with any step of the process at any place."""
    place = rng.randint(0, len(trace))
    return (*trace[:place], rng.choice(steps), *trace[place:])


CHANGES: Mapping[str, Callable[[Trace, Sequence[str], random.Random], Trace]] = {
    "swap": swap,
    "drop": drop,
    "repeat": repeat,
    "insert": insert,
}


@dataclass(frozen=True)
class DrawnRuns:
    """Runs of a process to judge.

    Parameters
    ----------
    fitting
        Runs of the net.
    others
        Runs with one change, which the net rejects.
    changes
        The name of the change in each of these.
    """

    fitting: tuple[Trace, ...]
    others: tuple[Trace, ...]
    changes: tuple[str, ...]

    @property
    def every(self) -> tuple[Trace, ...]:
        """All runs, those that fit first."""
        return self.fitting + self.others

    @property
    def labels(self) -> tuple[bool, ...]:
        """Whether each of them fits."""
        return (True,) * len(self.fitting) + (False,) * len(self.others)


def run(request: Request) -> BenchmarkResult:
    """Learn each process from its log, and judge runs drawn from its net and disturbed ones.

    Parameters
    ----------
    request
        As for every benchmark; runs are drawn with one seed, so that its seeds have no effect.
    """
    chosen = choose_rows(request.methods, METHODS)
    processes = read_processes(data_directory(request.data))
    drawn = [draw_runs(process.net, f"{PROCESSES} {process.name}") for process in processes]
    whole = [training_of(process) for process in processes]
    halves = [half_of(own, process.name) for own, process in zip(whole, processes, strict=True)]
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    parts = []
    for done, (data, training) in enumerate({PROCESSES: whole, HALF: halves}.items()):
        learned = [Learned(own) for own in training]
        said: dict[str, list[list[bool]]] = {method: [] for method in chosen}
        for place, process in enumerate(processes):
            steps = (done * len(processes) + place, 2 * len(processes))
            request.progress(*steps, f"{data}, process {process.name}")
            for method in chosen:
                said[method].append(judge_traces(method, learned[place], drawn[place].every))
        own_rows = _method_rows(data, processes, learned, drawn, said)
        flat = {
            method: [mark for own in own_said for mark in own] for method, own_said in said.items()
        }
        notes += disagreement(data, flat)
        rows += own_rows
        parts += [
            BenchmarkResult(f"{data}: methods", TITLES[data], own_rows, COLUMNS),
            _by_process(data, own_rows, processes, learned),
        ]
    request.progress(2 * len(processes), 2 * len(processes), "done")
    notes += [*_without_log(processes), *NOTES]
    parts[0] = replace(parts[0], notes=notes)
    return BenchmarkResult(PROCESSES, TITLES[PROCESSES], rows, COLUMNS, notes, parts=parts)


def training_of(process: NetProcess) -> Demonstrations:
    """Return the traces of a process to learn from: its log, or runs drawn from its net."""
    if process.training is not None:
        return process.training
    rng = random.Random(f"training of {process.name}")
    drawn = [process.net.play(rng, _longest(process.net)) for _ in range(TRAINING)]
    return Demonstrations.from_steps([list(trace) for trace in dict.fromkeys(drawn)])


def half_of(training: Demonstrations, name: str) -> Demonstrations:
    """Return a random half of some traces, of an odd number the larger one.

    Parameters
    ----------
    training
        The traces.
    name
        What they are of; the same name gives the same half.
    """
    kept = random.Random(f"half of {name}").sample(training.sequences, (len(training) + 1) // 2)
    return Demonstrations.from_steps([list(training.names(own)) for own in kept])


def draw_runs(net: PetriNet, seed: str, count: int = RUNS) -> DrawnRuns:
    """Draw runs of a net, and disturbed ones that it rejects, each change equally often.

    Parameters
    ----------
    net
        The net.
    seed
        The same seed gives the same runs.
    count
        Number of runs of each kind. There are fewer disturbed ones if the net accepts nearly all.
    """
    rng = random.Random(seed)
    longest = _longest(net)
    fitting = tuple(net.play(rng, longest) for _ in range(count))
    others: list[Trace] = []
    changes: list[str] = []
    for number in range(count):
        change = list(CHANGES)[number % len(CHANGES)]
        for _ in range(ATTEMPTS):
            drawn = net.play(rng, longest)
            changed = CHANGES[change](drawn, net.labels, rng) if drawn else drawn
            if changed and not net.accepts(changed):
                others.append(changed)
                changes.append(change)
                break
    return DrawnRuns(fitting, tuple(others), tuple(changes))


def _longest(net: PetriNet) -> int:
    return LONGEST * len(net.labels)


def _method_rows(
    data: str,
    processes: Sequence[NetProcess],
    learned: Sequence[Learned],
    drawn: Sequence[DrawnRuns],
    said: Mapping[str, Sequence[Sequence[bool]]],
) -> list[dict[str, Any]]:
    """Return for each method the means over processes, with intervals, and each process."""
    flat = {name: [mark for own in parts for mark in own] for name, parts in said.items()}
    rows = []
    for method, verdicts in said.items():
        single: list[dict[str, Any]] = [
            {
                "procedure": process.name,
                "traces": len(runs.every),
                **rates(own, runs.labels, intervals=False),
            }
            for process, runs, own in zip(processes, drawn, verdicts, strict=True)
        ]
        row = judge_row(method, data) | {
            "traces": sum(len(runs.every) for runs in drawn),
            "procedure_count": len(processes),
        }
        for key in ("accuracy", "true_positive_rate", "true_negative_rate"):
            row |= rate(key, [entry[key] for entry in single if key in entry])
        row["rejected"] = {change: _rejected(change, drawn, verdicts) for change in CHANGES}
        row |= _unseen(learned, drawn, verdicts) | differing(method, flat)
        rows.append(row | {"processes": single})
    return compared(
        rows, {row["method"]: [own["accuracy"] for own in row["processes"]] for row in rows}
    )


def _unseen(
    learned: Sequence[Learned], drawn: Sequence[DrawnRuns], said: Sequence[Sequence[bool]]
) -> dict[str, Any]:
    """Return the share of the fitting runs that no training trace equals and that are called so."""
    marks = [
        verdict
        for own, runs, verdicts in zip(learned, drawn, said, strict=True)
        for trace, verdict in zip(runs.fitting, verdicts, strict=False)
        if trace not in own.seen
    ]
    share = sum(marks) / len(marks) if marks else None
    return {"unseen": len(marks), "unseen_true_positive_rate": share}


def _rejected(
    change: str, drawn: Sequence[DrawnRuns], said: Sequence[Sequence[bool]]
) -> float | None:
    """Return the share of the runs with one kind of change that are called not fitting."""
    marks = [
        not verdict
        for runs, verdicts in zip(drawn, said, strict=True)
        for own, verdict in zip(runs.changes, verdicts[len(runs.fitting) :], strict=True)
        if own == change
    ]
    return sum(marks) / len(marks) if marks else None


def _without_log(processes: Sequence[NetProcess]) -> list[str]:
    names = [process.name for process in processes if process.training is None]
    if not names:
        return []
    return [
        (
            f"no log belongs to {', '.join(names)}: learned from {TRAINING} runs drawn from the "
            "net with another seed, equal ones once"
        )
    ]


def _by_process(
    data: str, rows: Sequence[Row], processes: Sequence[NetProcess], learned: Sequence[Learned]
) -> BenchmarkResult:
    """Return a table with a line for each process, and what each method has on it."""
    shown = [row for row in rows if row["method"] in BY_PROCESS] or rows
    lines = [
        {
            "procedure": process.name,
            "training": f"{len(own.training)}{'' if process.training is not None else ' drawn'}",
            "steps": len(process.net.labels),
            **{row["method"]: row["processes"][place] for row in shown},
        }
        for place, (process, own) in enumerate(zip(processes, learned, strict=True))
    ]
    return BenchmarkResult(
        f"{data}: processes",
        "The same on each process: accuracy, and TPR / TNR of the graph",
        (),
        (
            Column("process", lambda row: str(row["procedure"])),
            Column("learned from", lambda row: str(row["training"])),
            Column("steps", lambda row: str(row["steps"])),
            *(
                Column(row["method"], _figures(row["method"], rates=row["source"] != "control"))
                for row in shown
            ),
        ),
        table_rows=lines,
    )


def _figures(method: str, *, rates: bool) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        own = row[method]
        if not rates:
            return percent(own["accuracy"])
        keys = ("true_positive_rate", "true_negative_rate")
        return f"{percent(own['accuracy'])}, {' / '.join(percent(own.get(key)) for key in keys)}"

    return cell


def rejected_by_change(row: Row) -> str:
    """Return the shares of disturbed runs that are called not fitting, by the kind of change."""
    return " / ".join(percent(row["rejected"][change]) for change in CHANGES)


TITLES = {
    PROCESSES: "Processes with choices and loops: is it right whether a run fits the true net?",
    HALF: "The same, learned from a random half of the log",
}
COLUMNS = fit_columns(
    Column("unseen", lambda row: percent(row["unseen_true_positive_rate"])),
    Column(" / ".join(CHANGES), rejected_by_change),
)
NOTES = (
    (
        f"{RUNS} runs drawn from each net, at each moment any possible transition, at most "
        f"{LONGEST} times as long as there are steps; and as many with one change that the net "
        "rejects: two neighbours swapped, a step dropped, done once more later, or any inserted"
    ),
    (
        "learned with the defaults from a log with one trace for each variant; unseen: TPR of the "
        "runs that are not in what was learned from, over all processes; in the whole log these "
        "are mostly loops that go on longer"
    ),
    (
        "figures are means over processes; 90 %: percentile bootstrap over processes, 10,000 "
        "resamples; p: two-sided paired sign-flip test over processes, exact, not corrected for "
        "the number of rows"
    ),
    "monitor, valid and align ask one graph; swap / drop / repeat / insert: shares rejected",
)
