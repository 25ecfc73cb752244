"""A pytest plugin that runs the collected tests once for each mutant, each time in a fork.

The parent collects the tests and never runs one. A first child runs all of them and reports which
lines each one runs. Then each mutant gets a child that puts the mutated code into the functions
that exist already and runs the tests that reach the changed lines, until one fails: first with few
examples of each property, then with as many as the test-suite tries. So a mutant costs its tests
and some milliseconds, and decorated functions and properties are mutated as well.
"""

from __future__ import annotations

import ast
import gc
import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

from tools.mutants.operators import Mutant, mutants_of

CLOCK_LIMIT = 3600
"""Seconds by the clock after which a child is ended."""
SLOWER = 10
"""How many times as long as without a mutant a test may take, in seconds of the processor."""
MEMORY = 2 << 30
"""How many bytes a mutant may take beyond what the tests need."""


@dataclass(frozen=True)
class Located:
    """A mutant and where it is."""

    path: Path
    number: int
    mutant: Mutant

    @property
    def name(self) -> str:
        """What tells it from all other mutants of the same source."""
        return f"{self.path}:{self.mutant.function}:{self.number}"


@dataclass
class Baseline:
    """What the tests do without a mutant: per test its seconds and the lines it runs."""

    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[str, set[tuple[str, int]]] = field(default_factory=dict)


def located(sources: list[Path]) -> Iterator[Located]:
    """Yield every mutant of the sources."""
    for path in sources:
        yield from _numbered(path, ast.parse(path.read_text()))


def _numbered(path: Path, tree: ast.Module) -> Iterator[Located]:
    """Yield the mutants of a file, counted in each function, whatever happens to the others."""
    numbers: Counter[str] = Counter()
    for mutant in mutants_of(tree):
        numbers[mutant.function] += 1
        yield Located(path, numbers[mutant.function], mutant)


