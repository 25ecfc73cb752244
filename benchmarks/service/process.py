"""The service as users run it: a process of its own, started, stopped and killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from stepgraph.errors import UnavailableError

SECONDS = 30.0
READY = "listening at "


class ServiceProcess:
    """A running `stepgraph serve`.

    Parameters
    ----------
    arguments
        What to give it beyond a free port.
    log
        Where its log goes; by default nowhere.
    variables
        Environment variables beyond ours.

    Raises
    ------
    UnavailableError
        If it ends before it listens.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        log: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        with (log or Path(os.devnull)).open("ab") as stream:
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-m", "stepgraph.cli.main", "serve", "--port", "0", *arguments],
                stdout=subprocess.PIPE,
                stderr=stream,
                env={**os.environ, **(variables or {})},
                text=True,
            )
        line = self.process.stdout.readline() if self.process.stdout else ""
        if not line.startswith(READY):
            self.process.wait(SECONDS)
            self._close()
            said = log.read_text()[-500:] if log else ""
            raise UnavailableError(f"stepgraph serve does not start: {line or said}")
        self.address = line.removeprefix(READY).strip()

    def get(self, path: str) -> Any:
        """Return the JSON values at a path."""
        with urllib.request.urlopen(self.address + path, timeout=SECONDS) as answer:  # noqa: S310
            return json.load(answer)

    def stop(self) -> int:
        """Ask it to stop, wait until it has, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(SECONDS)
        self._close()
        return code

    def kill(self) -> None:
        """End it at once, with no chance to finish anything."""
        self.process.kill()
        self.process.wait(SECONDS)
        self._close()

    def _close(self) -> None:
        if self.process.stdout:
            self.process.stdout.close()

    def __enter__(self) -> ServiceProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.stop()
        self._close()
