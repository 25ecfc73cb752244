"""How a graph came about: what it was learned with and from, and what was edited since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Provenance:
    """How a graph came about; with it and the recordings, the graph can be learned again.

    A graph made by hand has all fields at their defaults.

    Parameters
    ----------
    method
        The method that it was learned with.
    settings
        The method's settings, as plain JSON values; those left out had their defaults.
    seed
        The seed that it was learned with.
    threshold, relaxed, with_mistakes
        The options of `stepgraph.learn`.
    recordings
        How many recordings it was learned from.
    model
        The file name of the trained network that predicted it.
    version
        The version of stepgraph that learned it.
    notes
        What learning left out, merged or doubts, in words.
    history
        The edits since, the oldest first: what was edited (`edit`), when (`at`), and more.
    other
        What else a file says; kept with the graph, never interpreted.
    """

    method: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    threshold: float | None = None
    relaxed: bool = False
    with_mistakes: bool = False
    recordings: float | None = None
    model: str = ""
    version: str = ""
    notes: tuple[str, ...] = ()
    history: tuple[Mapping[str, Any], ...] = ()
    other: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("settings", "other"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        for name in ("notes", "history"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    # Read-only mappings cannot be pickled; made anew from plain ones, they need not be.
    def __reduce__(self) -> tuple[Any, ...]:
        values = (getattr(self, entry.name) for entry in fields(self))
        plain = tuple(dict(one) if isinstance(one, MappingProxyType) else one for one in values)
        return Provenance, plain
