"""The paper's Table 3 and Figure 5, online mistake detection, beside ours and the controls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.harness import BenchmarkResult, Column, Row, percent
from benchmarks.mistakes.online import PUBLISHED, Published
from benchmarks.mistakes.online_methods import METHODS, SPLITS
from benchmarks.mistakes.perturbation import MODERATE, RATES
from benchmarks.paper.graph_tables import found_row
from benchmarks.paper.work import Outcome, remarks
from stepgraph.drawing.charts import Point, Series, line_chart

LABELS = {
    "count-based": "Count-Based",
    "llm": "LLM",
    "msgi": "MSGI",
    "prego": "PREGO",
    "msg2": "MSG²",
    "tgt-text-paper": "TGT-text",
    "do-paper": "DO",
    "do-paper-1200": "DO",
}
"""The paper's lines: our row that follows its protocol, and what the paper calls it."""
OURS = (
    "do",
    "tgt-text",
    "stepgraph-default",
    "always-before",
    "unseen-step",
    "position",
    "position-training",
    "at-random",
    "always-correct",
    "always-mistake",
)
"""Our own rows and the controls, after the paper's lines."""
TWO_GRAPHS = "do-paper-1200"
"""The second graph of DO, which the paper uses on Assembly101-O's true segments."""
PUBLISHED_ONLY = {
    "prego": (
        "not computed: PREGO asks a language model of its own for the next step; next-step, in "
        "the benchmarks of both data sets, does so with an n-gram model"
    )
}
HALVES = {"true": "true segments", "miniroad": "segments recognised by miniROAD"}
TABLE_3_NOTES = (
    (
        "in the tables 'as the paper prints them' precision and recall of all rows, ours too, are "
        "exchanged as in the paper (but PREGO's, which the paper has the right way round), and "
        "rows of the paper's own methods are those of its seed, so that digits can be compared"
    ),
    "over seeds: the lowest and the highest average F1; seed 42: average, correct and mistake F1",
)
GRAPHS_NOTE = (
    "Assembly101-O: the paper's two DO rows come from two graphs: the one on true segments from "
    "1,200 epochs without early stopping (do-paper-1200), the one on recognised segments from "
    "training that stops early (do-paper); both graphs stand here on both kinds of segments"
)
OF_OTHER_TABLES = ("oadtr", "on Assembly101-O the paper's two rows")
"""How notes of the benchmarks begin that concern other tables, or are said here in full."""


def mistake_methods(dataset: str) -> list[str]:
    """Return the rows of a data set in Table 3 that are to be computed."""
    rows = [name for name in (*LABELS, *OURS) if name not in PUBLISHED_ONLY]
    return [name for name in rows if name != TWO_GRAPHS or dataset == "assembly101-o"]


def table_3(outcomes: Sequence[Outcome]) -> BenchmarkResult:
    """Lay out Table 3: a table for each half and data set, and each as the paper prints it."""
    parts = []
    for segments, half in HALVES.items():
        for dataset, (title, _) in SPLITS.items():
            own = [outcome for outcome in outcomes if outcome.task.benchmark == dataset]
            rows = _rows(dataset, segments, own)
            if not rows:
                continue
            name, what = f"{title}, {half}", f"{title}, {half}: mistakes flagged online"
            parts.append(BenchmarkResult(name, what, rows, TABLE_3_COLUMNS, remarks(own)[1]))
            printed = [row for row in rows if row["protocol"] == "paper's"]
            parts.append(
                BenchmarkResult(
                    f"{name}, as the paper prints them",
                    f"{what}; precision and recall exchanged, as the paper prints them",
                    printed,
                    PRINTED_COLUMNS,
                )
            )
    notes_of = dict.fromkeys(note for outcome in outcomes for note in outcome.notes)
    said = [note for note in notes_of if not note.startswith(OF_OTHER_TABLES)]
    shown = {outcome.task.method for outcome in outcomes}
    return BenchmarkResult(
        "table-3",
        "Online mistake detection on Assembly101-O and EPIC-Tent-O",
        [row for part in parts if part.columns is TABLE_3_COLUMNS for row in part.rows],
        TABLE_3_COLUMNS,
        [*([GRAPHS_NOTE] if TWO_GRAPHS in shown else []), *TABLE_3_NOTES, *said],
        parts=parts,
    )


