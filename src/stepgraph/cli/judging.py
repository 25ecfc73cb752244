"""Sessions judged as their steps come in, and what is said of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.cli.live import DIM, GREEN, RED, YELLOW, say, say_json
from stepgraph.cli.output import count, print_notes
from stepgraph.errors import FileError, FormatError, InputError, SettingError

if TYPE_CHECKING:
    from stepgraph.graph import TaskGraph
    from stepgraph.monitoring import (
        Monitor,
        Report,
        UncertainMonitor,
        UncertainReport,
        UncertainVerdict,
        Verdict,
    )

    AnyMonitor = Monitor | UncertainMonitor

_KEYS = ("step", "time", "confidence", "session", "undo")


@dataclass
class Watched:
    """All sessions of one input, one monitor each."""

    graph: TaskGraph
    begin: Callable[[], AnyMonitor]
    as_json: bool
    with_next: bool
    sessions: dict[str | None, AnyMonitor] = field(default_factory=dict)
    thought: dict[str | None, dict[int, bool]] = field(default_factory=dict)
    unusable: int = 0
    odd_keys: set[str] = field(default_factory=set)

    def take_in(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Judge each line; one that cannot be used is reported, and the session goes on."""
        for number, raw in lines:
            try:
                entry = _parse(raw, number)
                if entry is not None:
                    self._look_for_odd_keys(entry, number)
                    self.judge(entry)
            except FileError:  # the output, which no other line can mend
                raise
            except InputError as error:
                self.unusable += 1
                if self.as_json:
                    say_json({"line": number, "error": str(error)})
                else:
                    print_notes([f"line {number}: {error}; the line is left out"])

    def finish(self) -> bool:
        """Name what was never done, session by session; return whether all was right and done."""
        clean = True
        for session, monitor in self.sessions.items():
            if not monitor.observed:
                continue
            report = monitor.finish()
            # What was taken back counts no longer, so the monitor knows better than we.
            clean = clean and report.is_clean
            self._sum_up(session, monitor, report)
        return clean

    def _look_for_odd_keys(self, entry: dict[str, Any], number: int) -> None:
        for key in entry:
            if key not in _KEYS and key not in self.odd_keys:
                self.odd_keys.add(key)
                expected = ", ".join(map(repr, _KEYS))
                print_notes([f"line {number}: {key!r} is of no use here; used are {expected}"])

    def judge(self, entry: dict[str, Any]) -> None:
        """Judge what one line says, and say so."""
        session = _session(entry.get("session"))
        monitor = self.sessions.get(session) or self.begin()
        if entry.get("undo") is True:
            if "step" in entry:
                raise FormatError("both 'step' and 'undo'; expected one of them")
            monitor.undo()
            self.thought.get(session, {}).pop(monitor.observed + 1, None)
            if self.as_json:
                say_json({"session": session, "undone": monitor.observed + 1})
            else:
                say(f"{_prefix(session)}step {monitor.observed + 1} is taken back", DIM)
                self._say_revised(session, monitor)
        else:
            verdict = monitor.observe(
                self._step(entry), time=entry.get("time"), confidence=entry.get("confidence")
            )
            self.sessions[session] = monitor
            self._say(session, verdict)
            if not self.as_json:
                self._say_revised(session, monitor)
                self.thought.setdefault(session, {})[verdict.position] = verdict.is_mistake

    def _step(self, entry: dict[str, Any]) -> str:
        step = entry.get("step")
        if not isinstance(step, str) or not step.strip():
            came = "no 'step'" if step is None else f"'step' is {step!r:.40}"
            raise FormatError(f"{came}; expected a step's name, or 'undo': true")
        # Graphs may have names with spaces around them; other such spaces are nobody's intention.
        return step if step in self.graph.vocabulary else step.strip()

    def _say(self, session: str | None, verdict: Verdict | UncertainVerdict) -> None:
        from stepgraph.monitoring import explain

        sentence = explain(verdict, self.graph)
        if self.as_json:
            say_json({"session": session, **verdict.to_json(), "sentence": sentence})
            return
        mark = "MISTAKE " if verdict.is_mistake else ""
        now = ""
        if self.with_next:
            now = f" Now: {_quoted(verdict.executable) or 'nothing is left to do'}."
        say(f"{_prefix(session)}{verdict.position}: {mark}{sentence}{now}", _colour(verdict))

    def _say_revised(self, session: str | None, monitor: AnyMonitor) -> None:
        """Say which earlier steps are now thought of otherwise, where steps may be wrong."""
        from stepgraph.monitoring import Monitor

        if isinstance(monitor, Monitor):
            return
        before = self.thought.setdefault(session, {})
        for position, probability in monitor.revised:
            wrong = probability >= monitor.threshold
            if position in before and before[position] != wrong:
                what = thought(probability, alarm=wrong)
                say(f"{_prefix(session)}   step {position} {what}", YELLOW)
                before[position] = wrong

    def _sum_up(
        self, session: str | None, monitor: AnyMonitor, report: Report | UncertainReport
    ) -> None:
        from stepgraph.monitoring import Report
        from stepgraph.monitoring.uncertain import SURE

        if self.as_json:
            for verdict in report.verdicts if isinstance(report, Report) else ():
                self._say(session, verdict)
            content: dict[str, Any] = {
                "session": session,
                "finished": True,
                "observed": report.observed,
                "mistakes": report.mistakes,
                "open": list(report.open),
                "progress": report.progress,
            }
            if not isinstance(report, Report):
                content |= {"everything": report.everything, "done": report.done}
            say_json(content)
            return
        mistakes = count(monitor.mistakes, "mistake") if monitor.mistakes else "no mistake"
        done = "everything was done"
        expected = len(self.graph.steps) - len(self.graph.optional_steps)
        if not isinstance(report, Report):
            # A step is called a mistake from the threshold on, which may be above one half.
            called = count(monitor.mistakes, "step") if monitor.mistakes else "no step"
            mistakes = f"{called} called a mistake"
            done = "everything was probably done"
            if report.everything < 0.5:
                chance = f"{100 * report.everything // 1:g}%"
                done = f"something was probably left out (all done with {chance})"
            if report.unsure:
                # Rounded down: what is less than 90 % is not called that.
                told = [f"{step!r} ({100 * report.done[step] // 1:g}%)" for step in report.unsure]
                limit = f"{100 * SURE:.0f} %"
                say(f"{_prefix(session)}done with less than {limit}: {', '.join(told)}", YELLOW)
            if report.open:
                done = f"{len(report.open)} of {expected} steps probably never done"
                say(f"{_prefix(session)}probably never done: {_quoted(report.open)}", YELLOW)
        elif report.open:
            done = f"{len(report.open)} of {expected} steps never done"
            new = [verdict.step for verdict in report.verdicts if verdict.is_mistake]
            known = [verdict.step for verdict in report.verdicts if not verdict.is_mistake]
            if new:
                say(f"{_prefix(session)}never done: {_quoted(new)}", RED)
            if known:
                say(
                    f"{_prefix(session)}never done, behind a mistake named above: {_quoted(known)}",
                    YELLOW,
                )
        say(f"{_prefix(session)}{count(report.observed, 'step')} observed: {mistakes}, {done}")


