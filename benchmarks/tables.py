"""The tables of the documents, each made of what one or two benchmarks measured.

What lines are called and which ones are shown is decided here; every figure comes from the results.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

from benchmarks.graphs.edge_rows import by_f1
from benchmarks.harness import Row
from benchmarks.rule_tables import RULE_TABLES
from benchmarks.table_parts import (
    ANCHORED,
    EDGES,
    INTERVALS,
    NEXT,
    SCORES,
    Cell,
    Lines,
    Results,
    Table,
    against,
    bound,
    chosen,
    code,
    crossed,
    curve_table,
    formulas,
    listed,
    number,
    percent,
    ratio,
    rows_of,
    same,
    several,
    share,
    spread,
    text,
)

METHODS = {
    "fusion-llm": ("`fusion` + language model", "recordings and a prior, weighed"),
    "fusion": ("`fusion`", "the same with the step names alone"),
    "robust": ("`robust`, the default", "a model of people who err"),
    "intersection": ("`intersection`", "the order that all recordings share"),
    "do": ("`do`", "Direct Optimization of the TGML loss"),
    "do-paper": ("`do`, preset `paper`", "the same as the paper's released code trains it"),
    "do-protected": ("`do`, protected", "on recordings in which `robust` sees no slip"),
    "tgt-text": (
        "`tgt-text`",
        "transformer on the step names; our regulariser pulls to the intersection order",
    ),
    "tgt-text-unified": ("`tgt-text`, unified", "one such network for all recipes"),
    "tgt-text-random": (
        "control: `tgt-text` without text",
        "our regulariser, random vectors for the step names",
    ),
    "tgt-text-paper": (
        "`tgt-text`, preset `paper`",
        "the transformer as the paper's released code trains it",
    ),
    "tgt-text-paper-unified": (
        "`tgt-text`, preset `paper`, unified",
        "one such network for all recipes",
    ),
    "msg2": ("`msg2`", "inductive logic"),
    "count-based": ("`count-based`", "transition statistics"),
    "llm": ("`llm`", "a language model's published answers"),
    "msgi": ("`msgi`", "inductive logic"),
    "no-order": ("control: no order", "no step needs another"),
    "first-recording": ("control: first recording", "one recording as a chain"),
    "uncontradicted": (
        "control: known graph",
        "the known edges that no recording, mistakes included, contradicts",
    ),
}
IN_THE_README = ("robust", "intersection", "do", "do-paper", "tgt-text", "tgt-text-random")
"""The default, the paper's methods as we and as it trains them, and the controls that equal them
without training or without text."""


def methods(results: Results) -> Lines:
    """Return methods and controls on CaptainCook4D's recordings, by falling F1."""
    return _methods(results, METHODS, {**EDGES, **INTERVALS, **NEXT, **ANCHORED})


def readme(results: Results) -> Lines:
    """Return the most telling of these methods, with fewer figures of each."""
    columns = {"F1": EDGES["F1"], "over recipes": INTERVALS["over recipes"], **ANCHORED}
    return _methods(results, IN_THE_README, columns)


def _methods(results: Results, names: Container[str], columns: Mapping[str, Cell]) -> Lines:
    lines = [["method", "what it is", *columns, "unfiltered", "paper's F1"]]
    found = [row for row in rows_of(results, "captaincook4d") if row["method"] in names]
    for row in by_f1(found):
        others = rows_of(results, "captaincook4d-unfiltered", method=row["method"])
        paper = row.get("paper")
        lines.append(
            [
                *METHODS[row["method"]],
                *(cell(row) for cell in columns.values()),
                share("f1")(others[0]) if others else "",
                percent(paper["f1"], paper["f1_interval_paper"]) if paper else "",
            ]
        )
    return lines


def data_split(results: Results) -> Lines:
    """Return recordings, segments and hours of each recipe beside the paper's."""
    lines = [["recipe", "recordings", "paper's", "segments", "paper's", "hours", "paper's"]]
    lines[0] += ["latest end", "span", "in segments"]
    for row in rows_of(results, "data-split"):
        paper = row["paper"]
        cells = [f"{row['recordings']}", f"{paper['videos']}"]
        cells += [f"{row['segments']:,}", f"{paper['segments']:,}"]
        cells += [f"{row['hours']:.1f}", f"{paper['hours']:.1f}"]
        others = ("hours_latest", "hours_span", "hours_segments")
        lines.append([row["recipe"], *cells, *(f"{row[key]:.1f}" for key in others)])
    return lines


ONLINE = (("assembly101-o", "A"), ("epic-tent-o", "E"))
SEGMENTS = ("true", "miniroad", "oadtr")


