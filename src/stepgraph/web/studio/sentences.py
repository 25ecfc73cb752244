"""The history in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_EDGE = {
    "add": "added: '{step}' needs '{needs}'",
    "remove": "removed: '{step}' needs '{needs}'",
    "pin": "pinned: '{step}' needs '{needs}'",
    "forbid": "forbade: '{step}' needs '{needs}'",
    "free": "no longer pinned or forbidden: '{step}' needs '{needs}'",
    "optional": "marked '{step}' optional",
    "required": "marked '{step}' not optional",
    "threshold": "showed edges above {value}",
    "relearn": "learned anew from {recordings} recordings",
    "learn": "learned from {file}, {recordings} recordings",
    "attach": "took {file} as evidence, {recordings} recordings",
}


def sentence(entry: Mapping[str, Any]) -> str:
    """Return an entry of the history in words.

    Examples
    --------
    >>> sentence({"edit": "pin", "step": "mix", "needs": "egg"})
    "pinned: 'mix' needs 'egg'"
    """
    pattern = _EDGE.get(str(entry.get("edit")))
    try:
        if pattern is not None:
            return pattern.format_map(entry)
    except (KeyError, ValueError, AttributeError, IndexError):
        pass  # an entry that another program wrote under the same name
    return str(entry.get("content", entry))[:200]
