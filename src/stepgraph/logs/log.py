"""An opened log: its procedures, and the weighted variants of each on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from stepgraph.errors import FormatError, SettingError, UnknownNameError
from stepgraph.formats.reading import ORDERS, Reading
from stepgraph.logs.engine import LONGEST_LINE, MEMORY, Engine, name
from stepgraph.logs.events import Events, load_events, log_columns
from stepgraph.logs.filters import LogFilter, count_variants
from stepgraph.logs.source import (
    Source,
    as_path,
    expect_log,
    format_of,
    is_table,
    local_files,
    open_files,
    open_table,
)
from stepgraph.logs.xes import COLUMNS, XesReader
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary


@dataclass(frozen=True)
class ProcedureSize:
    """The size of a procedure of a log.

    Parameters
    ----------
    name
        The name of the procedure.
    variants, recordings
        Number of distinct sequences, and of recordings behind them.
    longest
        The number of events of its longest sequence.
    """

    name: str
    variants: int
    recordings: int
    longest: int


class Log:
    """An opened log; the engine holds the variants of its procedures.

    Use `open_log` to get one.

    Parameters
    ----------
    engine
        The engine with the tables ``events`` and ``variants``.
    where
        The log, for messages.
    events
        The description of the events.
    columns, guessed
        The column of each role, and the guessed ones among these.
    notes
        Sentences about what was merged, left out or guessed.
    keep
        The filters of the log.
    """

    def __init__(
        self,
        engine: Engine,
        where: str,
        events: Events,
        columns: Mapping[str, str],
        guessed: Sequence[str],
        notes: Sequence[str],
        keep: LogFilter,
    ) -> None:
        self.engine = engine
        self.where = where
        self.events = events
        self.columns = dict(columns)
        self.guessed = tuple(guessed)
        self.notes = tuple(notes)
        self.keep = keep
        with engine.errors(where):
            sizes = engine.rows(
                "SELECT procedure, count(*), round(sum(n))::BIGINT, max(len(steps)) FROM variants "
                "GROUP BY procedure ORDER BY procedure"
            )
            self._is_numbered = self._number_as_listed()
        self._codes = {events.procedures[code]: code for code, *_ in sizes}
        self.procedures = tuple(
            ProcedureSize(events.procedures[code], *numbers) for code, *numbers in sizes
        )
        """The procedures, by name."""

    def demonstrations(self, procedures: Sequence[str] | None = None) -> list[Demonstrations]:
        """Return the recordings of some procedures, equal ones once, with their number as weight.

        Parameters
        ----------
        procedures
            Their names; by default all.

        Raises
        ------
        UnknownNameError
            If there is no such procedure.
        """
        wanted = [size.name for size in self.procedures] if procedures is None else procedures
        for one in wanted:
            if one not in self._codes:
                raise UnknownNameError("procedure", one, self._codes, self.where)
        if not wanted:
            return []
        codes = ", ".join(str(self._codes[one]) for one in wanted)
        with self.engine.errors(self.where):
            rows = self.engine.rows(
                "SELECT procedure, steps, marks, skipped, n, id FROM variants "
                f"WHERE procedure IN ({codes}) ORDER BY procedure, first"
            )
            listed: dict[int, list[int]] = {}
            if self._is_numbered:
                for code, step in self.engine.rows(
                    "SELECT procedure, step FROM step_places "
                    f"WHERE procedure IN ({codes}) ORDER BY procedure, place"
                ):
                    listed.setdefault(code, []).append(step)
        found = {
            self.events.procedures[code]: self._demonstrations(
                code, list(group), listed.get(code, [])
            )
            for code, group in groupby(rows, key=lambda row: row[0])
        }
        return [found[one] for one in wanted]

    def _number_as_listed(self) -> bool:
        """Save the first place of each step in the file, if the variants lose it.

        A reader of the whole file numbers steps as they are listed, and some methods break ties by
        these numbers. The variants lose that order where they are sorted, or list skipped steps.
        """
        if not self.events.is_text or (self.events.order == "file" and not self.events.is_marked):
            return False
        self.engine.run(
            """
            CREATE TABLE step_places AS SELECT procedure, step, min([first, place]) AS place FROM (
                SELECT procedure, step, rowid AS place,
                    min(rowid) OVER (PARTITION BY procedure, recording) AS first FROM events)
            GROUP BY procedure, step
            """
        )
        return True

    def _demonstrations(
        self, code: int, rows: list[tuple[Any, ...]], listed: Sequence[int]
    ) -> Demonstrations:
        found = dict.fromkeys(step for row in rows for step in (*row[1], *row[3]))
        order = [step for step in listed if step in found] or found
        nodes = {step: number for number, step in enumerate(order, start=1)}
        sequences = []
        names = self.events.marks
        for _, steps, marks, skipped, number, id_ in rows:
            sequences.append(
                KeyStepSequence(
                    id_,
                    tuple(map(nodes.__getitem__, steps)),
                    mistakes=tuple(names[m] for m in marks) if self.events.is_marked else None,
                    skipped=tuple(map(nodes.__getitem__, skipped)),
                    weight=float(number),
                )
            )
        vocabulary = Vocabulary(tuple(self.events.steps[step] for step in nodes))
        return Demonstrations(vocabulary, tuple(sequences), self.events.procedures[code])


@contextmanager
def open_log(
    log: Any,
    *,
    columns: Mapping[str, str] | None = None,
    order: str | None = None,
    time_format: str | None = None,
    keep: LogFilter | None = None,
    memory: str = MEMORY,
    threads: int | None = None,
    longest_line: int = LONGEST_LINE,
) -> Iterator[Log]:
    """Open a log.

    Parameters
    ----------
    log
        A path, a glob or an address of Parquet, CSV or JSON Lines; a path of XES; or an Arrow
        table, such as those of pandas, polars and pyarrow.
    columns
        The columns of the recording, step, start, end, mistake, procedure, weight or lifecycle, if
        their names do not tell; the steps are sorted by ``time``.
    order
        ``"start"`` and ``"end"`` sort by time, ``"file"`` keeps the order of the rows. CSV and JSON
        Lines keep it by default; others sort by time if they have one. Rows of the same time keep
        their order.
    time_format
        The format of times other than ISO 8601, as for strptime.
    keep
        The filters.
    memory, threads
        The memory and threads of the engine.
    longest_line
        Maximum bytes of a line, or of a value of XES.

    Raises
    ------
    MissingExtraError
        If duckdb is not installed.
    FileError
        If the log cannot be read.
    FormatError
        If it is not a log, or the filters leave nothing.
    """
    if order is not None and order not in ORDERS:
        raise SettingError(f"the order is {order!r}; expected one of {', '.join(ORDERS)}")
    keep = keep or LogFilter()
    given = dict(columns or {})
    if not is_table(log):
        expect_log(as_path(log))
    engine = Engine(memory=memory, threads=threads)
    try:
        notes: list[str] = []
        called = ""
        if is_table(log):
            source = open_table(engine, log)
        else:
            log = str(log)
            called = _name(log)
            if format_of(log) == "xes":
                source, called, notes = _load_xes(engine, log, given, longest_line)
            else:
                source = open_files(engine, log, longest_line=longest_line)
        mapped, on_columns = log_columns(source, given, order)
        events = load_events(
            engine, source, mapped, order=order, time_format=time_format, procedure=called
        )
        if keep.bounds != (None, None) and not events.is_dated:
            raise SettingError(
                f"{source.where}: since and until need dates to compare with; the log has "
                + ("numbers as times" if events.is_timed else "no time column")
            )
        with engine.errors(source.where):
            notes += [
                *on_columns,
                *events.notes,
                *count_variants(engine, keep, events, source.where),
            ]
            notes += keep.apply(engine, events.steps, source.where)
        guessed = [role for role, column in mapped.items() if column not in given.values()]
        yield Log(engine, source.where, events, mapped, guessed, notes, keep)
    finally:
        engine.close()


def read_log(log: Any, *, procedure: str | None = None, **options: Any) -> Reading:
    """Read the recordings of all procedures of a log, equal ones once, with a weight.

    Parameters
    ----------
    log
        As for `open_log`.
    procedure
        Keep only this procedure.
    **options
        The options of `open_log`.
    """
    with open_log(log, **options) as opened:
        wanted = None if procedure is None else [procedure]
        found = opened.demonstrations(wanted)
        return Reading({given.procedure: given for given in found}, opened.notes)


def _name(where: str) -> str:
    name = where.rstrip("/").replace("\\", "/").rpartition("/")[2].split("?")[0]
    return name.split(".")[0].strip("*-_ ") or "log"


def _load_xes(
    engine: Engine, where: str, given: Mapping[str, str], longest: int
) -> tuple[Source, str, list[str]]:
    wanted = tuple(dict.fromkeys((*COLUMNS, *given.values())))
    engine.run(f"CREATE TABLE xes ({', '.join(f'{name(key)} VARCHAR' for key in wanted)})")
    found: dict[str, None] = {}
    called, unnamed, doubled = "", 0, 0
    for path in local_files(where):
        reader = XesReader(path, wanted, longest=longest)
        for batch in reader.batches():
            found |= {key: None for key, values in batch.items() if any(values)}
            arrays = {key: np.array(values, dtype=object) for key, values in batch.items()}
            with engine.errors(where):
                engine.connection.register("batch", arrays)
                engine.run("INSERT INTO xes SELECT * FROM batch")
                engine.connection.unregister("batch")
        found |= dict.fromkeys(sorted(reader.others))
        called = called or reader.name
        unnamed, doubled = unnamed + reader.unnamed, doubled + reader.doubled
    columns = [key for key in wanted if key in found]
    if "concept:name" not in columns and "step" not in given:
        others = ", ".join(map(repr, found)) or "none"
        raise FormatError(
            f"{where}: no event has a 'concept:name'; the attributes are {others}; name the step's "
            "with columns={'step': NAME}"
        )
    if COLUMNS[0] not in columns:  # traces without a name are numbered
        columns.insert(0, COLUMNS[0])
    notes = []
    if unnamed:
        notes.append(f"{unnamed} traces have no name and were numbered")
    if doubled:
        notes.append(f"{doubled} traces have the name of another one and were joined with it")
    unused = [key for key in found if key not in columns]
    source = Source(where, tuple(columns), "xes", tuple(map(name, columns)), unread=tuple(unused))
    return source, called or _name(where), notes
