"""Sessions judged as their steps come in: lines to monitors, verdicts to lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.cli.output import (
    DIM,
    GREEN,
    RED,
    YELLOW,
    count,
    print_json_line,
    print_line,
    print_notes,
)
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
class LiveSessions:
    """All sessions of one input, one monitor each.

    Parameters
    ----------
    graph
        The graph to judge by.
    begin
        Returns a monitor for a new session.
    as_json
        Whether to print JSON Lines instead of sentences.
    with_next
        Whether each sentence ends with the steps that can be done now.
    sessions
        The monitor of each session, by name.
    called
        For each session and position, whether that step is currently called a mistake.
    unusable
        How many lines could not be used.
    unknown_keys
        The unknown keys reported so far.
    """

    graph: TaskGraph
    begin: Callable[[], AnyMonitor]
    as_json: bool
    with_next: bool
    sessions: dict[str | None, AnyMonitor] = field(default_factory=dict)
    called: dict[str | None, dict[int, bool]] = field(default_factory=dict)
    unusable: int = 0
    unknown_keys: set[str] = field(default_factory=set)

    def take_in(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Judge each line; report one that cannot be used, and go on."""
        for number, raw in lines:
            try:
                entry = _parse(raw, number)
                if entry is not None:
                    self._report_unknown_keys(entry, number)
                    self.judge(entry)
            except FileError:  # the output is lost, so no further line can help
                raise
            except InputError as error:
                self.unusable += 1
                if self.as_json:
                    print_json_line({"line": number, "error": str(error)})
                else:
                    print_notes([f"line {number}: {error}; the line is left out"])

    def finish(self) -> bool:
        """Print a summary of each session; return whether all was right and done."""
        clean = True
        for session, monitor in self.sessions.items():
            if not monitor.observed:
                continue
            report = monitor.finish()
            # Steps taken back no longer count: ask the monitor.
            clean = clean and report.is_clean
            self._print_summary(session, monitor, report)
        return clean

    def _report_unknown_keys(self, entry: dict[str, Any], number: int) -> None:
        for key in entry:
            if key not in _KEYS and key not in self.unknown_keys:
                self.unknown_keys.add(key)
                expected = ", ".join(map(repr, _KEYS))
                print_notes([f"line {number}: unknown key {key!r}; expected {expected}"])

    def judge(self, entry: dict[str, Any]) -> None:
        """Judge one line of input, and print the verdict."""
        session = _session(entry.get("session"))
        monitor = self.sessions.get(session) or self.begin()
        if entry.get("undo") is True:
            if "step" in entry:
                raise FormatError("both 'step' and 'undo'; expected one of them")
            monitor.undo()
            self.called.get(session, {}).pop(monitor.observed + 1, None)
            if self.as_json:
                print_json_line({"session": session, "undone": monitor.observed + 1})
            else:
                print_line(f"{_prefix(session)}step {monitor.observed + 1} is taken back", DIM)
                self._print_revisions(session, monitor)
        else:
            verdict = monitor.observe(
                self._step(entry), time=entry.get("time"), confidence=entry.get("confidence")
            )
            self.sessions[session] = monitor
            self._print_verdict(session, verdict)
            if not self.as_json:
                self._print_revisions(session, monitor)
                self.called.setdefault(session, {})[verdict.position] = verdict.is_mistake

    def _step(self, entry: dict[str, Any]) -> str:
        step = entry.get("step")
        if not isinstance(step, str) or not step.strip():
            came = "no 'step'" if step is None else f"'step' is {step!r:.40}"
            raise FormatError(f"{came}; expected a step's name, or 'undo': true")
        # Strip spaces unless the graph itself has a name with them.
        return step if step in self.graph.vocabulary else step.strip()

    def _print_verdict(self, session: str | None, verdict: Verdict | UncertainVerdict) -> None:
        from stepgraph.monitoring import explain

        sentence = explain(verdict, self.graph)
        if self.as_json:
            print_json_line({"session": session, **verdict.to_json(), "sentence": sentence})
            return
        mark = "MISTAKE " if verdict.is_mistake else ""
        now = ""
        if self.with_next:
            now = f" Now: {_quoted(verdict.executable) or 'nothing is left to do'}."
        print_line(f"{_prefix(session)}{verdict.position}: {mark}{sentence}{now}", _colour(verdict))

    def _print_revisions(self, session: str | None, monitor: AnyMonitor) -> None:
        """Print which earlier steps a later one made a mistake, or no mistake after all."""
        from stepgraph.monitoring import Monitor

        if isinstance(monitor, Monitor):
            return
        before = self.called.setdefault(session, {})
        for position, probability in monitor.revised:
            wrong = probability >= monitor.threshold
            if position in before and before[position] != wrong:
                what = revision(probability, alarm=wrong)
                print_line(f"{_prefix(session)}   step {position} {what}", YELLOW)
                before[position] = wrong

    def _print_summary(
        self, session: str | None, monitor: AnyMonitor, report: Report | UncertainReport
    ) -> None:
        from stepgraph.monitoring import Report
        from stepgraph.monitoring.uncertain import SURE

        if self.as_json:
            for verdict in report.verdicts if isinstance(report, Report) else ():
                self._print_verdict(session, verdict)
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
            print_json_line(content)
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
                # Rounded down: 89.9 % is less than 90 %.
                shares = [f"{step!r} ({100 * report.done[step] // 1:g}%)" for step in report.unsure]
                what = f"less than {100 * SURE:.0f} % sure to be done: {', '.join(shares)}"
                print_line(f"{_prefix(session)}{what}", YELLOW)
            if report.open:
                done = f"{len(report.open)} of {expected} steps probably never done"
                print_line(f"{_prefix(session)}probably never done: {_quoted(report.open)}", YELLOW)
        elif report.open:
            done = f"{len(report.open)} of {expected} steps never done"
            if not self.graph.semantics.fixed:  # how many are due depends on what was chosen
                done = f"{count(len(report.open), 'step')} never done"
            new = [_open(verdict) for verdict in report.verdicts if verdict.is_mistake]
            known = [_open(verdict) for verdict in report.verdicts if not verdict.is_mistake]
            if new:
                print_line(f"{_prefix(session)}never done: {', '.join(new)}", RED)
            if known:
                what = f"never done, because of a mistake named above: {', '.join(known)}"
                print_line(f"{_prefix(session)}{what}", YELLOW)
        print_line(
            f"{_prefix(session)}{count(report.observed, 'step')} observed: {mistakes}, {done}"
        )


