"""The tables of processes, rework and rules in the documents, made of what benchmarks measured."""

from __future__ import annotations

from benchmarks.datasets.contest import CONTEST, LOGS
from benchmarks.datasets.petri_nets import PROCESSES
from benchmarks.graphs.rules import precision_and_recall
from benchmarks.mistakes.contest import by_process, fitting_and_precision
from benchmarks.mistakes.fitting import JUDGES, accuracy_interval
from benchmarks.mistakes.powl import CHANGES, HALF, rejected_by_change
from benchmarks.mistakes.rework import flagged
from benchmarks.table_parts import (
    NEXT,
    Table,
    code,
    crossed,
    listed,
    number,
    same,
    several,
    share,
    text,
)

FITS = {
    "accuracy": share("accuracy"),
    "interval": accuracy_interval,
    "TPR": share("true_positive_rate"),
    "TNR": share("true_negative_rate"),
}
RUNS_FIT = {
    "method": code("method"),
    "a run fits if": text("about"),
    **FITS,
    "TPR, unseen": share("unseen_true_positive_rate"),
    " / ".join(CHANGES): rejected_by_change,
    **NEXT,
}
RULE_TABLES: dict[str, Table] = {
    "contest": listed(
        "contest",
        {
            "method": code("method"),
            "a trace fits if": text("about"),
            **FITS,
            "by process": by_process,
            **NEXT,
        },
        data=CONTEST,
    ),
    "contest-logs": crossed(
        "contest",
        "method",
        ("method", same(tuple(JUDGES))),
        ("data", {name: name for name in LOGS}),
        fitting_and_precision,
    ),
    "powl": listed(PROCESSES, RUNS_FIT, data=PROCESSES),
    "powl-half": listed(PROCESSES, RUNS_FIT, data=HALF),
    "rework": listed(
        "rework",
        {
            "data": text("data"),
            "graph": code("method"),
            "recordings": number("recordings"),
            "undoing found": several(number("found"), number("expected"), joined=" of "),
            "extra": number("extra"),
            "taken off": flagged("removals"),
            "put on again": flagged("reinstalls"),
            "other steps": share("others_flagged"),
        },
    ),
    "rules": listed(
        "rules",
        {
            "by": text("method"),
            "errors": lambda row: f"{100 * row['errors']:g} %",
            "recordings": number("recordings"),
            "choices": precision_and_recall("choices"),
            "undoing": precision_and_recall("undoings"),
            "goes with": precision_and_recall("goes_with"),
        },
    ),
    "rules-found": listed(
        "rules-found",
        {
            "recordings of": text("about"),
            "rules there": text("rules"),
            "procedures": number("procedure_count"),
            "recordings": number("recordings"),
            "steps": number("steps"),
            "choices": number("choices"),
            "undoing": number("undoings"),
            "goes with": number("goes_with"),
            "procedures with any": number("with_rules"),
        },
    ),
}