def online_mistakes(results: Results) -> Lines:
    """Return average, correct and mistake F1 by method, data set and segments."""
    cell = several(share("f1_average"), share("f1_correct"), share("f1_mistake"))
    titles = [f"{letter} {segments}" for _, letter in ONLINE for segments in SEGMENTS]
    lines = [["method", *titles]]
    for name in dict.fromkeys(row["method"] for row in rows_of(results, ONLINE[0][0])):
        cells = [f"`{name}`" if "(" not in name else name]
        for benchmark, _ in ONLINE:
            for segments in SEGMENTS:
                rows = rows_of(results, benchmark, method=name, segments=segments)
                cells.append(cell(rows[0]) if rows else "")
        lines.append(cells)
    return lines


PUBLISHED_ROWS = {
    "`do-paper`, seed 42": ("do-paper", "do-paper-1200"),
    "`do`": ("do",),
    "`tgt-text`": ("tgt-text",),
    "`msg2`": ("msg2",),
    "`msgi`": ("msgi",),
    "`count-based`": ("count-based",),
}
"""Lines of the table beside the paper's, and the rows that have its figures."""


def online_published(results: Results) -> Lines:
    """Return the paper's average F1 beside ours, for the methods of its Table 3."""
    columns = [(bench, letter, seg) for bench, letter in ONLINE for seg in SEGMENTS[:2]]
    lines = [["average F1: ours, the paper's", *(f"{letter} {seg}" for _, letter, seg in columns)]]
    for label, names in PUBLISHED_ROWS.items():
        cells = [label]
        for benchmark, _, segments in columns:
            rows = [
                row
                for name in names
                for row in rows_of(results, benchmark, method=name, segments=segments)
                if "paper" in row
            ]
            own = rows[0].get("papers_seed", rows[0])
            cells.append(f"{percent(own['f1_average'])}, {percent(rows[0]['paper']['f1_average'])}")
        lines.append(cells)
    return lines


def attributes(results: Results) -> Lines:
    """Return precision and recall of step attributes beside the control, in whole percent."""

    def pair(row: Row, key: str) -> str:
        figures = (row[key]["precision"], row[key]["recall"])
        return " / ".join("-" if value is None else f"{100 * value:.0f}" for value in figures)

    lines = [["recordings of", "each", "optional", "control", "repeatable", "control"]]
    lines[0] += ["goes with", "choice", "after"]
    for row in rows_of(results, "attributes", method="learned"):
        where = {"condition": row["condition"], "recordings": row["recordings"]}
        (control,) = rows_of(results, "attributes", method="control: ever", **where)
        cells = [row["condition"], str(row["recordings"])]
        for key in ("optional", "repeatable"):
            cells += [pair(row, key), pair(control, key)]
        cells += [pair(row, key) for key in ("goes_with", "choice", "repeated_after")]
        lines.append(cells)
    return lines


def audit(results: Results) -> Lines:
    """Return average precision of each ranking, on recipes and on random procedures."""
    names = {
        "audit, all slips": "all slips, as `stepgraph audit` ranks",
        "audit": "steps out of order",
        "distrust": "distrust of the robust learner",
        "missing": "control: steps missing",
        "base rate": "control: base rate",
        "known graph": "control: pairs broken in the known graph",
    }
    keys = ("recordings_clean", "recordings_all", "steps")
    sources = ("file order", "start order", "synthetic")
    titles = ("recipes", "recipes by start", "random procedures")
    lines = [["ranked by", *(f"{title}: {key}" for title in titles for key in AUDITED)]]
    for method, name in names.items():
        cells = [name]
        for source in sources:
            (row,) = rows_of(results, "audit", method=method, source=source)
            cells += [percent(row[key]) for key in keys]
        lines.append(cells)
    return lines


AUDITED = ("clean", "all", "steps")


def advice(results: Results) -> Lines:
    """Return mean F1 by the number of recordings, advised and at random."""
    counts = (2, 3, 4, 6, 8, 16)
    lines = [["next recording, learner", "recordings", *map(str, counts), "F1 90 after"]]
    rows = rows_of(results, "advice")
    for condition, method in dict.fromkeys((row["condition"], row["method"]) for row in rows):
        curve = {
            row["x"]: row["f1"]
            for row in rows
            if (row["condition"], row["method"]) == (condition, method)
        }
        reached = [count for count, f1 in curve.items() if f1 >= 0.9]
        after = str(min(reached)) if reached else f"more than {max(curve)}"
        lines.append([method, condition, *(percent(curve[count]) for count in counts), after])
    return lines