def _open(verdict: Verdict) -> str:
    """Return a step that was never done, with those that might have been done instead."""
    from stepgraph.monitoring.explain import listed

    if not verdict.instead:
        return f"'{verdict.step}'"
    return f"one of {listed((verdict.step, *verdict.instead), 'or')}"


def session_factory(
    graph: TaskGraph, calibration: Path | None, confusion: Path | None, error_rate: float | None
) -> Callable[[], AnyMonitor]:
    """Return a function that begins a session, after checking that it can."""
    from stepgraph import monitoring

    if sum(given is not None for given in (calibration, confusion, error_rate)) > 1:
        raise SettingError(
            "--calibration, --confusion and --error-rate exclude each other; give one of them"
        )
    begin: Callable[[], AnyMonitor] = partial(monitoring.Monitor, graph)
    if (calibration, confusion, error_rate) != (None, None, None):
        graph = for_recogniser(graph)
    if calibration is not None:
        begin = partial(monitoring.Calibration.read(calibration).monitor, graph)
    elif confusion is not None:
        errors = monitoring.Confusion.read(confusion)
        begin = partial(monitoring.UncertainMonitor, graph, confusion=errors)
    elif error_rate is not None:
        begin = partial(monitoring.UncertainMonitor, graph, error_rate=error_rate)
    begin()  # raises before any step comes if something does not fit the graph
    return begin


def for_recogniser(graph: TaskGraph) -> TaskGraph:
    """Return a graph for the monitor behind a recogniser, with a note on rules left out."""
    from stepgraph.graph.rules import without_rules
    from stepgraph.monitoring.plan import ignored_rules

    ignored = ignored_rules(graph)
    print_notes([ignored] if ignored else [])
    return without_rules(graph) if ignored else graph


def _parse(raw: bytes, number: int) -> dict[str, Any] | None:
    """Return the entry of a line, or None for a blank line or a comment."""
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


def revision(probability: float, *, alarm: bool) -> str:
    """Return the new verdict on an earlier step in words."""
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
