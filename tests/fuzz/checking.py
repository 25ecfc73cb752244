"""One input at a time: run within limits, and told apart by what went wrong."""

from __future__ import annotations

import hashlib
import re
import resource
import shutil
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from stepgraph.errors import StepgraphError
from tests.fuzz.target import Target

SECONDS = 5.0
"""How much processor time one input may take."""
MEGABYTES = 300
"""How much one input may add to the largest memory so far."""


@dataclass
class Findings:
    """What a target did with its inputs so far.

    Parameters
    ----------
    target
        The target.
    folder
        Where inputs that went wrong are kept.
    """

    target: Target
    folder: Path
    executions: int = 0
    accepted: int = 0
    slowest: float = 0.0
    known: dict[str, str] = field(default_factory=dict)
    _scratch: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="stepgraph-fuzz-")))

    def __enter__(self) -> Findings:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)

    def try_input(self, data: bytes) -> str | None:
        """Run an input; return what went wrong, or None."""
        self.executions += 1
        before, memory = time.process_time(), _peak()
        wrong: str | None = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.target.check(data, self._scratch)
            self.accepted += 1
        except StepgraphError:
            pass
        except Exception as error:
            wrong = _signature(error)
        spent = time.process_time() - before
        if self.executions > 20:  # the first ones pay for imports
            self.slowest = max(self.slowest, spent)
            if wrong is None and spent > SECONDS:
                wrong = f"slow: more than {SECONDS:g} s"
            if wrong is None and _peak() - memory > MEGABYTES:
                wrong = f"large: {MEGABYTES} MB more than anything before"
        if wrong is not None:
            self.known[wrong] = self._keep(data, wrong)
        return wrong

    def _keep(self, data: bytes, wrong: str) -> str:
        """Keep the smallest input that goes wrong in this way, and return its file's name."""
        path = self.folder / f"{self.target.name}-{hashlib.sha256(wrong.encode()).hexdigest()[:12]}"
        if not path.exists() or path.stat().st_size > len(data):
            path.write_bytes(data)
        return path.name


def _signature(error: Exception) -> str:
    """Return what tells findings apart: the kind of error and where stepgraph let it through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        frame for frame in frames if "/stepgraph/" in frame.filename or "/fuzz/" in frame.filename
    ]
    last = (own or frames)[-1]
    said = re.sub(r"[0-9]+|0x[0-9a-f]+", "N", str(error).splitlines()[0] if str(error) else "")
    place = f"{Path(last.filename).name}:{last.lineno} in {last.name}"
    return f"{type(error).__name__} at {place}: {said[:60]!a}"


def _peak() -> float:
    """Return the largest memory of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