def perturbation(results: Results) -> Lines:
    """Return average F1 on Assembly101-O by the share of perturbed segments."""
    rows = rows_of(results, "perturbation", dataset="assembly101-o")
    rates = list(dict.fromkeys(row["rate"] for row in rows))
    lines = [["method", *(f"{rate:.0%}".replace("%", " %") for rate in rates), "lost at 20 %"]]
    for method in dict.fromkeys(row["method"] for row in rows):
        curve = [row for row in rows if row["method"] == method]
        (moderate,) = [row for row in curve if row["rate"] == 0.2]
        cells = [spread("f1_average")(row) for row in curve]
        lines.append([f"`{method}`", *cells, percent(moderate["f1_average_lost"])])
    return lines


def curves(benchmark: str, condition: str, title: Callable[[float], str]) -> Table:
    """Return F1 by method, across by what is varied, and the default against the intersection."""

    def table(results: Results) -> Lines:
        rows = rows_of(results, benchmark, condition=condition)
        values = list(dict.fromkeys(row["x"] for row in rows))
        lines = [["F1", *map(title, values)]]
        for method in dict.fromkeys(row["method"] for row in rows):
            curve = [percent(row["f1"]) for row in rows if row["method"] == method]
            lines.append([f"`{method}`", *curve])
        tests = [against("against_anchor")(row) for row in rows if row["method"] == "robust"]
        return [*lines, ["`robust` to `intersection`", *tests]]

    return table


RULES = {
    "direct": "`direct`: a direct precondition is missing (the paper's)",
    "too-early": "`too-early`: anything it needs is missing",
    "too-late": "`too-late`: a step that needs it is done",
    "early-or-late": "`early-or-late`: one of the two",
    "order-online": "`order-online`: too late, or what is missing probably comes",
    "order-end": "`order-end`: on the wrong side of a step that was done",
    "moved-end": "`moved-end`: inserted, by the cheapest explanation",
}
DETECTED = several(SCORES, share("average_precision"), joined=", ")
ORACLE = {"annotated-graph": "control: annotated graph"}
TIMED = {"measure": code("method"), "seconds": number("seconds", ".3f"), "what": text("about")}
MUST = {"must be": text("must")}
CONTROLS = ("always-before", "unseen-step", "position", "always-mistake", "always-correct")

