"""XES, the event log format of process mining, read as a stream.

The reader uses the standard library's expat and takes the attributes of traces and events only. It
refuses entities and document types, limits the growth of a compressed file and the length of a
value, so that a hostile file ends in an error.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

from stepgraph.errors import FileError, FormatError
from stepgraph.logs.engine import LONGEST_LINE

CASE = "case:"
"""The prefix of a trace's attributes, to distinguish them from an event's."""
COLUMNS = ("case:concept:name", "concept:name", "time:timestamp", "lifecycle:transition")
"""The usual columns: recording, step, time and lifecycle."""

OWN_NAME = COLUMNS[0]

CHUNK = 1 << 18
LARGEST_RATIO = 200
"""Maximum growth of a compressed file, as a multiple of its size; logs grow 10 to 50 times."""
RATIO_FROM = 100_000_000
"""Minimum size in bytes from which the ratio counts."""

Events = dict[str, list[Any]]
"""Values by column, one for each event; None for no value."""


class XesReader:
    """Reads events out of an XES file.

    Parameters
    ----------
    path
        The file, ``.xes`` or ``.xes.gz``.
    wanted
        The attributes to read; those of traces begin with ``case:``.
    longest
        Maximum bytes of a value.
    ratio_from
        Minimum size in bytes from which the growth of a compressed file counts.
    """

    def __init__(
        self,
        path: str | Path,
        wanted: tuple[str, ...] = COLUMNS,
        *,
        longest: int = LONGEST_LINE,
        ratio_from: int = RATIO_FROM,
    ) -> None:
        self.path = str(path)
        self.wanted = wanted
        self.others: set[str] = set()
        """The attributes that the file has besides those wanted, as far as it was read."""
        self.name = ""
        """The name of the log."""
        self.unnamed = self.doubled = 0
        """Number of traces without a name, and of those with the name of another one."""
        self._longest = longest
        self._ratio_from = ratio_from
        self._in_log = False
        self._whole = 0  # how many events of whole traces wait to be taken

    def batches(self, size: int = 20_000) -> Iterator[Events]:
        """Yield events in the order of the file, some at a time.

        Raises
        ------
        FileError
            If the file cannot be read or decompressed.
        FormatError
            If it is not XES, or hostile.
        """
        columns: Events = {key: [] for key in self.wanted}
        self._whole = 0
        parser = self._parser(columns)
        fed = 0
        for chunk in self._chunks():
            self._feed(parser, chunk)
            fed += len(chunk)
            if fed - parser.CurrentByteIndex > self._longest:
                raise FormatError(
                    f"{self.path}: line {parser.CurrentLineNumber}: a value is longer than "
                    f"{self._longest:,} bytes; is this a log?"
                )
            if self._whole >= size:
                yield self._taken(columns)
        self._feed(parser, b"", last=True)
        if not self._in_log:
            raise FormatError(
                f"{self.path}: no XES; expected a 'log' element with 'trace' elements"
            )
        if self._whole:
            yield self._taken(columns)

    def _taken(self, columns: Events) -> Events:
        """Take the events of whole traces; those of a trace that has not ended stay."""
        whole = {key: values[: self._whole] for key, values in columns.items()}
        for values in columns.values():
            del values[: self._whole]
        self._whole = 0
        return whole

    def _feed(self, parser: Any, chunk: bytes, *, last: bool = False) -> None:
        try:
            parser.Parse(chunk, last)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise FormatError(
                f"{self.path}: line {error.lineno}, column {error.offset}: broken XML ({reason})"
            ) from None
        except (LookupError, ValueError) as error:  # of an encoding that the XML declares
            raise FormatError(
                f"{self.path}: line {parser.CurrentLineNumber}: an encoding that cannot be read "
                f"({error}); save the file with the encoding UTF-8"
            ) from None

    def _parser(self, columns: Events) -> Any:
        """Return a parser that adds one value an event to each column.

        Its handlers run a million times for a hundred thousand events, so they keep nothing but the
        values: rows would keep the garbage collector busy.
        """
        parser = expat.ParserCreate()
        parser.ordered_attributes = True  # a list is made faster than a mapping
        of_event = {key: values for key, values in columns.items() if not key.startswith(CASE)}
        of_trace = {key: values for key, values in columns.items() if key.startswith(CASE)}
        event_columns = tuple(of_event.values())
        others, names = self.others, set[str]()
        trace: dict[str, str | None] = {}  # the attributes of the current trace
        depth = events = 0
        in_trace = in_event = False

        def start(name: str, attributes: list[str]) -> None:
            nonlocal depth, events, in_trace, in_event
            depth += 1
            if depth == 4:
                if in_event:
                    if len(attributes) != 4 or attributes[0] != "key":
                        attributes = _ordered(attributes)
                    column = of_event.get(attributes[1])
                    if column is None:
                        others.add(attributes[1])
                    else:
                        column[-1] = attributes[3]
            elif depth == 3:
                if not in_trace:
                    return
                if name == "event" or name.rpartition(":")[2] == "event":
                    in_event = True
                    events += 1
                    for column in event_columns:
                        column.append(None)
                    return
                _, key, _, value = _ordered(attributes)
                if CASE + key in of_trace:
                    trace[CASE + key] = value
                else:
                    others.add(CASE + key)
            elif depth == 2:
                plain = name.rpartition(":")[2]
                in_trace = plain == "trace"
                if in_trace:
                    events = 0
                    trace.clear()
                elif plain == "string":
                    _, key, _, value = _ordered(attributes)
                    if key == "concept:name" and value:
                        self.name = value
            elif depth == 1:
                plain = name.rpartition(":")[2]
                if plain != "log":
                    raise FormatError(f"{self.path}: the XML holds {plain!r:.60}, expected 'log'")
                self._in_log = True

        def end(name: str) -> None:  # noqa: ARG001
            nonlocal depth, in_trace, in_event
            depth -= 1
            if depth == 2:
                in_event = False
            elif depth == 1 and in_trace:
                in_trace = False
                if OWN_NAME in of_trace:
                    own = trace.get(OWN_NAME)
                    if own is None:
                        self.unnamed += 1
                        own = trace[OWN_NAME] = f"trace {self.unnamed}"
                    self.doubled += own in names
                    names.add(own)
                for key, values in of_trace.items():
                    values.extend([trace.get(key)] * events)
                self._whole += events

        def refuse(*_: object) -> None:
            raise FormatError(
                f"{self.path}: line {parser.CurrentLineNumber}: the XML declares a document type "
                "or entities; a log needs none, and they are refused because they can be made to "
                "explode"
            )

        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.StartDoctypeDeclHandler = refuse
        parser.EntityDeclHandler = refuse
        return parser

    def _chunks(self) -> Iterator[bytes]:
        try:
            with Path(self.path).open("rb") as stream:
                if self.path.lower().endswith(".gz"):
                    yield from self._decompressed(stream)
                else:
                    while chunk := stream.read(CHUNK):
                        yield chunk
        except FileNotFoundError:
            raise FileError(f"{self.path}: no such file") from None
        except OSError as error:
            raise FileError(f"{self.path}: cannot be read ({error.strerror})") from None

    def _decompressed(self, stream: BinaryIO) -> Iterator[bytes]:
        taken = given = 0
        unpacker = zlib.decompressobj(wbits=31)
        try:
            while chunk := stream.read(CHUNK):
                taken += len(chunk)
                while chunk:
                    text = unpacker.decompress(chunk, CHUNK)
                    given += len(text)
                    if given > self._ratio_from and given > LARGEST_RATIO * taken:
                        raise FormatError(
                            f"{self.path}: grows to more than {LARGEST_RATIO} times its size; no "
                            "log does that, and it is refused because it could fill the memory"
                        )
                    yield text
                    chunk = unpacker.unconsumed_tail
                    if unpacker.eof:  # another part may follow in the same file
                        chunk = unpacker.unused_data
                        unpacker = zlib.decompressobj(wbits=31)
        except zlib.error as error:
            raise FileError(f"{self.path}: no gzip file, or a broken one ({error})") from None


def _ordered(attributes: list[str]) -> list[Any]:
    """Return an element's key and value, in their usual order."""
    pairs = dict(zip(attributes[::2], attributes[1::2], strict=True))
    return ["key", pairs.get("key", ""), "value", pairs.get("value")]
