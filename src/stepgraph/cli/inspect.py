"""`stepgraph inspect`: what an event log holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output import count, echo, in_flags, print_json, print_notes, print_table
from stepgraph.cli.recordings import LogOptions, with_log_options

if TYPE_CHECKING:
    from stepgraph.logs import LogProfile
    from stepgraph.logs.profile import Listed

LONGEST_NAME = 300
"""Longer names are cut in tables; JSON has them whole."""


@with_log_options
def inspect(
    log: Annotated[
        str,
        typer.Argument(
            metavar="LOG",
            help="The log: Parquet, CSV, JSON Lines or XES, also compressed, or a glob of them.",
            show_default=False,
        ),
    ],
    *,
    column: options.ColumnNames = None,
    order: options.Order = None,
    given: LogOptions,
    as_json: options.AsJson = False,
) -> None:
    """Say what an event log holds before learning from it.

    Example: stepgraph inspect events.parquet
    """
    from stepgraph.logs import profile_log

    profile = profile_log(log, **given.reading(column, order))
    if as_json:
        print_json(profile.to_json())
        return
    print_notes(profile.notes)
    _print(profile)


def _print(profile: LogProfile) -> None:
    echo(
        f"{profile.log}: {count(profile.recordings, 'recording')}, {count(profile.steps, 'step')}, "
        f"{count(profile.variants, 'variant')}, {count(profile.procedures, 'procedure')}, "
        f"{count(profile.events, 'event')}"
    )
    span = "" if profile.since is None else f"{profile.since} to {profile.until}"
    gaps = ""
    if profile.gap_median is not None:
        unit = " s" if profile.since is not None else ""
        gaps = f"{profile.gap_median:g}{unit} in the median, {profile.gap_longest:g}{unit} at most"
    facts = [
        ("columns", ", ".join(f"{role} = {name}" for role, name in profile.columns.items())),
        ("steps a recording", f"{profile.shortest} to {profile.longest}, median {profile.median}"),
        ("repetition", f"{_percent(profile.repeating)} of the recordings repeat a step"),
        ("variants that come once", _percent(profile.once)),
        ("complete recordings", _percent(profile.complete)),
        ("time", span),
        ("gaps between steps", gaps),
    ]
    print_table(["", ""], [fact for fact in facts if fact[1]])
    if profile.procedures > 1:
        _list("procedure", profile.top_procedures, profile.procedures)
    _list("step", profile.top_steps, profile.steps)
    if profile.steps > len(profile.top_steps):
        _list("rarest steps", profile.rarest_steps, profile.steps)
    _list("variant", profile.top_variants, profile.variants)
    for problem in profile.problems:
        echo(f"look at: {in_flags(problem)}")


def _list(what: str, listed: tuple[Listed, ...], total: int) -> None:
    echo()
    rows = [[_short(one.name), str(one.recordings), _percent(one.share)] for one in listed]
    repeats = any(one.repeated for one in listed)
    if repeats:
        rows = [[*row, _percent(one.repeated)] for row, one in zip(rows, listed, strict=True)]
    more = f" ({len(listed)} of {total})" if len(listed) < total else ""
    titles = [f"{what}{more}", "recordings", "share", *(["repeated"] if repeats else [])]
    print_table(titles, rows)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."
