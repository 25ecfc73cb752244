"""Equal recordings of a log counted together: the table of its weighted variants."""

from __future__ import annotations

from stepgraph.errors import FormatError
from stepgraph.logs.engine import Engine
from stepgraph.logs.events import Events
from stepgraph.logs.filters import LogFilter

ROWS_AT_ONCE = 25_000_000
"""How many events are put in order at once; more are taken in parts, so that memory is bounded."""


def count_variants(engine: Engine, keep: LogFilter, events: Events, where: str) -> list[str]:
    """Fill the table ``variants`` from the events: procedure, steps, n, id."""
    parts = max(1, -(-engine.row("SELECT count(*) FROM events")[0] // ROWS_AT_ONCE))
    for part in range(parts):
        some = f"WHERE hash(recording) % {parts} = {part}" if parts > 1 else ""
        query = _variants(f"events {some}", "recording", keep)
        engine.run(f"{'INSERT INTO parts' if part else 'CREATE TABLE parts AS'} {query}")
    notes = []
    shared = engine.row("SELECT sum(n) FROM parts WHERE procedure <> other")[0]
    if shared:
        notes.append(_split(engine, keep, int(shared), events))
    engine.run(
        "CREATE TABLE variants AS SELECT procedure, steps, sum(n)::BIGINT AS n, min(id) AS id "
        "FROM parts WHERE inside GROUP BY procedure, steps ORDER BY procedure, n DESC, steps"
    )
    total, kept = engine.row(
        "SELECT sum(n)::BIGINT, (sum(n) FILTER (WHERE inside))::BIGINT FROM parts"
    )
    engine.run("DROP TABLE parts")
    if not kept:
        raise FormatError(
            f"{where}: no recording is left: none of {total} lies between the dates as a whole"
        )
    if kept < total:
        notes.append(f"{total - kept} of {total} recordings left out: not between the dates")
    return notes


def _variants(events: str, key: str, keep: LogFilter) -> str:
    """Return the query for the variants of some events, by their recordings' key."""
    return f"""
        SELECT procedure, other, steps, count(*) AS n, min(recording) AS id, inside FROM (
            SELECT min(procedure) AS procedure, max(procedure) AS other, recording,
                list(step ORDER BY time, rowid) AS steps, {keep.inside} AS inside
            FROM {events} GROUP BY {key})
        GROUP BY procedure, other, steps, inside
        """


def _split(engine: Engine, keep: LogFilter, number: int, events: Events) -> str:
    """Count recordings that several procedures share once in each of them."""
    engine.run(
        "CREATE TABLE shared AS SELECT recording FROM events GROUP BY recording "
        "HAVING min(procedure) <> max(procedure)"
    )
    engine.run("DELETE FROM parts WHERE procedure <> other")
    some = "events WHERE recording IN (SELECT recording FROM shared)"
    engine.run(f"INSERT INTO parts {_variants(some, 'procedure, recording', keep)}")
    example, one, other = engine.row(
        "SELECT recording, min(procedure), max(procedure) FROM events "
        "WHERE recording = (SELECT min(recording) FROM shared) GROUP BY recording"
    )
    subject = f"{number} recordings are" if number > 1 else "a recording is"
    return (
        f"{subject} listed under more than one procedure, such as {example!r} under "
        f"{events.procedures[one]!r} and {events.procedures[other]!r}; each procedure keeps its "
        "own part"
    )
