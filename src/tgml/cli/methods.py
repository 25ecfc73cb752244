"""`tgml methods`: the ways to learn a graph."""

from __future__ import annotations

from importlib.util import find_spec

from tgml.cli import options
from tgml.cli.output import print_json, print_table


def methods(as_json: options.AsJson = False) -> None:
    """List the methods that learn a graph, and what each needs.

    Example: tgml methods
    """
    from tgml.learners import LEARNERS

    rows = []
    for entry in LEARNERS.values():
        if entry.extra is None:
            needs = "nothing more"
        elif find_spec(entry.extra) is not None:
            needs = f"{entry.extra}, installed"
        else:
            needs = f"pip install 'tgml[{entry.extra}]'"
        rows.append([entry.name, entry.summary, needs])
    if as_json:
        print_json([dict(zip(("name", "summary", "needs"), row, strict=True)) for row in rows])
    else:
        print_table(["method", "what it does", "needs"], rows)
