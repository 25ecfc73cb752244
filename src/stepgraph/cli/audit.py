"""`stepgraph audit`: find the recordings that are wrong, and where."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stepgraph.cli import options
from stepgraph.cli.output import count, echo, print_json, print_notes, print_notes_on, print_table

if TYPE_CHECKING:
    from stepgraph.insight import Audit, AuditedRecording


COLUMNS = (
    "trusted: how reliable the recording is; out of order: how many steps more than usual would "
    "have to move; skipped, repeated: how many steps; fractions where it is not certain"
)
OTHER = "other alternative: how many steps of one although another one was taken"


def audit(
    demos: options.Demos,
    order: options.Order = None,
    procedure: options.Procedure = None,
    file_format: options.Format = None,
    column: options.ColumnNames = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also list the recordings without a finding.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Find the recordings that are wrong, and where.

    The command compares each recording with the order that most recordings agree on. All
    recordings count, including those with marked mistakes that 'learn' leaves out. Recordings
    with the most slips come first. Recordings of another procedure are pointed out.

    The table shows the trust in each recording, the number of its steps that would have to move,
    beyond the usual one in ten, and the numbers of steps skipped or repeated by mistake. A
    fraction means that it is not certain. The steps that are probably part of a mistake follow
    below. If two steps changed places, both are listed, and one would have to move.

    A step of an alternative is skipped only if another step of it is done, and a step is not
    repeated by mistake if something undid it. Doing two alternatives is a mistake of its own.

    The exit code is always 0.

    Example: stepgraph audit pancakes.csv
    """
    from stepgraph.formats import read_demonstrations
    from stepgraph.insight import audit as audit_recordings

    reading = read_demonstrations(demos, **options.reading(file_format, order, procedure, column))
    found = [audit_recordings(given) for given in reading.procedures.values()]
    print_notes_on(reading.procedures, reading.notes)
    if as_json:
        print_json([_as_json(one) for one in found])
        return
    for number, one in enumerate(found):
        if number:
            echo()
        _print(one, every=every)


def _print(found: Audit, *, every: bool) -> None:
    faulty = [entry for entry in found.recordings if entry.findings or entry.other_procedure]
    about = f"{found.procedure}: " if found.procedure else ""
    clean = len(found.recordings) - len(faulty)
    title = (
        f"{about}{count(len(found.recordings), 'recording')}, {len(faulty)} with findings, "
        f"{clean} without"
    )
    shown = found.recordings if every else faulty
    if shown:
        other = any(entry.other_alternative for entry in shown)
        print_table(
            ["recording", "trusted", "out of order", "skipped", "repeated"]
            + ["other alternative"] * other,
            [_row(entry, other=other) for entry in shown],
            title=title,
        )
        echo(f"{COLUMNS}; {OTHER}" if other else COLUMNS)
    else:
        echo(title)
    for entry in faulty:
        echo()
        echo(f"{entry.id}:")
        if entry.other_procedure:
            echo(f"  probably of another procedure: it {entry.other_procedure}")
            continue
        for finding in entry.findings:
            place = "      " if finding.position is None else f"step {finding.position}"
            echo(f"  {place}  '{finding.step}' {finding.slip.value}: {finding.evidence}")
    print_notes(found.notes)


def _row(entry: AuditedRecording, *, other: bool) -> list[str]:
    slips = [entry.out_of_order, entry.skipped, entry.repeated]
    slips += [entry.other_alternative] * other
    return [entry.id, f"{100 * entry.reliability:.0f} %", *(f"{slip:.1f}" for slip in slips)]


def _as_json(found: Audit) -> dict[str, Any]:
    return {
        "procedure": found.procedure,
        "recordings": [
            {"recording": entry.id, "slips": entry.slips}
            | {name: value for name, value in dataclasses.asdict(entry).items() if name != "id"}
            for entry in found.recordings
        ],
        "notes": list(found.notes),
    }
