"""Logs and procedures of any size, made up for measurements: the same for the same size."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.generators import draw_demonstrations, random_procedure
from stepgraph.errors import MissingExtraError
from stepgraph.sequences import Demonstrations

EVENTS = 16
"""How many steps each recording of a generated log has."""


def many_procedures(
    number: int, *, recordings: int = 10, steps: tuple[int, int] = (10, 20)
) -> list[Demonstrations]:
    """Return random procedures, their sizes spread evenly over a range of steps.

    Parameters
    ----------
    number
        How many.
    recordings
        How many demonstrations each has.
    steps
        The smallest and the largest number of steps.
    """
    span = steps[1] - steps[0] + 1
    procedures = []
    for seed in range(number):
        graph = random_procedure(steps[0] + seed % span, width=3, density=0.4, seed=seed)
        drawn = draw_demonstrations(graph, recordings, seed)
        procedures.append(replace(drawn, procedure=f"procedure {seed:07d}"))
    return procedures


def write_parquet_log(path: Path, rows: int) -> None:
    """Write a log of 100 procedures: recordings interleaved in time, some variants frequent.

    Parameters
    ----------
    path
        The file.
    rows
        How many events.

    Raises
    ------
    MissingExtraError
        If duckdb is not installed.
    """
    try:
        import duckdb
    except ModuleNotFoundError:
        raise MissingExtraError("writing a generated log", "logs") from None
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '1500MB'")
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"SET temp_directory = '{path.parent / 'spill'}'")
        connection.execute(
            f"""
            COPY (
                WITH numbered AS (
                    SELECT i // {EVENTS} AS recording, i % {EVENTS} AS place
                    FROM range({rows}) r(i)),
                drawn AS (
                    SELECT *, recording % 100 AS procedure, CAST(floor(2000 * pow(
                        hash(recording * 7 + 3) / 18446744073709551615.0, 6)) AS BIGINT) AS variant
                    FROM numbered),
                turned AS (
                    SELECT *, hash(procedure, variant, place // 4) % 3 AS turn FROM drawn),
                ordered AS (
                    SELECT *, place + CASE
                        WHEN turn = 0 THEN 0
                        WHEN turn = 1 THEN CASE WHEN place % 4 < 3 THEN 1 ELSE -3 END
                        ELSE CASE WHEN place % 2 = 0 THEN 1 ELSE -1 END END AS step
                    FROM turned)
                SELECT 'case ' || recording AS "case:concept:name",
                    'procedure ' || procedure AS procedure,
                    'step ' || step || ' of ' || procedure AS "concept:name",
                    TIMESTAMP '2024-01-01' + to_seconds(recording // 1000 * 60 + place * 7)
                        AS "time:timestamp"
                FROM ordered ORDER BY recording // 1000 * 60 + place * 7, recording
            ) TO '{path}' (FORMAT parquet)
            """  # noqa: S608 - the path is the benchmark's own
        )


def write_xes_log(path: Path, events: int) -> None:
    """Write an XES log of one procedure, with resources and lifecycles as real ones have."""
    with path.open("w", encoding="utf-8") as stream:
        stream.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1.0" '
            'xmlns="http://www.xes-standard.org/">\n<string key="concept:name" value="made up"/>\n'
        )
        for recording in range(events // EVENTS):
            stream.write(f'<trace>\n<string key="concept:name" value="case {recording}"/>\n')
            for place in range(EVENTS):
                step = (place * 7 + recording % 5) % EVENTS
                day = 1 + recording % 28
                stream.write(
                    f'<event>\n<string key="concept:name" value="step {step}"/>\n'
                    f'<string key="org:resource" value="person {place % 3}"/>\n'
                    f'<date key="time:timestamp" '
                    f'value="2024-01-{day:02d}T10:{place:02d}:00.000+01:00"/>\n'
                    '<string key="lifecycle:transition" value="complete"/>\n</event>\n'
                )
            stream.write("</trace>\n")
        stream.write("</log>\n")
