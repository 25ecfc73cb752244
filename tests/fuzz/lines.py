"""How much of a reader the corpus reaches: lines of its functions, counted by tracing."""

from __future__ import annotations

import inspect
import sys
import threading
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.fuzz.checking import Findings
from tests.fuzz.registry import find_target
from tests.fuzz.target import Target
from tests.fuzz.work import Work


def count(target: Target, inputs: list[bytes], work: Work) -> tuple[int, int]:
    """Return how many lines of the target's modules the inputs reach, and of how many."""
    files = {str(inspect.getsourcefile(import_module(name))) for name in target.modules}
    reached: set[tuple[str, int]] = set()

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        del argument
        file = frame.f_code.co_filename
        if file not in files:
            return None
        if event == "line":
            reached.add((file, frame.f_lineno))
        return trace

    with Findings(target, work.findings) as findings:
        threading.settrace(trace)
        sys.settrace(trace)
        try:
            for data in inputs:
                findings.try_input(data)
        finally:
            sys.settrace(None)
            threading.settrace(None)
    there = {(file, line) for file in files for line in _lines(file)}
    return len(reached & there), len(there)


def _lines(file: str) -> set[int]:
    """Return the lines inside of functions, without those that only define something."""
    whole = compile(Path(file).read_text(encoding="utf-8"), file, "exec")
    found: set[int] = set()
    waiting = [whole]
    while waiting:
        code = waiting.pop()
        waiting += [value for value in code.co_consts if isinstance(value, CodeType)]
        if code.co_flags & inspect.CO_NEWLOCALS and code.co_name != "<module>":
            first = code.co_firstlineno
            found |= {line for _, _, line in code.co_lines() if line and line != first}
    return found


if __name__ == "__main__":
    kept = Work(Path(sys.argv[2]))
    chosen = find_target(sys.argv[1])
    corpus = [path.read_bytes() for path in sorted(kept.corpus_of(chosen.name).iterdir())]
    kept.add_lines(chosen.name, len(corpus), *count(chosen, corpus or chosen.seeds(), kept))
