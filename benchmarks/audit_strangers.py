"""How often an audit notices a recording of another procedure, and how often it cries wolf."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from benchmarks.generators import Noise, draw_demonstrations
from benchmarks.random_procedures import SIZES, draw_procedure, measured_seeds
from benchmarks.result import BenchmarkResult, Column, percent
from stepgraph.insight import audit
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary

RECORDINGS = 8
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
            given = draw_demonstrations(truth, RECORDINGS, seed, noise=noise)
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
            "false_alarms": false_alarms[kind] / (procedures * RECORDINGS),
        }
        for kind, about in KINDS.items()
    ]
    return BenchmarkResult(
        "audit: mixed in",
        f"One recording of another procedure among {RECORDINGS} of one, {procedures} random "
        "procedures: how often it is flagged, and how many of the others are",
        rows,
        COLUMNS,
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


COLUMNS = (
    Column("stranger", lambda row: str(row["method"])),
    Column("flagged", _percent("flagged")),
    Column("false alarms", _percent("false_alarms")),
    Column("what", lambda row: str(row["about"])),
)
