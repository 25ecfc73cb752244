"""Work that ends its worker, for tests; in a module of its own so that workers can load it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from stepgraph.pipeline import LearningOptions
from stepgraph.pipeline.outcomes import Outcome, learn_batch
from stepgraph.sequences import Demonstrations


def deadly(procedures: Sequence[Demonstrations], options: LearningOptions) -> list[Outcome]:
    """Learn, but end the process at a procedure called 'deadly'."""
    if any(given.procedure == "deadly" for given in procedures):
        os._exit(9)
    return learn_batch(procedures, options)


def deadly_once(
    procedures: Sequence[Demonstrations], options: LearningOptions, mark: str
) -> list[Outcome]:
    """Learn, but end the process the first time that a procedure called 'deadly' comes."""
    if any(given.procedure == "deadly" for given in procedures) and not Path(mark).exists():
        Path(mark).touch()
        os._exit(9)
    return learn_batch(procedures, options)
