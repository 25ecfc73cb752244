"""How well an audit finds recordings and steps with errors of order, without their tags.

The labels come from CaptainCook4D's tags and from random procedures with marked errors; recordings
of another procedure are mixed in as well.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.datasets.captaincook4d import read_everything, unmarked
from benchmarks.datasets.directory import data_directory
from benchmarks.generators import Demonstrator, Noise, draw_demonstrations
from benchmarks.generators.problems import SIZES, draw_procedure, measured_seeds
from benchmarks.harness import BenchmarkResult, Column, Request, choose_rows, percent
from stepgraph.evaluation import average_precision
from stepgraph.graph import TaskGraph
from stepgraph.insight import Audit, audit
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary

Scores = tuple[Sequence[float], Sequence[Sequence[float]] | None]
"""A score for each recording, and for each of its steps where the way gives such."""


def run(request: Request) -> BenchmarkResult:
    """Score audits on CaptainCook4D's tagged errors and on random procedures.

    Parameters
    ----------
    request
        As for every benchmark; its seeds are the number of random procedures of each size, and of
        draws of the random control.
    """
    chosen = choose_rows(request.methods, ROWS)
    directory = data_directory(request.data)
    sources: dict[str, tuple[str, Callable[[], tuple[list[Labelled], list[str]]]]] = {
        "file order": (
            "CaptainCook4D, steps in file order",
            lambda: read_labelled(directory, "file"),
        ),
        "start order": (
            "CaptainCook4D, steps in the order of their start times",
            lambda: read_labelled(directory, "start"),
        ),
        "synthetic": ("random procedures", lambda: (draw_labelled(request.seeds), [])),
    }
    parts = []
    for done, (source, (title, read)) in enumerate(sources.items()):
        request.progress(done, len(sources), title)
        parts.append(_part(source, title, *read(), chosen, request.seeds))
    parts.append(mixed_in(NOISE, request.seeds))
    request.progress(len(sources), len(sources), "done")
    return BenchmarkResult(
        "audit",
        "Recordings and steps with errors of order, found without having seen a tag",
        [row for part in parts for row in part.rows],
        COLUMNS,
        [note for part in parts for note in part.notes],
        parts=parts,
    )


def _part(
    source: str,
    title: str,
    procedures: Sequence[Labelled],
    notes: Sequence[str],
    chosen: Sequence[str],
    seeds: int,
) -> BenchmarkResult:
    audits = [audit(one.demonstrations) for one in procedures]
    order_errors = [any(row) for one in procedures for row in one.wrong]
    clean = [mark for one in procedures for mark in one.clean]
    steps = [mark for one in procedures for row in one.wrong for mark in row]
    rows = []
    for name in chosen:
        draws = range(seeds if name == "random" else 1)
        scored = [_score(ROWS[name], procedures, audits, draw) for draw in draws]
        rows.append(
            {
                "method": name,
                "about": ROWS[name].about,
                "source": source,
                "recordings_clean": _mean(
                    average_precision(
                        *_either(order_errors, clean, recordings),
                    )
                    for recordings, _ in scored
                ),
                "recordings_all": _mean(
                    average_precision(order_errors, recordings) for recordings, _ in scored
                ),
                "steps": _mean(average_precision(steps, of_steps) for _, of_steps in scored)
                if all(of_steps is not None for _, of_steps in scored)
                else None,
            }
        )
    return BenchmarkResult(
        f"audit: {source}",
        f"{title}: average precision in percent, {len(procedures)} procedures, {len(clean)} "
        f"recordings, {sum(order_errors)} of them with an error of order, {sum(clean)} clean; "
        f"{sum(steps)} of {len(steps)} steps",
        rows,
        COLUMNS,
        (*notes, *NOTES) if source == "file order" else (),
    )


def _score(
    row: Ranking, procedures: Sequence[Labelled], audits: Sequence[Audit], draw: int
) -> tuple[list[float], Any]:
    recordings: list[float] = []
    steps: list[float] | None = []
    rng = random.Random(draw)
    for one, audited in zip(procedures, audits, strict=True):
        of_recordings, of_steps = row.score(one, audited, rng)
        recordings += of_recordings
        if of_steps is None or steps is None:
            steps = None
        else:
            steps += [score for scores in of_steps for score in scores]
    return recordings, steps


def _either(
    order_errors: Sequence[bool], clean: Sequence[bool], scores: Sequence[float]
) -> tuple[list[bool], list[float]]:
    """Return only what has an error of order or is clean."""
    kept = [
        (wrong, score)
        for wrong, right, score in zip(order_errors, clean, scores, strict=True)
        if wrong or right
    ]
    return [wrong for wrong, _ in kept], [score for _, score in kept]


def _mean(values: Any) -> float:
    listed = list(values)
    return float(sum(listed) / len(listed))


def _audited(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    by_id = {entry.id: entry for entry in audited.recordings}
    entries = [by_id[recording.id] for recording in one.demonstrations]
    return [entry.out_of_order for entry in entries], [entry.misplaced for entry in entries]


def _all_slips(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    by_id = {entry.id: entry.slips for entry in audited.recordings}
    return [by_id[recording.id] for recording in one.demonstrations], None


def _distrust(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    by_id = {entry.id: 1 - entry.reliability for entry in audited.recordings}
    return [by_id[recording.id] for recording in one.demonstrations], None


def _missing(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    steps = len(one.demonstrations.seen)
    return [steps - len(set(recording.steps)) for recording in one.demonstrations], None


def _nothing(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    return [0.0] * len(one.demonstrations), [[0.0] * len(r) for r in one.demonstrations]


def _random(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    return (
        [rng.random() for _ in one.demonstrations],
        [[rng.random() for _ in recording.steps] for recording in one.demonstrations],
    )


def _knowing(one: Labelled, audited: Audit, rng: random.Random) -> Scores:  # noqa: ARG001
    recordings: list[float] = []
    steps = []
    for recording in one.demonstrations:
        names = one.demonstrations.names(recording)
        pairs = broken_pairs(one.truth, names)
        recordings.append(len(pairs))
        counts = [float(sum(step in pair for pair in pairs)) for step in names]
        steps.append([0.0 if step in names[:at] else counts[at] for at, step in enumerate(names)])
    return recordings, steps


@dataclass(frozen=True)
class Ranking:
    """A way to rank recordings, and perhaps steps.

    Parameters
    ----------
    about
        What it is.
    score
        Scores a procedure; it may look at the audit, and only a control at the known graph.
    """

    about: str
    score: Callable[[Labelled, Audit, random.Random], Scores]


ROWS: Mapping[str, Ranking] = {
    "audit": Ranking("how many steps would have to move; steps: to take part in that", _audited),
    "audit, all slips": Ranking("steps out of order, skipped and repeated", _all_slips),
    "distrust": Ranking("how little the robust learner trusts a recording", _distrust),
    "base rate": Ranking("control: nothing is known", _nothing),
    "missing": Ranking("control: how many steps are missing", _missing),
    "random": Ranking("control: scores drawn at random", _random),
    "known graph": Ranking("knows the known graph: how many pairs are broken", _knowing),
}

NOTES = (
    (
        "order: recordings with a tagged Order Error against clean ones, which have neither such "
        "an error nor a missing step"
    ),
    "all: the same against every other recording; steps: every step done, against its own tag",
    "recordings and steps of all procedures are ranked together",
)

COLUMNS = (
    Column("ranked by", lambda row: str(row["method"])),
    Column("order", lambda row: percent(row["recordings_clean"])),
    Column("all", lambda row: percent(row["recordings_all"])),
    Column("steps", lambda row: percent(row["steps"])),
    Column("what", lambda row: str(row["about"])),
)


ORDER_ERROR = "Order Error"
MISSING = "Missing Step"
RECORDINGS = 16
NOISE = Noise(Demonstrator(), Demonstrator.even(0.3), careless_share=0.5)
"""Half of the recordings are right, as in CaptainCook4D, and the rest have several errors each."""


@dataclass(frozen=True)
class Labelled:
    """A procedure whose errors are known.

    Parameters
    ----------
    demonstrations
        All recordings, with nothing marked.
    wrong
        For each recording, for each of its steps, whether it is an error of order.
    clean
        Which recordings have neither an error of order nor a missing step.
    truth
        The known graph.
    """

    demonstrations: Demonstrations
    wrong: tuple[tuple[bool, ...], ...]
    clean: tuple[bool, ...]
    truth: TaskGraph


def read_labelled(directory: Path, order: str) -> tuple[list[Labelled], list[str]]:
    """Read every recording of CaptainCook4D with its tags, the tags kept apart.

    Returns
    -------
    tuple
        The recipes, and what was left out.

    Raises
    ------
    MissingDataError
        If a file is not there.
    """
    found = []
    whole, notes = read_everything(directory, order=order, tagged=True)
    for one in whole:
        given = one.demonstrations
        marks = [recording.mistakes or (None,) * len(recording) for recording in given]
        found.append(
            Labelled(
                unmarked(given),
                tuple(tuple(ORDER_ERROR in (mark or "") for mark in row) for row in marks),
                tuple(
                    not recording.skipped
                    and not any(
                        tag in (mark or "") for tag in (ORDER_ERROR, MISSING) for mark in row
                    )
                    for recording, row in zip(given, marks, strict=True)
                ),
                one.truth,
            )
        )
    return found, notes


def draw_labelled(seeds: int) -> list[Labelled]:
    """Draw random procedures with recordings of which it is known what was moved."""
    found = []
    for size in SIZES:
        for seed in measured_seeds(seeds):
            truth = draw_procedure(size, seed)
            drawn = draw_demonstrations(truth, RECORDINGS, seed, noise=NOISE)
            wrong = tuple(_errors(truth, drawn, recording) for recording in drawn)
            clean = tuple(
                not any(row) and not recording.skipped
                for recording, row in zip(drawn, wrong, strict=True)
            )
            found.append(Labelled(unmarked(drawn), wrong, clean, truth))
    return found


def _errors(
    truth: TaskGraph, drawn: Demonstrations, recording: KeyStepSequence
) -> tuple[bool, ...]:
    """Return which steps were moved and stand on the wrong side of another."""
    broken = {step for pair in broken_pairs(truth, drawn.names(recording)) for step in pair}
    seen: set[str] = set()
    found = []
    for step, mark in zip(drawn.names(recording), recording.mistakes or (), strict=True):
        found.append(step not in seen and mark is not None and step in broken)
        seen.add(step)
    return tuple(found)


def broken_pairs(truth: TaskGraph, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return each step with what it needs, where it is done before that."""
    place: dict[str, int] = {}
    for at, step in enumerate(names):
        place.setdefault(step, at)
    return [
        (step, needed)
        for step in place
        for needed in truth.all_preconditions_of(step)
        if place.get(needed, -1) > place[step]
    ]


