"""What all monitors share: checked observations, undo, and saving and resuming a session.

A session is a sequence of immutable moments; undo goes back to an earlier one. Its state is
versioned JSON with a fingerprint of the graph, and resumes with that graph only.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from stepgraph.errors import FormatError, InputError
from stepgraph.files import write_text
from stepgraph.formats.json_text import VERSION, dump_json, expect_format, finite_number, read_json
from stepgraph.graph import TaskGraph
from stepgraph.graph.edges import bits
from stepgraph.graph.task_graph import expect_graph
from stepgraph.monitoring.plan import Plan

UNDO_LIMIT = 32
"""Maximum number of observations that `undo` can take back; it keeps a long session small."""


class SomeMoment(Protocol):
    """The immutable state of a session between two observations."""

    @property
    def observed(self) -> int:
        """Number of observations."""


M = TypeVar("M", bound=SomeMoment)


class Session(ABC, Generic[M]):
    """One session of a procedure, as a sequence of moments.

    Parameters
    ----------
    graph
        The procedure's graph.
    first
        The moment before any observation.
    """

    __slots__ = ("_now", "_past", "graph")

    graph: TaskGraph
    _now: M
    _past: deque[M]

    def __init__(self, graph: TaskGraph, first: M) -> None:
        self.graph = expect_graph(graph, "a monitor")
        self._now = first
        self._past = deque(maxlen=UNDO_LIMIT)

    @property
    def observed(self) -> int:
        """Number of observations, unknown and repeated steps included."""
        return self._now.observed

    @property
    @abstractmethod
    def mistakes(self) -> int:
        """Number of mistakes so far that follow from no earlier one."""

    def undo(self) -> None:
        """Take back the last observation.

        Raises
        ------
        InputError
            If there is none, or the last `UNDO_LIMIT` have been taken back already.
        """
        if not self._past:
            if not self._now.observed:
                raise InputError("there is no observation to take back")
            raise InputError(f"only the last {UNDO_LIMIT} observations can be taken back")
        self._now = self._past.pop()

    @property
    @abstractmethod
    def state(self) -> dict[str, Any]:
        """The session as plain JSON values, what `undo` needs included."""

    def save(self, path: str | Path) -> None:
        """Write the session's state to a versioned JSON file."""
        write_text(path, dump_json(self.state))

    @classmethod
    def resume(cls, graph: TaskGraph, state: str | Path | Mapping[str, Any]) -> Self:
        """Return a monitor that resumes a saved session.

        Parameters
        ----------
        graph
            The graph that the session began with.
        state
            The value of `state`, or the path of a file that `save` wrote.

        Raises
        ------
        FileError
            If the file cannot be read.
        FormatError
            If it is no state, one of a newer version, or one of another graph.
        """
        if not isinstance(state, str | Path | Mapping):
            raise FormatError(
                f"the state is {state!r:.40}; expected the value of 'state', or the path of a file"
            )
        where = "the state" if isinstance(state, Mapping) else str(state)
        content = dict(state) if isinstance(state, Mapping) else read_json(state)
        return cls._resumed(graph, content, where)

    @classmethod
    @abstractmethod
    def _resumed(cls, graph: TaskGraph, content: Any, where: str) -> Self:
        """Return a monitor that goes on from JSON values, or raise a `FormatError`."""


class Observation(NamedTuple):
    """Time and confidence of a step as numbers, and a remark where time runs backwards.

    Parameters
    ----------
    time, confidence
        The time and the confidence of the observation.
    last_time
        The time to compare the next one with.
    note
        A remark, or an empty text.
    """

    time: float | None
    confidence: float | None
    last_time: float | None
    note: str


def as_observation(step: Any, time: Any, confidence: Any, last_time: float | None) -> Observation:
    """Return an observation with its time and confidence checked.

    Raises
    ------
    InputError
        If the step is no text, or time or confidence no number in its range.
    """
    if not isinstance(step, str):
        raise InputError(f"a step is {step!r:.40}; expected its name, a text")
    note = ""
    if time is not None:
        time = as_number(time, "time", step)
        if last_time is not None and time < last_time:
            note = f"time runs backwards: {time:.15g} after {last_time:.15g}"
        last_time = time
    if confidence is not None:
        confidence = as_number(confidence, "confidence", step)
        if not 0 <= confidence <= 1:
            raise InputError(
                f"the confidence of {step!r} is {confidence:g}; expected a number from 0 to 1"
            )
    return Observation(time, confidence, last_time, note)