def _rows(dataset: str, segments: str, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    said, _ = remarks(outcomes)
    rows = []
    for outcome in outcomes:
        row = found_row(outcome, said, segments=segments)
        if "f1_average" not in row and "reason" not in row:
            row["reason"] = f"not computed: there is no file of {HALVES[segments]}"
        rows.append(row)
    if {"count-based", "msg2"} <= {row["method"] for row in rows}:  # the table is shown whole
        place = next(number for number, row in enumerate(rows) if row["method"] == "msg2")
        for method, reason in PUBLISHED_ONLY.items():
            rows.insert(place, {"method": method, "reason": reason})
    for row in rows:
        method = row["method"]
        row |= {"dataset": dataset, "segments": segments, "label": LABELS.get(method, "")}
        control = method in METHODS and METHODS[method].control
        row["protocol"] = "paper's" if method in LABELS else "control" if control else "ours"
        found = _published(dataset, segments, method)
        if found is not None:
            row |= {"published": found.figures(), "printed": _printed(found)}
    return rows


def _published(dataset: str, segments: str, method: str) -> Published | None:
    """Return the paper's line that a row of ours is to be compared with."""
    if method not in LABELS:
        return None
    if (dataset, method) in (("assembly101-o", "do-paper"), ("assembly101-o", TWO_GRAPHS)):
        its_graph = TWO_GRAPHS if segments == "true" else "do-paper"
        if method != its_graph:
            return None
    return PUBLISHED[dataset, segments].get(method.partition("-paper")[0])


def _printed(found: Published) -> dict[str, float]:
    """Return the paper's figures as it prints them: F1, then two columns."""
    figures: dict[str, float] = {}
    for kind, values in (("correct", found.correct), ("mistake", found.mistake)):
        names = (f"f1_{kind}", f"first_{kind}", f"second_{kind}")
        figures |= dict(zip(names, (value / 100 for value in values), strict=True))
    return figures


def _average(row: Row) -> str:
    text = percent(row.get("f1_average"))
    if row.get("f1_average_low") is None:
        return text
    return f"{text} ({100 * row['f1_average_low']:.0f}-{100 * row['f1_average_high']:.0f})"


def _lowest_to_highest(row: Row) -> str:
    runs = row.get("f1_average_by_seed")
    return "" if not runs or len(runs) < 2 else f"{percent(min(runs))} to {percent(max(runs))}"


def _papers_seed(row: Row) -> str:
    names = ("f1_average", "f1_correct", "f1_mistake")
    figures = row.get("papers_seed")
    return "" if figures is None else " / ".join(percent(figures[name]) for name in names)


def _comparable(row: Row) -> Row:
    """Return the figures to compare digit by digit: those of the paper's seed, where it matters."""
    figures: Row = row.get("papers_seed", row)
    return figures


def _three(figures: Row, names: Sequence[str]) -> str:
    """Return F1, and in brackets the two figures after it."""
    if figures.get(names[0]) is None:
        return ""
    first, *others = (percent(figures[name]) for name in names)
    return f"{first} ({' / '.join(others)})"


def _class(kind: str, *, paper: bool = False) -> Column:
    names = (f"f1_{kind}", f"precision_{kind}", f"recall_{kind}")
    if paper:
        return Column(
            f"paper's {kind} F1 (P / R)", lambda row: _three(row.get("published", {}), names)
        )
    return Column(f"{kind} F1 (P / R)", lambda row: _three(row, names))


def _exchanged(kind: str) -> Column:
    names = (f"f1_{kind}", f"recall_{kind}", f"precision_{kind}")
    return Column(f"{kind} F1 (Prec / Rec)", lambda row: _three(_comparable(row), names))


def _as_printed(kind: str) -> Column:
    names = (f"f1_{kind}", f"first_{kind}", f"second_{kind}")
    return Column(
        f"paper's {kind} F1 (Prec / Rec)", lambda row: _three(row.get("printed", {}), names)
    )


def _papers_average(row: Row) -> str:
    return percent(row.get("published", {}).get("f1_average"))


NAMES = (
    Column("paper's name", lambda row: str(row["label"])),
    Column("row", lambda row: str(row["method"])),
)
TABLE_3_COLUMNS: Sequence[Column] = (
    *NAMES,
    Column("protocol", lambda row: str(row["protocol"])),
    Column("average F1", _average),
    Column("over seeds", _lowest_to_highest),
    Column("seed 42", _papers_seed),
    _class("correct"),
    _class("mistake"),
    Column("paper's average F1", _papers_average),
    _class("correct", paper=True),
    _class("mistake", paper=True),
    Column("remark", lambda row: str(row.get("reason", ""))),
)
PRINTED_COLUMNS: Sequence[Column] = (
    *NAMES,
    Column("average F1", lambda row: percent(_comparable(row).get("f1_average"))),
    _exchanged("correct"),
    _exchanged("mistake"),
    Column("paper's average F1", _papers_average),
    _as_printed("correct"),
    _as_printed("mistake"),
)

CURVES = {"f1_average": "average", "f1_correct": "correct", "f1_mistake": "mistake"}
DRAWN = ("do-paper", TWO_GRAPHS)
"""The graphs whose three curves are drawn, as the paper's figure does."""
APART = ("do", "always-before", "unseen-step", "position-training")
"""What is drawn apart: our own training and the controls, their average F1 alone."""
FIGURE_5_NOTES = (
    (
        "each key-step is perturbed with the given probability: a random step is inserted after "
        "it, it is deleted, or it is replaced by a random step, alike often"
    ),
    "the last segment that is left is the mistake; every seed draws its own perturbation",
    "bands and ± are Student's t at 90 % over seeds",
    "lost: points of F1 lost at 20 %; the paper loses 10 to 15 of the average F1",
)


def figure_5(outcomes: Sequence[Outcome]) -> BenchmarkResult:
    """Lay out Figure 5: the three F1 of each graph as more and more key-steps are perturbed."""
    points = [row for outcome in outcomes for row in outcome.rows]
    parts = [_figure(dataset, title, points) for dataset, (title, _) in SPLITS.items()]
    parts = [part for part in parts if part.rows]
    notes = dict.fromkeys(note for outcome in outcomes for note in outcome.notes)
    missing = [note for note in notes if note.startswith("left out")]
    said, lacking = remarks(outcomes)
    alone = [
        f"{name}: {remark}" for name, remark in said.items() if not remark.endswith("see the notes")
    ]
    return BenchmarkResult(
        "figure-5",
        "Average, correct and mistake F1 as key-steps are inserted, deleted and replaced",
        points,
        [Column("method", lambda row: str(row["method"]))],
        [*alone, *lacking, *missing, *FIGURE_5_NOTES],
        parts=parts,
    )


def _figure(dataset: str, title: str, points: Sequence[Row]) -> BenchmarkResult:
    own = [row for row in points if row["dataset"] == dataset]
    if dataset != "assembly101-o":
        own = [row for row in own if row["method"] != TWO_GRAPHS]
    methods = list(dict.fromkeys(row["method"] for row in own))
    charts = {}
    for method in methods:
        if method in DRAWN:
            charts[f"figure-5-{dataset}-{method}"] = line_chart(
                [
                    Series(curve, [_point(row, key) for row in own if row["method"] == method])
                    for key, curve in CURVES.items()
                ],
                title=f"{title}: F1 of {method} as key-steps are perturbed",
                x_label="perturbation rate (%)",
                y_label="F1 (%)",
                y_range=(0.0, 100.0),
            )
    apart = [method for method in methods if method in APART]
    if apart:
        charts[f"figure-5-{dataset}-controls"] = line_chart(
            [
                Series(
                    method,
                    [_point(row, "f1_average") for row in own if row["method"] == method],
                    muted=METHODS[method].control,
                )
                for method in apart
            ],
            title=f"{title}: average F1 of our training and of controls",
            x_label="perturbation rate (%)",
            y_label="average F1 (%)",
            y_range=(0.0, 100.0),
        )
    lines: list[dict[str, Any]] = [
        {
            "method": method,
            "curve": curve,
            **{
                _rate(row): (row[key], row[f"{key}_interval90"])
                for row in own
                if row["method"] == method
            },
        }
        for method in methods
        for key, curve in CURVES.items()
    ]
    return BenchmarkResult(
        title,
        f"{title}, true segments: F1 in percent by the share of perturbed key-steps",
        own,
        FIGURE_5_COLUMNS,
        charts=charts,
        table_rows=lines,
    )


def _rate(row: Row) -> str:
    return f"{row['rate']:.0%}"


def _point(row: Row, key: str) -> Point:
    mean, half = 100 * row[key], 100 * row[f"{key}_interval90"]
    return Point(100 * row["rate"], mean, max(mean - half, 0.0), min(mean + half, 100.0))


def _rate_column(rate: float) -> Column:
    name = f"{rate:.0%}"
    return Column(name, lambda line: percent(line[name][0], line[name][1] if rate else None))


def _lost(line: Row) -> str:
    return percent(line[f"{RATES[0]:.0%}"][0] - line[f"{MODERATE:.0%}"][0])


FIGURE_5_COLUMNS = (
    Column("method", lambda line: str(line["method"])),
    Column("F1 of", lambda line: str(line["curve"])),
    *map(_rate_column, RATES),
    Column(f"lost at {MODERATE:.0%}", _lost),
)
