"""The state of a monitored session: what verdicts depend on, and its form as versioned JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from stepgraph.errors import FormatError
from stepgraph.graph import TaskGraph
from stepgraph.monitoring.fingerprint import check_state, fingerprint
from stepgraph.monitoring.plan import Plan, bits
from stepgraph.storage import VERSION
from stepgraph.storage.fields import finite_number

STATE_FORMAT = "stepgraph-monitor-state"


class Moment(NamedTuple):
    """A session between two observations; never changed, so that keeping one is an undo.

    Parameters
    ----------
    observed
        How many observations there have been.
    performed
        The steps done, as a bit mask.
    reported
        The steps reported missing and not done since, as a bit mask.
    reported_at
        The position of the mistake that reported each of these, by node.
    time
        The last time that came with a step.
    mistakes
        How many mistakes of their own there have been.
    """

    observed: int = 0
    performed: int = 0
    reported: int = 0
    reported_at: Mapping[int, int] = {}
    time: float | None = None
    mistakes: int = 0


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
        "missing": [[node - 1, at] for node, at in sorted(moment.reported_at.items())],
        "time": moment.time,
        "mistakes": moment.mistakes,
    }


def _moment_from_json(raw: Any, nodes: Sequence[int], plan: Plan, where: str) -> Moment:
    if not isinstance(raw, dict):
        raise FormatError(f"{where} is {raw!r:.40}; expected an object")
    observed = whole(raw.get("observed"), None, f"{where}: 'observed'")
    performed = 0
    for number in _list(raw.get("performed"), f"{where}: 'performed'"):
        performed |= 1 << nodes[whole(number, len(nodes) - 1, f"{where}: a step performed")]
    reported_at: dict[int, int] = {}
    for pair in _list(raw.get("missing"), f"{where}: 'missing'"):
        if not isinstance(pair, list) or len(pair) != 2:
            raise FormatError(f"{where}: {pair!r:.40} in 'missing'; expected [step, position]")
        node = nodes[whole(pair[0], len(nodes) - 1, f"{where}: a missing step")]
        reported_at[node] = whole(pair[1], observed, f"{where}: the position of a missing step")
    reported = sum(1 << node for node in reported_at)
    if reported != plan.missed(performed):
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
    )


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise FormatError(f"{where} is {value!r:.40}; expected a list")
    return value


def whole(value: Any, largest: int | None, where: str) -> int:
    """Return a whole number from 0 on, or say that something else came."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if is_whole and value >= 0 and (largest is None or value <= largest):
        return int(value)
    limit = "from 0 on" if largest is None else f"from 0 to {largest}"
    raise FormatError(f"{where} is {value!r:.40}; expected a whole number {limit}")