def as_number(value: Any, what: str, step: str) -> float:
    """Return a finite number.

    Raises
    ------
    InputError
        If the value is not a finite number.
    """
    # In this order, because the check for any real number is slow.
    if isinstance(value, float | int | Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise InputError(f"the {what} of {step!r} is {value!r:.40}; expected a finite number")


def fingerprint(graph: TaskGraph) -> str:
    """Return a hash of a graph's steps and edges that does not depend on their order.

    It covers attributes and rules, because verdicts depend on them.
    """
    import hashlib  # slow to load, and only saving and resuming need it

    content = json.dumps(
        [
            sorted(graph.steps),
            sorted(graph.edges),
            *([sorted(graph.optional_steps)] if graph.optional_steps else []),
            *([rules] if (rules := _rules(graph)) else []),
        ]
    )
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def _rules(graph: TaskGraph) -> dict[str, Any]:
    about = graph.attributes.items()
    rules = {
        "repeatable": sorted(step for step, own in about if own.repeatable),
        "goes_with": sorted([step, sorted(own.goes_with)] for step, own in about if own.goes_with),
        "choices": sorted(
            [sorted(map(sorted, choice.alternatives)), choice.optional] for choice in graph.choices
        ),
        "undoes": sorted([own.step, sorted(own.undone)] for own in graph.undoings),
    }
    return {name: rule for name, rule in rules.items() if rule}


def check_state(content: Any, name: str, graph: TaskGraph, where: str) -> None:
    """Check that JSON values are a session's state, and one of this graph.

    Parameters
    ----------
    content
        The values.
    name
        The name of the format.
    graph
        The graph.
    where
        The file or call they came from, for messages.

    Raises
    ------
    FormatError
        If they are not.
    """
    expect_format(content, name, where)
    if content.get("graph") == fingerprint(graph):
        return
    came = content.get("procedure")
    about = f", of {came!r}," if isinstance(came, str) and came else ""
    own = f" {graph.procedure!r}" if graph.procedure else ""
    raise FormatError(
        f"{where}: the state of a session with another graph{about} cannot go on with this "
        f"graph{own}; use the graph that the session began with"
    )


STATE_FORMAT = "stepgraph-monitor-state"


class Moment(NamedTuple):
    """The immutable state of a session between two observations.

    Parameters
    ----------
    observed
        Number of observations.
    performed
        The steps done, as a bit mask.
    reported
        The steps reported missing and not done since, as a bit mask.
    reported_at
        The position of the mistake that reported each of these, by node.
    time
        The last time that a step had.
    mistakes
        Number of mistakes that follow from no earlier one.
    undone
        The steps undone and not done again, as a bit mask.
    wrong
        The steps last done without something that they need, with the position of the mistake
        that reported it, by node.
    """

    observed: int = 0
    performed: int = 0
    reported: int = 0
    reported_at: Mapping[int, int] = {}
    time: float | None = None
    mistakes: int = 0
    undone: int = 0
    wrong: Mapping[int, int] = {}


def state_to_json(graph: TaskGraph, now: Moment, past: Iterable[Moment]) -> dict[str, Any]:
    """Return a session's state as plain JSON values; steps are numbered from 0 on in 'steps'."""
    return {
        "format": STATE_FORMAT,
        "version": VERSION,
        "procedure": graph.procedure,
        "graph": fingerprint(graph),
        "steps": list(graph.steps),
        "now": _moment_to_json(now),
        "undo": [_moment_to_json(moment) for moment in past],
    }


def state_from_json(
    content: Any, graph: TaskGraph, plan: Plan, where: str
) -> tuple[Moment, list[Moment]]:
    """Return the state that JSON values describe, and the moments that undo goes back to.

    Raises
    ------
    FormatError
        If the content is no state, of a newer version, or of another graph.
    """
    check_state(content, STATE_FORMAT, graph, where)
    steps = content.get("steps")
    if (
        not isinstance(steps, list)
        or not all(isinstance(name, str) for name in steps)
        or sorted(steps) != sorted(graph.steps)
    ):
        raise FormatError(f"{where}: 'steps' are not the steps of the graph")
    nodes = [plan.nodes[name] for name in steps]
    past = content.get("undo")
    if not isinstance(past, list):
        raise FormatError(f"{where}: 'undo' is {past!r:.40}; expected a list")
    now = _moment_from_json(content.get("now"), nodes, plan, f"{where}: 'now'")
    moments = [
        _moment_from_json(raw, nodes, plan, f"{where}: entry {number} of 'undo'")
        for number, raw in enumerate(past, start=1)
    ]
    expected = range(now.observed - len(moments), now.observed)
    if [moment.observed for moment in moments] != list(expected):
        raise FormatError(f"{where}: 'undo' does not lead up to 'now', one observation at a time")
    return now, moments


def _moment_to_json(moment: Moment) -> dict[str, Any]:
    return {
        "observed": moment.observed,
        "performed": [node - 1 for node in bits(moment.performed)],
        "missing": _positions(moment.reported_at),
        "time": moment.time,
        "mistakes": moment.mistakes,
        **({"undone": [node - 1 for node in bits(moment.undone)]} if moment.undone else {}),
        **({"wrong": _positions(moment.wrong)} if moment.wrong else {}),
    }


def _positions(table: Mapping[int, int]) -> list[list[int]]:
    return [[node - 1, at] for node, at in sorted(table.items())]


def _moment_from_json(raw: Any, nodes: Sequence[int], plan: Plan, where: str) -> Moment:
    if not isinstance(raw, dict):
        raise FormatError(f"{where} is {raw!r:.40}; expected an object")
    observed = whole(raw.get("observed"), None, f"{where}: 'observed'")
    performed = _mask(raw.get("performed"), nodes, where, "performed")
    undone = _mask(raw.get("undone", []), nodes, where, "undone")
    if performed & undone:
        raise FormatError(f"{where}: a step is both 'performed' and 'undone'")
    reported_at, wrong = (
        _by_node(raw.get(name, default), nodes, observed, where, name)
        for name, default in (("missing", None), ("wrong", []))
    )
    reported = sum(1 << node for node in reported_at)
    meaning = plan.semantics
    is_plain = meaning.fixed and not any(meaning.undoes)
    if reported & performed or (is_plain and reported != plan.missed(performed)):
        raise FormatError(f"{where}: 'missing' is not what the steps performed were done without")
    time = raw.get("time")
    if time is not None and finite_number(time) is None:
        raise FormatError(f"{where}: 'time' is {time!r:.40}; expected a number or null")
    return Moment(
        observed,
        performed,
        reported,
        reported_at,
        None if time is None else float(time),
        whole(raw.get("mistakes"), observed, f"{where}: 'mistakes'"),
        undone,
        wrong,
    )


def _by_node(
    value: Any, nodes: Sequence[int], observed: int, where: str, name: str
) -> dict[int, int]:
    found: dict[int, int] = {}
    for pair in _list(value, f"{where}: {name!r}"):
        if not isinstance(pair, list) or len(pair) != 2:
            raise FormatError(f"{where}: {pair!r:.40} in {name!r}; expected [step, position]")
        node = nodes[whole(pair[0], len(nodes) - 1, f"{where}: a {name} step")]
        found[node] = whole(pair[1], observed, f"{where}: the position of a {name} step")
    return found


def _mask(value: Any, nodes: Sequence[int], where: str, name: str) -> int:
    mask = 0
    for number in _list(value, f"{where}: {name!r}"):
        mask |= 1 << nodes[whole(number, len(nodes) - 1, f"{where}: a step {name}")]
    return mask


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise FormatError(f"{where} is {value!r:.40}; expected a list")
    return value


def whole(value: Any, largest: int | None, where: str) -> int:
    """Return a whole number from 0 to the largest, or raise a `FormatError`."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if is_whole and value >= 0 and (largest is None or value <= largest):
        return int(value)
    limit = "from 0 on" if largest is None else f"from 0 to {largest}"
    raise FormatError(f"{where} is {value!r:.40}; expected a whole number {limit}")
