"""How tests run the command line: as `stepgraph` does it, but inside this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

COMMANDS = (
    "learn",
    "predict",
    "inspect",
    "show",
    "draw",
    "report",
    "check",
    "align",
    "watch",
    "advise",
    "audit",
    "calibrate",
    "serve",
    "studio",
    "evaluate",
    "convert",
    "methods",
    "example",
    "demo",
    "recognise",
)


@dataclass(frozen=True)
class Result:
    """How a run ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What was printed, as JSON."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        """What was printed, line by line."""
        return self.out.splitlines()

    @property
    def notes(self) -> list[str]:
        """What was said on the error stream, line by line."""
        return self.err.splitlines()


Run = Callable[..., Result]
Put = Callable[[str, "str | bytes"], str]


def in_a_process(
    *arguments: str, code: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line, or some code, as a program of its own."""
    program = ("-c", code) if code else ("-m", "stepgraph.cli.main")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, *program, *arguments],
        capture_output=True,
        encoding=variables.get("PYTHONIOENCODING", "utf-8"),
        env={**plain, "COLUMNS": "100", **variables},
        check=False,
        timeout=60,
    )


@contextmanager
def killed_at_the_end(process: subprocess.Popen[str]) -> Iterator[None]:
    """Let a server not outlive a test that fails, which would wait for it for ever."""
    try:
        yield
    finally:
        if process.poll() is None:
            process.kill()


def runner(
    name: str,
    program: Callable[[], None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Return a function that runs a program with some arguments."""

    def call(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            program()
        code = ended.value.code
        assert code is None or isinstance(code, int)
        return Result(code or 0, *capsys.readouterr())

    return call


def files_in(folder: Path) -> list[str]:
    """Return the names of what lies in a folder."""
    return sorted(path.name for path in folder.iterdir())
