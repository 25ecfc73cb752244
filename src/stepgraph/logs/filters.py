"""Which recordings of a log count: by date, completeness and frequency."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from stepgraph.errors import FormatError, SettingError, UnknownNameError
from stepgraph.logs.engine import Engine
from stepgraph.logs.times import moment

USUAL_SHARE = 0.05
"""A step that begins, or ends, at least this share of a procedure's recordings usually does so."""


@dataclass(frozen=True)
class LogFilter:
    """What to leave out of a log. Applied in the order of the fields; all are optional.

    Parameters
    ----------
    since, until
        Keep recordings that lie between these moments as a whole. A date without a time means
        the whole day; a moment without a zone is in UTC.
    complete
        Keep only recordings that begin and end as recordings of their procedure usually do: with
        a step that begins, or ends, at least one in twenty of them.
    first_step, last_step
        Keep only recordings that begin, or end, with this step.
    min_step
        Leave out steps that fewer recordings of the procedure show.
    min_variant
        Leave out sequences that fewer recordings show.
    top_variants
        Keep only so many sequences of each procedure, the most frequent.

    Raises
    ------
    SettingError
        If a value cannot be.
    """

    since: str | datetime | None = None
    until: str | datetime | None = None
    complete: bool = False
    first_step: str | None = None
    last_step: str | None = None
    min_step: int = 1
    min_variant: int = 1
    top_variants: int | None = None

    def __post_init__(self) -> None:
        for name in ("min_step", "min_variant", "top_variants"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < 1):
                raise SettingError(f"{name} is {value!r}; expected a whole number from 1 on")
        since, until = self.bounds
        if since is not None and until is not None and since > until:
            raise SettingError(f"since {self.since} is later than until {self.until}")

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        """The dates as microseconds since 1970."""
        return (
            None if self.since is None else moment(self.since, "since"),
            None if self.until is None else moment(self.until, "until", end=True),
        )

    @property
    def inside(self) -> str:
        """SQL for whether a recording lies between the dates, over the times of its events."""
        since, until = self.bounds
        parts = [f"min(time) >= {since}"] if since is not None else []
        # Below the next microsecond, as times may be finer than a moment that is given.
        parts += [f"max(time) < {until + 1}"] if until is not None else []
        return " AND ".join(parts) or "true"

    @property
    def by_sequence(self) -> bool:
        """Whether more than the dates decides what counts."""
        return self != LogFilter(self.since, self.until)

    def apply(self, engine: Engine, steps: list[str], where: str) -> list[str]:
        """Leave out what does not count of the table ``variants``; return notes on it.

        Parameters
        ----------
        engine
            It holds the table ``variants``: procedure, steps, n, id.
        steps
            The step names by their codes.
        where
            The log, for messages.

        Raises
        ------
        FormatError
            If nothing is left.
        """
        notes = []
        for what, statements in self._statements(steps, where):
            before = _recordings(engine)
            for statement in statements:
                engine.run(statement)
            after = _recordings(engine)
            if not after:
                raise FormatError(
                    f"{where}: no recording is left: none of {before} {what}; "
                    "look at the log with 'stepgraph inspect'"
                )
            if after < before:
                notes.append(f"{before - after} of {before} recordings left out: not one {what}")
        return notes

    def _statements(self, steps: list[str], where: str) -> list[tuple[str, list[str]]]:
        found: list[tuple[str, list[str]]] = []
        if self.complete:
            both = f"{usual('list_first')} AND {usual('list_last')}"
            found.append(
                ("begins and ends as is usual", [f"DELETE FROM variants WHERE NOT ({both})"])
            )
        for name, place, verb in (
            (self.first_step, "list_first", "begins"),
            (self.last_step, "list_last", "ends"),
        ):
            if name is not None:
                if name not in steps:
                    raise UnknownNameError("step", name, steps, where)
                found.append(
                    (
                        f"{verb} with {name!r}",
                        [f"DELETE FROM variants WHERE {place}(steps) <> {steps.index(name)}"],
                    )
                )
        if self.min_step > 1:
            found.append(
                (f"shows a step that {self.min_step} recordings show", _rare_steps(self.min_step))
            )
        if self.min_variant > 1:
            found.append(
                (
                    f"has a sequence that {self.min_variant} recordings have",
                    [f"DELETE FROM variants WHERE n < {self.min_variant}"],
                )
            )
        if self.top_variants is not None:
            found.append(
                (
                    f"has one of the {self.top_variants} most frequent sequences",
                    [
                        (
                            "CREATE OR REPLACE TABLE variants AS SELECT * FROM variants "
                            "QUALIFY row_number() OVER (PARTITION BY procedure "
                            f"ORDER BY n DESC, steps) <= {self.top_variants}"
                        )
                    ],
                )
            )
        return found


def _recordings(engine: Engine) -> int:
    return int(engine.row("SELECT coalesce(sum(n), 0) FROM variants")[0])


def usual(place: str) -> str:
    """Return the condition that a variant's first or last step usually stands there.

    Parameters
    ----------
    place
        ``"list_first"`` or ``"list_last"``.
    """
    return f"""
        (procedure, {place}(steps)) IN (
            SELECT (procedure, step) FROM (
                SELECT procedure, step, here, sum(here) OVER (PARTITION BY procedure) AS everywhere
                FROM (
                    SELECT procedure, {place}(steps) AS step, sum(n) AS here
                    FROM variants GROUP BY procedure, {place}(steps)))
            WHERE here >= {USUAL_SHARE} * everywhere)
        """


def _rare_steps(least: int) -> list[str]:
    return [
        f"""
        CREATE OR REPLACE TABLE frequent AS
        SELECT procedure, list(step) AS kept FROM (
            SELECT procedure, step, sum(n) AS shown FROM (
                SELECT procedure, unnest(list_distinct(steps)) AS step, n FROM variants)
            GROUP BY ALL HAVING shown >= {least})
        GROUP BY procedure
        """,
        """
        CREATE OR REPLACE TABLE variants AS
        SELECT procedure, steps, sum(n)::BIGINT AS n, min(id) AS id FROM (
            SELECT procedure, list_filter(steps, lambda step: list_contains(kept, step)) AS steps,
                n, id
            FROM variants JOIN frequent USING (procedure))
        WHERE len(steps) > 0 GROUP BY procedure, steps
        """,
    ]
