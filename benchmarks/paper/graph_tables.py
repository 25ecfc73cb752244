"""The paper's tables on task graph generation and on video understanding, beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.graphs import captaincook4d
from benchmarks.harness import BenchmarkResult, Column, Row, percent
from benchmarks.paper.work import Outcome, remarks


@dataclass(frozen=True)
class Line:
    """A line of one of the paper's tables.

    Parameters
    ----------
    label
        The method as the paper calls it.
    method
        The row of ours that follows the paper's protocol.
    figures
        The paper's figures, as fractions by the names that our rows have.
    """

    label: str
    method: str
    figures: dict[str, float]


INTERVALS = {"do": (0.015, 0.015), "tgt-text": (0.088, 0.069), "tgt-text-unified": (0.12, 0.103)}
"""What the paper prints after the ± of precision and recall, by its own methods."""


def _line(label: str, method: str) -> Line:
    name = captaincook4d.PAPERS_NAMES.get(method, method)
    precision, recall, f1, f1_interval = captaincook4d.PAPER[name]
    figures = {"precision": precision, "recall": recall, "f1": f1}
    if name in INTERVALS and f1_interval is not None:
        names = ("precision_interval", "recall_interval", "f1_interval")
        figures |= dict(zip(names, (*INTERVALS[name], f1_interval), strict=True))
    return Line(label, method, figures)


TABLE_1 = (
    _line("MSGI", "msgi"),
    _line("LLM", "llm"),
    _line("Count-Based", "count-based"),
    _line("MSG²", "msg2"),
    _line("TGT-text", "tgt-text-paper"),
    _line("DO", "do-paper"),
)
SCALABILITY = (
    _line("TGT-text (single)", "tgt-text-paper"),
    _line("TGT-text (unified)", "tgt-text-paper-unified"),
)
SCALABILITY_OURS = ("tgt-text", "tgt-text-unified")
TABLE_2 = (
    Line("Random", "", {"published_ordering": 0.5, "published_future": 0.5}),
    Line("TGT-video", "", {"published_ordering": 0.773, "published_future": 0.743}),
)
VIDEO = (
    "not computed: the EgoVLPv2 features of the videos are not among the public files; "
    "tgt-video-simulated has simulated ones"
)
CHANCE = "as the paper has it; random-matrices measures the chance of its rule"

PROTOCOLS = (
    "protocol: 'paper's' is the paper's own training and settings, or a method without any; 'ours' "
    "is what stepgraph does by default"
)
OF_OTHER_COLUMNS = ("released:", "next below")
"""How notes on columns begin that these tables do not have."""


def edge_table(
    name: str, title: str, lines: Sequence[Line], outcomes: Sequence[Outcome]
) -> BenchmarkResult:
    """Lay out a table of precision, recall and F1 of edges.

    Parameters
    ----------
    name, title
        What the table is called, and what it shows.
    lines
        The paper's lines.
    outcomes
        The rows of CaptainCook4D, computed or not, in the order to show them.
    """
    of_paper = {line.method: line for line in lines}
    said, _ = remarks(outcomes)
    rows = []
    for outcome in outcomes:
        row = found_row(outcome, said)
        line = of_paper.get(outcome.task.method)
        row["protocol"] = "ours" if line is None else "paper's"
        if line is not None:
            row |= {"label": line.label, "published": line.figures}
        elif str(row.get("about", "")).startswith("control"):
            row["protocol"] = "control"
        rows.append(row)
    return BenchmarkResult(
        name,
        _common_title(title, outcomes),
        rows,
        EDGE_COLUMNS,
        [*_notes_of(outcomes), PROTOCOLS],
    )


def found_row(outcome: Outcome, said: Mapping[str, str], **wanted: Any) -> dict[str, Any]:
    """Return the row of a method, or its name and why there is none.

    Parameters
    ----------
    outcome
        What became of its task.
    said
        Why tasks were not done, by their names.
    **wanted
        Values that the row must have, where the task has several rows.
    """
    method = outcome.task.method
    row: dict[str, Any] = {"method": method, **(outcome.row(method=method, **wanted) or {})}
    row.pop("paper", None)  # the tables know the paper's figures of each line themselves
    if outcome.task.name in said:
        row["reason"] = said[outcome.task.name]
    return row


def _common_title(title: str, outcomes: Sequence[Outcome]) -> str:
    said = next((outcome.title for outcome in outcomes if outcome.title), "")
    return f"{title}. {said}" if said else title


def _notes_of(outcomes: Sequence[Outcome]) -> list[str]:
    notes = dict.fromkeys(note for outcome in outcomes for note in outcome.notes)
    return [
        *remarks(outcomes)[1],
        *(note for note in notes if not note.startswith(OF_OTHER_COLUMNS)),
    ]


def published(name: str) -> Column:
    """Return the column of one of the paper's figures, with its interval where it has one."""

    def cell(row: Row) -> str:
        figures = row.get("published", {})
        return percent(figures.get(name), figures.get(f"{name}_interval"))

    titles = {"precision": "P", "recall": "R", "f1": "F1"}
    return Column(f"paper's {titles.get(name, name)}", cell)