STRANGER_RECORDINGS = 8
STRANGER = "stranger"
KINDS: Mapping[str, str] = {
    "other steps": "it shares no step with the others",
    "a third shared": "it shares a third of its steps",
    "same steps": "it does the same steps in an order of its own",
}


def mixed_in(noise: Noise, seeds: int) -> BenchmarkResult:
    """Mix a recording of another procedure into those of one, and see who is flagged.

    Parameters
    ----------
    noise
        How the recordings of the procedure err.
    seeds
        How many procedures of each size.
    """
    flagged = dict.fromkeys(KINDS, 0)
    false_alarms = dict.fromkeys(KINDS, 0)
    procedures = 0
    for size in SIZES:
        for seed in measured_seeds(seeds):
            procedures += 1
            truth, other = draw_procedure(size, seed), draw_procedure(size, seed + seeds)
            given = draw_demonstrations(truth, STRANGER_RECORDINGS, seed, noise=noise)
            (stranger,) = draw_demonstrations(other, 1, seed)
            for kind in KINDS:
                mixed = _mixed(given, stranger.steps, kind)
                found = {entry.id for entry in audit(mixed).recordings if entry.other_procedure}
                flagged[kind] += STRANGER in found
                false_alarms[kind] += len(found - {STRANGER})
    rows = [
        {
            "method": kind,
            "about": about,
            "source": "mixed in",
            "flagged": flagged[kind] / procedures,
            "false_alarms": false_alarms[kind] / (procedures * STRANGER_RECORDINGS),
        }
        for kind, about in KINDS.items()
    ]
    return BenchmarkResult(
        "audit: mixed in",
        f"One recording of another procedure among {STRANGER_RECORDINGS} of one, {procedures} "
        "random procedures: how often it is flagged, and how many of the others are",
        rows,
        STRANGER_COLUMNS,
    )


def _mixed(given: Demonstrations, steps: tuple[int, ...], kind: str) -> Demonstrations:
    size = len(given.vocabulary)
    shared = {"other steps": 0, "a third shared": size // 3, "same steps": size}[kind]
    names = (*given.vocabulary.steps, *(f"other {number}" for number in range(1, size + 1)))
    moved = tuple(step if step <= shared else step + size for step in steps)
    return replace(
        given,
        vocabulary=Vocabulary(names),
        sequences=(*given.sequences, KeyStepSequence(STRANGER, moved)),
    )


def _percent(key: str) -> Any:
    return lambda row: percent(row[key])


STRANGER_COLUMNS = (
    Column("stranger", lambda row: str(row["method"])),
    Column("flagged", _percent("flagged")),
    Column("false alarms", _percent("false_alarms")),
    Column("what", lambda row: str(row["about"])),
)
