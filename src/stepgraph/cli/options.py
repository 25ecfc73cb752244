"""Options that several commands share, and functions that parse them."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from stepgraph.cli.output_files import check_file
from stepgraph.errors import SettingError, UnknownNameError, nearest_names

if TYPE_CHECKING:
    from stepgraph.graph import Constraints
    from stepgraph.learners import Learner


READING = "Reading recordings"
LEARNING = "Learning"
KNOWLEDGE = "Prior knowledge, for 'robust' and 'fusion'"
NAMES = "Step names, for 'tgt-text'"
LOG_COLUMNS = "Columns of an event log"
LOG_FILTERS = "Filters of an event log"
LOG_MEANS = "Limits for an event log"


class SectionedCommand(TyperCommand):
    """A command whose help lists each option below the section that it names."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections, arguments and options that name none first."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
            if record is not None:
                title = getattr(parameter, "rich_help_panel", None) or kind
                sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def completing(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return a function that completes names in a shell.

    Parameters
    ----------
    names
        Called when the tab key is pressed, so that nothing is imported before.
    """

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def method_names() -> Iterable[str]:
    """Return the names of all methods."""
    from stepgraph.learners import LEARNERS

    return LEARNERS


Demos = Annotated[
    Path,
    typer.Argument(
        metavar="DEMOS", help="The recordings: CSV, JSON Lines, JSON or text.", show_default=False
    ),
]
Graph = Annotated[
    Path, typer.Argument(metavar="GRAPH", help="A task graph file.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="The format of the recordings, where the file name does not tell.",
        rich_help_panel=READING,
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        "--order",
        metavar="file|start|end",
        help="The order of steps. Default: that of the file; for a log, that of its times.",
        rich_help_panel=READING,
    ),
]
Procedure = Annotated[
    str | None,
    typer.Option(
        "--procedure",
        metavar="NAME",
        help="Use only this procedure of the file.",
        rich_help_panel=READING,
    ),
]
Recordings = Annotated[
    list[str] | None,
    typer.Option(
        "--recording", metavar="NAME", help="Use only this recording of the file; repeatable."
    ),
]
ColumnNames = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="ROLE=NAME",
        help="Which column is the recording, step, start, end, mistake, procedure, weight or "
        "lifecycle; repeatable.",
        rich_help_panel=READING,
    ),
]
Demonstrations = Annotated[
    Path | None,
    typer.Option("--demos", metavar="DEMOS", help="Recordings to compare with the graph."),
]
Truth = Annotated[
    Path | None,
    typer.Option(
        "--truth", metavar="TRUTH", help="The known graph of the procedure, to compare with."
    ),
]
WithMistakes = Annotated[
    bool,
    typer.Option(
        "--with-mistakes",
        help="Learn also from recordings with marked mistakes.",
        rich_help_panel=READING,
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="X",
        help="Keep edges of a larger weight. Default: the method's own.",
        rich_help_panel=LEARNING,
    ),
]
Relaxed = Annotated[
    bool,
    typer.Option(
        "--relaxed",
        help="Post-process as the paper does for noisy sequences.",
        rich_help_panel=LEARNING,
    ),
]
Changes = Annotated[
    bool, typer.Option("--changes", help="List what post-processing removed and added.")
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="N",
        min=0,
        help="The random seed; the same seed gives the same result.",
        rich_help_panel=LEARNING,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A setting of the method, listed by 'stepgraph methods METHOD'; repeatable.",
        rich_help_panel=LEARNING,
    ),
]
PresetName = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="NAME",
        help="Settings of the method that go together, such as 'paper' for the paper's own; --set "
        "overrules them.",
        rich_help_panel=LEARNING,
    ),
]
ConfusionFile = Annotated[
    Path | None,
    typer.Option("--confusion", metavar="FILE", help="The recogniser's errors, as a matrix."),
]
ErrorRate = Annotated[
    float | None,
    typer.Option("--error-rate", metavar="R", help="The recogniser's errors, as a single rate."),
]
CalibrationFile = Annotated[
    Path | None,
    typer.Option(
        "--calibration",
        metavar="FILE",
        help="A file from 'stepgraph calibrate', for steps that come from a recogniser.",
    ),
]
Embeddings = Annotated[
    Path | None,
    typer.Option(
        "--embeddings",
        metavar="FILE",
        help="Your own embeddings of the step names: npz, safetensors or .pt.",
        rich_help_panel=NAMES,
    ),
]
WithNext = Annotated[
    bool, typer.Option("--next", help="Also list the steps that can be done now, the best first.")
]
AsJsonLines = Annotated[bool, typer.Option("--json", help="Print JSON Lines, for machines.")]
Errors = Annotated[
    Path | None,
    typer.Option(
        "--errors",
        metavar="FILE",
        help="CaptainCook4D's error annotations for the step annotations.",
        rich_help_panel=READING,
    ),
]

COLUMN_ROLES = (
    "recording", "step", "start", "end", "mistake", "procedure", "weight", "lifecycle"
)  # fmt: skip

OPTIONS_OF_LEARN = (
    "method",
    "seed",
    "repetitions",
    "with_mistakes",
    "threshold",
    "relaxed",
    "preset",
)
"""Names that look like settings of a method but are options of 'learn'."""


def columns(given: Iterable[str] | None) -> dict[str, str]:
    """Return ``--column`` options as a mapping from role to column name."""
    pairs = _pairs("--column", "ROLE=NAME", given)
    for role, name in pairs.items():
        if role not in COLUMN_ROLES:
            if name in COLUMN_ROLES and not nearest_names(role, COLUMN_ROLES):
                raise SettingError(
                    f"--column {role}={name}: {name!r} is what a column holds, and comes first: "
                    f"--column {shlex.quote(f'{name}={role}')}"
                )
            raise UnknownNameError("column role", role, COLUMN_ROLES, "--column")
    return pairs


def reading(
    file_format: str | None,
    order: str | None,
    procedure: str | None,
    column: Iterable[str] | None,
    errors: Path | None = None,
) -> dict[str, Any]:
    """Return the options on reading as arguments of `read_demonstrations`."""
    return {
        "format": file_format,
        "order": order,
        "procedure": procedure,
        "columns": columns(column),
        "errors": errors,
    }


def settings(given: Iterable[str] | None, kind: Any) -> dict[str, Any]:
    """Return ``--set`` options as a mapping from a method's settings to their values.

    Parameters
    ----------
    given
        The options.
    kind
        The method: a dataclass with a ``name``, its fields the settings.

    Raises
    ------
    UnknownNameError
        If the method has no such setting.
    SettingError
        If a text is no value of the setting's type.
    """
    known = [field.name for field in dataclasses.fields(kind)]
    kinds = get_type_hints(kind)
    values = {}
    for name, text in _pairs("--set", "NAME=VALUE", given).items():
        if name in OPTIONS_OF_LEARN:
            option = f"--{name.replace('_', '-')}"
            raise SettingError(f"--set {name}={text}: use the option {option} instead")
        if name not in known:
            raise UnknownNameError("setting", name, known, f"the method {kind.name!r}, --set")
        values[name] = _value(name, text, kinds[name])
    return values


@dataclasses.dataclass(frozen=True)
class Stated:
    """The texts of ``--must``, ``--never``, ``--one-of`` and ``--undoes``."""

    must: Sequence[str] | None = None
    never: Sequence[str] | None = None
    one_of: Sequence[str] | None = None
    undoes: Sequence[str] | None = None

    def __bool__(self) -> bool:
        return any(vars(self).values())

    def constraints(self, steps: Sequence[str]) -> Constraints:
        """Return them as constraints on some steps."""
        from stepgraph.formats.edges import parse_choice, parse_edge, parse_undoing
        from stepgraph.graph import Constraints

        return Constraints(
            [parse_edge(text, steps) for text in self.must or ()],
            [parse_edge(text, steps) for text in self.never or ()],
            one_of=[parse_choice(text, steps) for text in self.one_of or ()],
            undoes=[parse_undoing(text, steps) for text in self.undoes or ()],
        )


def knowledge(
    kind: type[Learner], prior: Path | None, stated: Stated, steps: Sequence[str]
) -> tuple[dict[str, Any], Constraints]:
    """Return ``--prior`` as settings of a method, and what is stated as constraints.

    Raises
    ------
    SettingError
        If the method takes no such thing.
    """
    from stepgraph.formats import read_graph
    from stepgraph.formats.edges import read_constraints

    constraints = stated.constraints(steps)
    known = [field.name for field in dataclasses.fields(kind)]
    if (prior is not None or stated.must or stated.never) and not {
        "prior",
        "constraints",
    } <= set(known):
        raise SettingError(
            f"the method {kind.name!r} takes no --prior, --must or --never; use --method robust or "
            "fusion"
        )
    settings: dict[str, Any] = {}
    if prior is not None and prior.suffix.lower() == ".txt":
        constraints = constraints.joined(read_constraints(prior, steps))
    elif prior is not None:
        settings["prior"] = read_graph(prior)
    return settings, constraints


def transformer(
    kind: type[Learner], *, unified: bool, save_model: Path | None, embeddings: Path | None
) -> dict[str, Any]:
    """Return ``--unified``, ``--save-model`` and ``--embeddings`` as settings of a method.

    Raises
    ------
    SettingError
        If the method takes no such thing.
    FileError
        If the network's file could not be written.
    """
    given: dict[str, Any] = {"unified": True} if unified else {}
    if save_model is not None:
        check_file(save_model)
        given["save_model"] = str(save_model)
    if embeddings is not None:
        given["embeddings"] = str(embeddings)
    known = [field.name for field in dataclasses.fields(kind)]
    for name in given:
        if name not in known:
            option = f"--{name.replace('_', '-')}"
            raise SettingError(f"the method {kind.name!r} takes no {option}; use --method tgt-text")
    return given


def learner_class(method: str) -> type[Learner]:
    """Return the class of a method."""
    from stepgraph.learners import LEARNERS

    if method not in LEARNERS:
        raise UnknownNameError("method", method, LEARNERS)
    return LEARNERS[method].load()


def _pairs(option: str, expected: str, given: Iterable[str] | None) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given or ():
        name, _, value = (part.strip() for part in text.partition("="))
        if not name or not value:
            raise SettingError(f"{option} {text!r}: expected {expected}")
        if name in pairs:
            raise SettingError(f"{option}: {name!r} is given twice")
        pairs[name] = value
    return pairs


def _value(name: str, text: str, kind: Any) -> Any:
    """Return a text as a value of a setting's type; the learner checks the value."""
    from stepgraph.formats import read_graph
    from stepgraph.graph import TaskGraph

    kinds = set(get_args(kind)) if isinstance(kind, UnionType) else {kind}
    if TaskGraph in kinds:
        return read_graph(text)
    for simple, expected in _EXPECTED.items():
        if simple in kinds:
            try:
                return _TRUTHS[text.lower()] if simple is bool else simple(text)
            except (KeyError, ValueError):
                raise SettingError(f"--set {name}={text}: expected {expected}") from None
    if any(isinstance(one, type) and issubclass(one, str) for one in kinds):
        return text
    raise SettingError(f"--set {name}={text}: this setting can be given in Python only")


_EXPECTED = {bool: "true or false", int: "a whole number", float: "a number"}
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