def _share(title: str, name: str) -> Column:
    return Column(title, lambda row: percent(row.get(name)))


def _over_seeds(row: Row) -> str:
    half = row.get("f1_interval90")
    return "" if half is None or row.get("runs", 1) < 2 else f"± {100 * half:.1f}"


def _over_recipes(row: Row) -> str:
    if row.get("f1_low90") is None or row.get("f1_high90") is None:
        return ""
    return f"{100 * row['f1_low90']:.1f} to {100 * row['f1_high90']:.1f}"


def _papers_interval(row: Row) -> str:
    width = row.get("f1_interval_paper")
    return "" if width is None or row.get("runs", 1) < 2 else f"± {100 * width:.1f}"


NAME_COLUMNS = (
    Column("paper's name", lambda row: str(row.get("label", ""))),
    Column("row", lambda row: str(row["method"])),
    Column("protocol", lambda row: str(row["protocol"])),
)
EDGE_COLUMNS = (
    *NAME_COLUMNS,
    _share("P", "precision"),
    _share("R", "recall"),
    _share("F1", "f1"),
    Column("over seeds", _over_seeds),
    Column("over recipes", _over_recipes),
    Column("paper's ±", _papers_interval),
    published("precision"),
    published("recall"),
    published("f1"),
    Column("remark", lambda row: str(row.get("reason", ""))),
)


def table_1(outcomes: Sequence[Outcome]) -> BenchmarkResult:
    """Lay out Table 1: task graph generation."""
    return edge_table("table-1", "Task graph generation", TABLE_1, outcomes)


def scalability(outcomes: Sequence[Outcome]) -> BenchmarkResult:
    """Lay out the table on scalability: a network for each recipe, and one for all."""
    title = "One network for each recipe (single) against one for all (unified)"
    return edge_table("scalability", title, SCALABILITY, outcomes)


def table_2(outcomes: Sequence[Outcome]) -> BenchmarkResult:
    """Lay out Table 2: pairwise ordering and future prediction."""
    rows: list[dict[str, Any]] = [
        {
            "method": line.label,
            "published": line.figures,
            "reason": CHANCE if line.label == "Random" else VIDEO,
        }
        for line in TABLE_2
    ]
    said, _ = remarks(outcomes)
    rows += [found_row(outcome, said) for outcome in outcomes]
    return BenchmarkResult(
        "table-2",
        _common_title("Pairwise ordering and future prediction", outcomes),
        rows,
        TABLE_2_COLUMNS,
        [*_notes_of(outcomes), "intervals are Student's t at 90 % over seeds"],
    )


def _answer(title: str, name: str) -> Column:
    def cell(row: Row) -> str:
        half = row.get(f"{name}_interval90") if row.get("runs", 1) > 1 else None
        return percent(row.get(name), half)

    return Column(title, cell)


TABLE_2_COLUMNS = (
    Column("method", lambda row: str(row["method"])),
    _answer("ordering, fair rule", "ordering"),
    _answer("future, fair rule", "future"),
    _answer("ordering, paper's rule", "published_ordering"),
    _answer("future, paper's rule", "published_future"),
    Column("paper's ordering", lambda row: percent(_published(row, "published_ordering"))),
    Column("paper's future", lambda row: percent(_published(row, "published_future"))),
    Column("remark", lambda row: str(row.get("reason", row.get("about", "")))),
)


def _published(row: Row, name: str) -> float | None:
    value: float | None = row.get("published", {}).get(name)
    return value


def edge_methods() -> list[str]:
    """Return the rows of Table 1: the paper's, then every other one but the unified networks."""
    first = [line.method for line in TABLE_1]
    apart = {*first, SCALABILITY[1].method, SCALABILITY_OURS[1]}
    return [*first, *(name for name in captaincook4d.choose_methods(None) if name not in apart)]
