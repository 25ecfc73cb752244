"""What a round of fuzzing leaves: a corpus, inputs that went wrong, and results as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepgraph.files import write_text
from tests.fuzz.checking import Findings


@dataclass(frozen=True)
class Work:
    """A folder that rounds add to.

    Parameters
    ----------
    folder
        Where it is.
    """

    folder: Path

    @property
    def findings(self) -> Path:
        """The folder of inputs that went wrong."""
        return self._made("findings")

    def corpus_of(self, name: str) -> Path:
        """Return the folder of a target's inputs that reach different code."""
        return self._made(f"corpus/{name}")

    @property
    def results(self) -> dict[str, Any]:
        """The results of all rounds so far, by target."""
        path = self._path
        if not path.exists():
            return {}
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def add(self, name: str, side: str, findings: Findings, seconds: float) -> None:
        """Add what one side did with a target."""
        with_all = self.results
        own = with_all.setdefault(name, {"findings": {}})
        mine = own.setdefault(side, {"executions": 0, "accepted": 0, "seconds": 0.0})
        mine["executions"] += findings.executions
        mine["accepted"] += findings.accepted
        mine["seconds"] = round(mine["seconds"] + seconds, 1)
        own["slowest"] = max(own.get("slowest", 0.0), round(findings.slowest, 2))
        own["findings"] |= findings.known
        self._write(with_all)

    def add_finding(self, name: str, wrong: str, file: str) -> None:
        """Add what ended a whole process."""
        with_all = self.results
        with_all.setdefault(name, {"findings": {}})["findings"][wrong] = file
        self._write(with_all)

    def add_lines(self, name: str, corpus: int, reached: int, there: int) -> None:
        """Add how far the corpus of a target reaches."""
        with_all = self.results
        own = with_all.setdefault(name, {"findings": {}})
        own |= {"corpus": corpus, "lines": reached, "of": there}
        self._write(with_all)

    @property
    def _path(self) -> Path:
        return self.folder / "results.json"

    def _made(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _write(self, content: dict[str, Any]) -> None:
        write_text(self._path, json.dumps(content, indent=1, sort_keys=True) + "\n")
