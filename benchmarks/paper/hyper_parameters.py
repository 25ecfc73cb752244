"""The paper's tables of hyper-parameters beside the presets that follow them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from benchmarks.harness import BenchmarkResult, Column, Row
from benchmarks.paper.work import Outcome
from stepgraph.errors import StepgraphError
from stepgraph.learners import LEARNERS, get_learner

METHODS = {"do": "DO", "tgt-text": "TGT"}
FIRST = "paper"
"""The preset for CaptainCook4D; all others are for the data sets of online mistake detection."""


@dataclass(frozen=True)
class Value:
    """A hyper-parameter in one of the paper's two tables.

    Parameters
    ----------
    name
        What the paper calls it.
    settings
        Our settings of the same meaning; two for a value that changes during training.
    papers
        The paper's values, one for each setting.
    """

    name: str
    settings: tuple[str, ...]
    papers: tuple[float, ...]


TABLES = {
    "Table 4, CaptainCook4D": {
        "do": (
            Value("learning rate", ("learning_rate",), (0.1,)),
            Value("maximum number of epochs", ("epochs",), (1000,)),
            Value("β", ("beta",), (0.005,)),
        ),
        "tgt-text": (
            Value("learning rate", ("learning_rate",), (0.000001,)),
            Value("maximum number of epochs", ("epochs",), (3000,)),
            Value("β", ("beta", "final_beta"), (1.0, 0.05)),
            Value("dropout rate", ("dropout",), (0.25,)),
        ),
    },
    "Table 5, Assembly101-O and EPIC-Tent-O": {
        "do": (
            Value("learning rate", ("learning_rate",), (0.1,)),
            Value("maximum number of epochs", ("epochs",), (1200,)),
            Value("β", ("beta",), (0.005,)),
        ),
        "tgt-text": (
            Value("learning rate", ("learning_rate",), (0.000001,)),
            Value("maximum number of epochs", ("epochs",), (1200,)),
            Value("β", ("beta", "final_beta"), (1.0, 0.55)),
            Value("dropout rate", ("dropout",), (0.1,)),
        ),
    },
}
"""The paper's values by table and method. All are trained with Adam, as ours are."""
NOTES = (
    "all methods are trained with Adam, in the paper and here",
    (
        "default: what the method does without a preset; further settings of a preset, which the "
        "paper's tables do not list, stand below them"
    ),
)


def hyper_parameters(outcomes: Sequence[Outcome]) -> BenchmarkResult:  # noqa: ARG001 - no task
    """Lay out the tables of hyper-parameters, and what else the presets set."""
    parts = [_table(title, values) for title, values in TABLES.items()]
    others = _other_settings()
    if others:
        parts.append(_others(others))
    return BenchmarkResult(
        "hyper-parameters",
        "Hyper-parameters of the paper and of the presets that follow it",
        [row for part in parts for row in part.rows],
        COLUMNS,
        NOTES,
        parts=parts,
    )


def _others(rows: Sequence[Row]) -> BenchmarkResult:
    """Return a table with a line for each setting and a column for each preset."""
    presets = dict.fromkeys(row["preset"] for row in rows)
    lines: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        line = lines.setdefault((row["method"], row["setting"]), {**row, "presets": {}})
        line["presets"][row["preset"]] = row["ours"]
    return BenchmarkResult(
        "Further settings",
        "Further settings of the presets, which the paper's tables do not list",
        rows,
        (
            Column("method", lambda line: METHODS[line["method"]]),
            Column("setting", lambda line: str(line["setting"])),
            *map(_preset_column, presets),
            Column("default", lambda line: _shown(line["default"])),
        ),
        table_rows=list(lines.values()),
    )


def _preset_column(preset: str) -> Column:
    return Column(preset, lambda line: _shown(line["presets"].get(preset)))


def _table(title: str, values: dict[str, tuple[Value, ...]]) -> BenchmarkResult:
    is_first = title == next(iter(TABLES))
    rows: list[dict[str, Any]] = []
    for method, own in values.items():
        try:
            presets = [
                name for name in LEARNERS[method].load().presets if (name == FIRST) == is_first
            ]
            rows += [_row(title, method, value, preset) for preset in presets for value in own]
        except StepgraphError as error:
            rows.append({"table": title, "method": method, "remark": f"not computed: {error}"})
    return BenchmarkResult(title, f"Hyper-parameters: {title}", rows, COLUMNS)


def _row(title: str, method: str, value: Value, preset: str) -> dict[str, Any]:
    learner, default = get_learner(method, preset=preset), get_learner(method)
    ours = [getattr(learner, name) for name in value.settings]
    return {
        "table": title,
        "method": method,
        "preset": preset,
        "hyper_parameter": value.name,
        "paper": list(value.papers),
        "ours": ours,
        "default": [getattr(default, name) for name in value.settings],
        "agrees": ours == list(value.papers),
    }


def _other_settings() -> list[dict[str, Any]]:
    """Return the settings of the presets that have no line in the paper's tables."""
    rows = []
    for method in METHODS:
        try:
            kind = LEARNERS[method].load()
        except StepgraphError:
            continue
        listed = {
            name
            for values in TABLES.values()
            for value in values[method]
            for name in value.settings
        }
        defaults = {entry.name: getattr(get_learner(method), entry.name) for entry in fields(kind)}
        rows += [
            {
                "method": method,
                "preset": name,
                "about": preset.about,
                "setting": setting,
                "ours": [_plain(value)],
                "default": [_plain(defaults[setting])],
            }
            for name, preset in kind.presets.items()
            for setting, value in preset.settings.items()
            if setting not in listed
        ]
    return rows


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | int | float) else str(value)


def _shown(values: Sequence[Any] | None) -> str:
    return "" if values is None else " to ".join(map(_number, values))


def _number(value: Any) -> str:
    if isinstance(value, float) and 0 < abs(value) < 1e-3:
        return f"{value:.8f}".rstrip("0")
    return str(value).lower() if isinstance(value, bool) else f"{value}"


def _agreement(row: Row) -> str:
    return row.get("remark") or ("yes" if row["agrees"] else "no")


COLUMNS = (
    Column("method", lambda row: METHODS[row["method"]]),
    Column("preset", lambda row: str(row.get("preset", ""))),
    Column("hyper-parameter", lambda row: str(row.get("hyper_parameter", ""))),
    Column("paper", lambda row: _shown(row.get("paper"))),
    Column("preset's", lambda row: _shown(row.get("ours"))),
    Column("agrees", _agreement),
    Column("default", lambda row: _shown(row.get("default"))),
)