TABLES: dict[str, Table] = {
    "methods": methods,
    "readme": readme,
    "unfiltered": listed(
        "captaincook4d-unfiltered",
        {
            "method": code("method"),
            "what": text("about"),
            **EDGES,
            **INTERVALS,
            **NEXT,
            **ANCHORED,
        },
        ranked=True,
    ),
    "data-split": data_split,
    "agreement": listed(
        "agreement",
        {
            "data": text("about"),
            "recordings": number("recordings"),
            "of these with steps left out": number("left_out"),
            "edges of `do`": number("edges_do"),
            "of `intersection`": number("edges_intersection"),
            "of both": number("edges_common"),
            "between steps: `do`": number("step_edges_do"),
            "`intersection`": number("step_edges_intersection"),
            "both": number("step_edges_common"),
            "graphs equal": several(number("graphs_equal"), number("graphs"), joined=" of "),
        },
    ),
    "calibration": listed(
        "calibration",
        {
            "data": text("data"),
            "method": code("method"),
            "of": text("of"),
            "claims": number("count"),
            "said": share("mean_probability"),
            "right": share("share_right"),
            "ECE": number("calibration_error", ".3f"),
            "Brier": number("brier", ".3f"),
            "constant": number("brier_constant", ".3f"),
        },
    ),
    "captaincook4d-trials": crossed(
        "captaincook4d-trials",
        "rule",
        ("rule", RULES),
        ("method", same(("intersection", "robust", "fusion")) | ORACLE),
        DETECTED,
    ),
    "captaincook4d-trials-controls": chosen(
        "captaincook4d-trials",
        "control",
        same(CONTROLS),
        {"P / R / F1": SCORES, "average precision": share("average_precision")},
    ),
    "assembly101-trials": crossed(
        "assembly101-trials",
        "rule, graph `toy-parts`",
        ("rule", same(("direct", "order-online", "order-end", "reversals"))),
        ("method", same(("intersection", "robust", "msg2", "count-based"))),
        share("f1"),
        scope="toy-parts",
    ),
    "assembly101-trials-controls": chosen(
        "assembly101-trials", "control", same(CONTROLS), {"F1": share("f1")}
    ),
    "synthetic-trials": crossed(
        "synthetic-trials",
        "rule",
        ("rule", {name: f"`{name}`" for name in RULES}),
        ("method", same(("intersection", "robust", "msg2", "count-based")) | ORACLE),
        share("f1"),
    ),
    "synthetic-trials-controls": chosen(
        "synthetic-trials", "control", same(CONTROLS), {"F1": share("f1")}
    ),
    "online-mistakes": online_mistakes,
    "online-published": online_published,
    "perturbation": perturbation,
    "understanding": chosen(
        "understanding",
        "",
        {
            "majority-order": "control: majority order of the training recordings",
            "random-matrices": "control: random matrices",
            "tgt-text": "`tgt-text`",
            "tgt-video-simulated": "`tgt-video` on simulated embeddings",
        },
        {
            "ordering, fair": spread("ordering"),
            "future, fair": spread("future"),
            "ordering, published": spread("published_ordering"),
            "future, published": spread("published_future"),
        },
    ),
    "unseen": listed("unseen", {"": text("about"), **EDGES, **INTERVALS, **NEXT}, ranked=True),
    "fusion-weights": listed(
        "fusion-weights",
        {
            "prior": text("about"),
            **EDGES,
            "over recipes": INTERVALS["over recipes"],
            **NEXT,
            "base": number("base", ".2f"),
            "adjacent": number("adjacent", ".2f"),
            "support": number("support", ".2f"),
        },
    ),
    "synthetic-recordings": curves("synthetic", "demonstrations", "{:g}".format),
    "synthetic-noise": curves("synthetic", "noise", lambda x: f"{100 * x:g} %"),
    "attributes": attributes,
    "audit": audit,
    "advice": advice,
    **RULE_TABLES,
    "monitor-uncertain": crossed(
        "monitor-uncertain",
        "errors of the recogniser",
        ("error_rate", {0.05: "5 %", 0.1: "10 %", 0.2: "20 %", 0.3: "30 %"}),
        (
            "method",
            {
                "monitor": "`Monitor`",
                "uncertain-calibrated": "at once, calibrated for 0.5",
                "uncertain-revised": "five observations later, calibrated for 0.5",
            },
        ),
        several(number("false_alarms_per_recording", ".2f"), share("recall"), joined=", "),
    ),
    "recogniser": listed(
        "recogniser",
        {
            "camera": text("camera"),
            "method": code("method"),
            "frame accuracy": spread("frame_accuracy"),
            "mAP": share("mean_average_precision"),
            "edit score": spread("edit_score"),
            "plain: F1": share("plain_f1"),
            "false": number("plain_false_alarms_per_recording", ".2f"),
            "uncertain: F1": share("uncertain_f1"),
            "false ": number("uncertain_false_alarms_per_recording", ".2f"),
        },
    ),
    "alignment": listed("alignment", TIMED),
    "draw": listed("draw", {**TIMED, "must be": bound}),
    "monitor": listed(
        "monitor",
        {
            "measure": code("method"),
            "microseconds": number("microseconds", ".1f"),
            "all read": number("microseconds_all_read", ".1f"),
            "last / first": number("ratio", ".2f"),
            "what": text("about"),
        },
    ),
    "speed": listed(
        "speed", {"measure": code("method"), "ratio": ratio, **MUST, "what": text("about")}
    ),
    "serve": listed(
        "serve",
        {
            "measure": code("method"),
            "answered": number("answered"),
            "a second": number("per_second", ",.0f"),
            "median ms": number("median_ms", ".1f"),
            "99 % ms": number("p99_ms", ".1f"),
            "wrong": number("wrong"),
            "lost": lambda row: number("lost" if "lost" in row else "lost_or_twice")(row),
            "twice": number("twice"),
            "load": number("load", ".1f"),
            **MUST,
        },
    ),
    "scale": listed(
        "scale",
        {
            "measure": code("method"),
            "seconds": number("seconds", ",.2f"),
            "reference s": number("reference_seconds", ",.2f"),
            "ratio": ratio,
            "MB": number("megabytes", ",.0f"),
            **MUST,
            "what": text("about"),
        },
    ),
    "scaling-recordings": curve_table("recordings", "distinct recordings", "ms a procedure", 1000),
    "scaling-steps": curve_table("steps", "steps", "ms a procedure", 1000),
    "scaling-procedures": curve_table("procedures", "procedures", "ms a procedure", 1000),
    "scaling-workers": curve_table("workers", "workers", "ms a procedure", 1000),
    "scaling-log": curve_table("log", "rows", "s", 1),
    "scaling-formulas": formulas,
}
