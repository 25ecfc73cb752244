"""Work that ends its worker, for tests; in a module of its own so that workers can load it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stepgraph.runs.outcome import Outcome, learn_batch
from stepgraph.sequences import Demonstrations


def deadly(
    procedures: Sequence[Demonstrations], method: str, options: Mapping[str, Any]
) -> list[Outcome]:
    """Learn, but end the process at a procedure called 'deadly'."""
    if any(given.procedure == "deadly" for given in procedures):
        os._exit(9)
    return learn_batch(procedures, method, options)


def deadly_once(
    procedures: Sequence[Demonstrations], method: str, options: Mapping[str, Any], mark: str
) -> list[Outcome]:
    """Learn, but end the process the first time that a procedure called 'deadly' comes."""
    if any(given.procedure == "deadly" for given in procedures) and not Path(mark).exists():
        Path(mark).touch()
        os._exit(9)
    return learn_batch(procedures, method, options)