class MutantRunner:
    """The plugin.

    Parameters
    ----------
    sources
        The files to mutate.
    names
        Which mutants to run; None for all.
    examples
        How many examples of each property are tried at first.
    report
        Called with each mutant's result.
    """

    def __init__(
        self,
        sources: list[Path],
        names: set[str] | None,
        examples: int,
        report: Callable[[dict[str, Any]], None],
    ) -> None:
        self.trees = {path: ast.parse(path.read_text()) for path in sources}
        self.mutants = [
            mutant for path, tree in self.trees.items() for mutant in _numbered(path, tree)
        ]
        if names is not None:
            self.mutants = [mutant for mutant in self.mutants if mutant.name in names]
        self.report = report
        self.failed: str | None = None
        self.killers: dict[str, list[str]] = {}
        self.examples = examples

    def pytest_configure(self) -> None:
        """Let hypothesis try always the same examples, and stop at the first that fails."""
        from hypothesis import HealthCheck, Phase, settings  # pytest warns if it comes before it

        settings.register_profile(
            "mutants",
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember that a test failed."""
        if report.failed:
            self.failed = report.nodeid

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests for each mutant instead of once."""
        self.items = {item.nodeid: item for item in session.items}
        self.functions = _functions_in({str(path.resolve()) for path in self.trees})
        gc.freeze()  # so that the forks share what is there
        answer, _ = _in_fork(self._baseline)
        if not answer or "failed" in answer:
            pytest.exit(f"without a mutant the tests fail: {answer}", returncode=1)
        self.baseline = Baseline(
            answer["seconds"],
            {
                test: {(path, line) for path, line in lines}
                for test, lines in answer["lines"].items()
            },
        )
        for mutant in self.mutants:
            self.report(self._result(mutant))
        return True

    def _baseline(self) -> dict[str, Any]:
        """Run every test once; in a child, so that nothing stays cached in the parent."""
        paths = {str(path.resolve()) for path in self.trees}
        seconds, lines = {}, {}
        for name, item in self.items.items():
            ran: set[tuple[str, int]] = set()

            def in_line(
                frame: FrameType, _event: str, _argument: Any, ran: set[tuple[str, int]] = ran
            ) -> Any:
                ran.add((frame.f_code.co_filename, frame.f_lineno))
                return in_line

            def in_call(frame: FrameType, event: str, argument: Any, in_line: Any = in_line) -> Any:
                known = frame.f_code.co_filename in paths
                return in_line(frame, event, argument) if known else None

            sys.settrace(in_call)
            start = time.process_time()
            self._run(item, at_most=self.examples)
            seconds[name] = time.process_time() - start
            sys.settrace(None)
            lines[name] = sorted(ran)
            if self.failed:
                return {"failed": self.failed}
        return {"seconds": seconds, "lines": lines}

    def _run(self, item: pytest.Item, at_most: int | None = None) -> None:
        """Run a test, a property with so many examples at most."""
        own = _settings(item)
        if own is not None and at_most is not None:
            fewer = type(own)(own, max_examples=min(own.max_examples, at_most))
            item.obj._hypothesis_internal_use_settings = fewer  # type: ignore[attr-defined]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        if own is not None:
            item.obj._hypothesis_internal_use_settings = own  # type: ignore[attr-defined]

    def _result(self, located: Located) -> dict[str, Any]:
        mutant = located.mutant
        path = str(located.path.resolve())
        changed = {(path, line) for line in mutant.lines}
        tests = [name for name, lines in self.baseline.lines.items() if lines & changed]
        killers = self.killers.setdefault(f"{path}:{mutant.function}", [])
        tests.sort(key=lambda name: (-killers.count(name), self.baseline.seconds[name]))
        result: dict[str, Any] = {
            "name": located.name,
            "line": mutant.lines.start,
            "function": mutant.function,
            "operator": mutant.operator,
            "change": mutant.change,
        }
        if not tests:
            return result | {"status": "not reached"}
        try:
            swaps = self._swaps(located)
        except ValueError:
            return result | {"status": "does not compile"}
        answer, ended = _in_fork(lambda: self._survives(swaps, tests))
        if ended:
            return result | {"status": "killed", "by": "time or memory limit"}
        if answer is None:
            return result | {"status": "survived", "tests": len(tests)}
        killers.append(answer["by"])
        return result | {"status": "killed", "by": answer["by"]}

    def _survives(self, swaps: list[tuple[FunctionType, Any]], tests: list[str]) -> Any:
        for function, new in swaps:
            function.__code__ = new.__code__
            function.__defaults__ = new.__defaults__
            function.__kwdefaults__ = new.__kwdefaults__
        for at_most in (self.examples, None):
            for name in tests:
                own = _settings(self.items[name])
                more = 1 if own is None else own.max_examples / self.examples
                if at_most is None and more <= 1:
                    continue  # it was run already
                _limit_processor(self.baseline.seconds[name] * (max(more, 1) if not at_most else 1))
                self._run(self.items[name], at_most)
                if self.failed:
                    return {"by": self.failed}
        return None

    def _swaps(self, located: Located) -> list[tuple[FunctionType, Any]]:
        """Return the living functions to change, each with one that has the mutated code."""
        mutant, path = located.mutant, str(located.path.resolve())
        mutant.put(mutant.new)
        try:
            module = compile(self.trees[located.path], path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            raise ValueError from error
        finally:
            mutant.put(mutant.old)
        codes = {code.co_firstlineno: code for code in _codes(module)}
        swaps = []
        for function in self.functions[path, mutant.function]:
            new = FunctionType(
                codes[function.__code__.co_firstlineno], function.__globals__, function.__name__,
                function.__defaults__, function.__closure__,
            )  # fmt: skip
            new.__kwdefaults__ = function.__kwdefaults__
            if mutant.operator.startswith("default"):
                key, value = _new_default(mutant)
                if isinstance(key, str):
                    new.__kwdefaults__ = (new.__kwdefaults__ or {}) | {key: value}
                else:
                    defaults = list(new.__defaults__ or ())
                    defaults[key] = value
                    new.__defaults__ = tuple(defaults)
            swaps.append((function, new))
        return swaps


def _settings(item: pytest.Item) -> Any:
    """Return the settings of a test of hypothesis; None for any other test."""
    return getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)


def _new_default(mutant: Mutant) -> tuple[int | str, Any]:
    """Return which argument has another default in a mutant, and that default."""
    match mutant:
        case Mutant(parent=ast.arguments() as parent, index=int(index), new=ast.Constant() as new):
            named = mutant.field == "kw_defaults"
            return (parent.kwonlyargs[index].arg if named else index), new.value
    raise TypeError(f"{mutant.change} is no change of a default")


def _functions_in(paths: set[str]) -> dict[tuple[str, str], list[FunctionType]]:
    found: dict[tuple[str, str], list[FunctionType]] = {}
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename in paths:
            found.setdefault((thing.__code__.co_filename, thing.__code__.co_qualname), []).append(
                thing
            )
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of functions and methods, not that of functions within functions."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            if not constant.co_flags & 0x1:  # CO_OPTIMIZED: a function's; a class body has it not
                yield from _codes(constant)


def _limit_processor(expected: float) -> None:
    """Let this process go on for a few times as many seconds of the processor as are expected."""
    limit = int(time.process_time() + 5 + SLOWER * expected)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def _in_fork(work: Callable[[], Any]) -> tuple[Any, bool]:
    """Return what the work gives in a child, and whether the child was ended by a limit."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _work_in_child(work, writer)
    os.close(writer)
    with os.fdopen(reader) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    return (json.loads(text), False) if text else (None, True)


def _work_in_child(work: Callable[[], Any], writer: int) -> None:
    status = 1
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        signal.alarm(CLOCK_LIMIT)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        answer = work()
        with os.fdopen(writer, "w") as stream:
            stream.write(json.dumps(answer))
        status = 0
    finally:
        os._exit(status)
