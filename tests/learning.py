"""Learning with everything that led to a graph, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stepgraph.graph import Constraints
from stepgraph.pipeline import DEFAULT_METHOD, Learning, LearningOptions, learn_together
from stepgraph.sequences import Demonstrations

_OPTIONS = ("seed", "threshold", "relaxed", "with_mistakes", "explain")


def options(method: str = DEFAULT_METHOD, **given: Any) -> LearningOptions:
    """Return options from keywords as `stepgraph.learn` takes them."""
    constraints = Constraints(given.pop("must", ()), given.pop("never", ()))
    own = {name: given.pop(name) for name in _OPTIONS if name in given}
    return LearningOptions(method, given, constraints=constraints, **own)


def learn_all(
    procedures: Sequence[Demonstrations], method: str = DEFAULT_METHOD, **given: Any
) -> list[Learning]:
    """Learn several procedures, with keywords as `stepgraph.learn` takes them."""
    progress = {"progress": given.pop("progress")} if "progress" in given else {}
    return list(learn_together(procedures, options(method, **given), **progress))
