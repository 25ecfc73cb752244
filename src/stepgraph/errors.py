"""The errors that stepgraph raises on purpose, and the form of their messages.

::

    StepgraphError
    ├── InputError              the input cannot be used
    │   ├── FileError           a path cannot be read or written
    │   ├── FormatError         a file's content is not what its format says
    │   ├── UnknownNameError    a step, method, procedure or column that does not exist
    │   ├── SettingError        a setting has a value that it cannot take
    │   └── GraphError          edges that make no task graph
    │       └── CycleError      steps that need each other
    └── UnavailableError        the installation lacks something
        └── MissingExtraError   an optional dependency

    StepgraphWarning            something that a caller should know, and can go on from
    └── LearningWarning         what learning left out

A message says where the problem is, the value found, the value expected and what to do.
It names parameters, as in ``with_mistakes=True``; the command line turns them into its options, and
ends with exit code 2 for each error.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any


class StepgraphError(Exception):
    """Base of every error that stepgraph raises on purpose."""


class StepgraphWarning(UserWarning):
    """Base of every warning that stepgraph gives."""


class LearningWarning(StepgraphWarning):
    """Learning left out some of what the recordings show."""


class InputError(StepgraphError):
    """The input cannot be used."""


class FileError(InputError):
    """A path cannot be read or written."""


class FormatError(InputError):
    """A file's content is not what its format says."""


class SettingError(InputError):
    """A setting has a value that it cannot take."""


class UnknownNameError(InputError):
    """A name that does not exist, with the nearest ones that do.

    Parameters
    ----------
    kind
        The kind of thing, such as ``"method"``.
    name
        The unknown name.
    known
        The names that exist.
    where
        The source of the name, such as a file and line.

    Examples
    --------
    >>> print(UnknownNameError("method", "intersetion", ["do", "intersection"]))
    unknown method 'intersetion'; did you mean 'intersection'?
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = "") -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        self.where = where
        self.nearest = nearest_names(name, self.known)
        if self.nearest:
            advice = f"did you mean {' or '.join(map(repr, self.nearest))}?"
        elif self.known:
            shown = ", ".join(map(repr, self.known[:12]))
            more = f" and {len(self.known) - 12} more" if len(self.known) > 12 else ""
            advice = f"expected one of {shown}{more}"
        else:
            advice = f"there is no {kind} to choose from"
        prefix = f"{where}: " if where else ""
        super().__init__(f"{prefix}unknown {kind} {name!r}; {advice}")

    # The default pickles an exception by its message, which cannot rebuild this one.
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kind, self.name, self.known, self.where)


class GraphError(InputError):
    """Edges that make no task graph."""


class CycleError(GraphError):
    """Steps that need each other.

    Parameters
    ----------
    cycle
        The steps along the cycle, each needing the next; the first one is not repeated.
    where
        The file or call that gave the edges.
    """

    def __init__(self, cycle: Sequence[str], where: str = "") -> None:
        self.cycle = tuple(cycle)
        self.where = where
        shown = " needs ".join(map(repr, (*self.cycle, self.cycle[0])))
        prefix = f"{where}: " if where else ""
        super().__init__(
            f"{prefix}these steps need each other: {shown}; "
            "a task graph has no cycle, remove one of these edges"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.cycle, self.where)


class UnavailableError(StepgraphError):
    """The installation lacks something that the call needs."""


class MissingExtraError(UnavailableError):
    """An optional dependency is not installed.

    Parameters
    ----------
    what
        The feature that needs it.
    extra
        The name of the extra that brings it.
    otherwise
        Advice on how to do without it.
    """

    def __init__(self, what: str, extra: str, otherwise: str = "") -> None:
        self.what = what
        self.extra = extra
        self.otherwise = otherwise
        advice = f", {otherwise}" if otherwise else ""
        super().__init__(
            f"{what} needs an optional dependency; install it with: "
            f"pip install 'stepgraph[{extra}]'{advice}"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.extra, self.otherwise)


MUCH = 0.15
"""Minimum lead in similarity of the best name for it to be the only suggestion."""


def nearest_names(name: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Return the known names most similar to a misspelt one, best first.

    Parameters
    ----------
    name
        The misspelt name.
    known
        The names that exist.
    count
        Maximum number of names.

    Examples
    --------
    >>> nearest_names("crack eg", ["crack egg", "pour milk"])
    ('crack egg',)
    >>> nearest_names("milk", ["crack egg", "pour in the milk"])
    ('pour in the milk',)
    """
    by_folded: dict[str, str] = {}
    for candidate in known:
        by_folded.setdefault(candidate.casefold(), candidate)
    # Python callers may pass any value as a name; its text serves as the name.
    folded_name = str(name).casefold()
    if folded_name in by_folded:
        return (by_folded[folded_name],)
    likeness = {
        other: difflib.SequenceMatcher(None, folded_name, other).ratio()
        for other in difflib.get_close_matches(folded_name, by_folded, n=count, cutoff=0.6)
    }
    # A name that is much more similar than the others is the intended one.
    best = max(likeness.values(), default=0.0)
    close = [other for other, like in likeness.items() if like > best - MUCH]
    if not close and (words := set(_words(folded_name))):
        # Part of a name suggests the names with all of its words.
        close = [folded for folded in by_folded if words.issubset(_words(folded))][:count]
    return tuple(by_folded[folded] for folded in close)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)
