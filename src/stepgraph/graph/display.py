"""How values show themselves in a notebook, without knowing who draws them.

A graph lies below the renderers and cannot import them. `stepgraph/__init__.py`, which is always
imported first and knows all parts, writes down here who shows which class; the part is
imported when a notebook asks.
"""

from __future__ import annotations

import importlib

SHOWN_BY: dict[str, str] = {}
"""For a class, by its name, the function that shows its values, as ``module:function``."""


def show(value: object) -> dict[str, str]:
    """Return a value in the forms that a notebook can choose from, by their MIME type.

    Parameters
    ----------
    value
        What to show; without anybody to show it, it is shown as its `repr`.
    """
    home = SHOWN_BY.get(type(value).__name__)
    if home is None:
        return {"text/plain": repr(value)}
    module, _, name = home.partition(":")
    shown: dict[str, str] = getattr(importlib.import_module(module), name)(value)
    return shown