def begin_sessions(
    graph: TaskGraph, calibration: Path | None, confusion: Path | None, error_rate: float | None
) -> Callable[[], AnyMonitor]:
    """Return what begins a session, having checked all that it needs."""
    from stepgraph import monitoring

    if sum(given is not None for given in (calibration, confusion, error_rate)) > 1:
        raise SettingError(
            "--calibration, --confusion and --error-rate exclude each other; give one of them"
        )
    begin: Callable[[], AnyMonitor] = partial(monitoring.Monitor, graph)
    if calibration is not None:
        begin = partial(monitoring.Calibration.read(calibration).monitor, graph)
    elif confusion is not None:
        errors = monitoring.Confusion.read(confusion)
        begin = partial(monitoring.UncertainMonitor, graph, confusion=errors)
    elif error_rate is not None:
        begin = partial(monitoring.UncertainMonitor, graph, error_rate=error_rate)
    begin()  # what does not fit the graph is said before any step comes
    return begin


def _parse(raw: bytes, number: int) -> dict[str, Any] | None:
    """Return what a line holds, or None where it holds nothing."""
    from stepgraph.formats.json_text import parse_json

    try:
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
    except UnicodeDecodeError as error:
        raise FormatError(f"byte {error.start + 1} is not UTF-8") from None
    if not line or line.startswith("#"):
        return None
    if not line.startswith("{"):
        return {"step": line}
    try:
        entry = parse_json(line, "")
    except FormatError as error:
        # The parser counts lines from the start of its text, which is one line only.
        raise FormatError(str(error).removeprefix(": ").removeprefix("line 1, ")) from None
    if not isinstance(entry, dict):
        raise FormatError("expected one JSON object")
    return entry


def _session(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise FormatError(f"'session' is {value!r:.40}; expected a text or a whole number")


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _prefix(session: str | None) -> str:
    return "" if session is None else f"[{session}] "


def thought(probability: float, *, alarm: bool) -> str:
    """Return what is now thought of an earlier step."""
    chance = f"({probability:.1%})"
    if alarm:
        was = "was probably" if probability >= 0.5 else "may have been"
        return f"{was} a mistake after all {chance}"
    if probability >= 0.5:
        return f"was probably a mistake, but not surely enough for an alarm {chance}"
    return f"was probably no mistake after all (a mistake with {probability:.1%})"


def _colour(verdict: Verdict | UncertainVerdict) -> str:
    if verdict.is_mistake:
        return RED
    follows = getattr(verdict, "cause", None) is not None
    return YELLOW if follows or verdict.note else GREEN
