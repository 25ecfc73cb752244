from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

from benchmarks.harness import BenchmarkResult, Column
from benchmarks.pages import FOLDED, column_kinds, to_html, to_markdown

PART = BenchmarkResult(
    "part",
    "What <b>was</b> measured",
    [
        {"method": "a|b", "f1": 0.5, "procedures": [{"procedure": "tea & cake", "f1": 0.25}]},
        {"method": "<i>", "f1": 1.0, "procedures": [{"procedure": "tea & cake", "f1": 1.0}]},
    ],
    (Column("method", lambda row: row["method"]), Column("F1", lambda row: f"{row['f1']:.1f}")),
    ["a <note>"],
    charts={"curve": "<svg><title>curve</title></svg>"},
)
WHOLE = BenchmarkResult("whole", "All", PART.rows, PART.columns, parts=[PART])


class Reader(HTMLParser):
    """Collects texts and checks that every tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def test_the_page_is_well_formed_and_shows_names_as_text() -> None:
    reader = Reader()
    reader.feed(to_html(WHOLE))
    assert reader.open == []
    for text in ("What <b>was</b> measured", "<i>", "a <note>", "tea & cake", "25.0", "curve"):
        assert text in reader.texts


def test_the_page_loads_nothing_from_elsewhere() -> None:
    page = to_html(WHOLE)
    assert "http:" not in page
    assert "https:" not in page
    assert "<script" not in page


def test_markdown_keeps_every_row_on_one_line_with_bars_escaped() -> None:
    lines = to_markdown(WHOLE).splitlines()
    assert "| a\\|b | 0.5 |" in lines
    assert "- a <note>" in lines
    assert any(line.startswith("- python:") for line in lines)


def test_json_has_the_figures_and_no_pictures() -> None:
    content = json.loads(PART.to_json())
    assert [row["f1"] for row in content["rows"]] == [0.5, 1.0]
    assert "svg" not in PART.to_json()


def _nested() -> BenchmarkResult:
    inner = replace(PART, benchmark="inner", charts={})
    named = replace(PART, benchmark="named", heading="Table 1: <all>", parts=[inner])
    return replace(WHOLE, parts=[named, replace(PART, benchmark="last")])


def test_parts_of_parts_have_headings_of_their_own_and_links_lead_to_them() -> None:
    reader = Reader()
    page = to_html(_nested())
    reader.feed(page)
    assert reader.open == []
    assert '<a href="#named">Table 1: &lt;all&gt;</a>' in page
    assert '<h2 id="named">' in page
    assert '<h3 id="inner">' in page
    lines = to_markdown(_nested()).splitlines()
    assert "## Table 1: <all>" in lines
    assert "### inner" in lines
    assert lines.count("| a\\|b | 0.5 |") == 2


def test_many_charts_are_folded_away_under_their_titles() -> None:
    charts = {f"chart-{n}": f"<svg><title>a &amp; {n}</title></svg>" for n in range(FOLDED + 1)}
    page = to_html(replace(PART, charts=charts))
    assert "<details><summary>a &amp; 3</summary><figure><svg>" in page
    assert "<summary>" not in to_html(replace(PART, rows=[], charts={"chart": charts["chart-0"]}))


def test_markdown_shows_pictures_where_they_are_files() -> None:
    result = replace(PART, charts={"curve": "<svg><title>F1 [%]</title></svg>"})
    assert "![F1 (%)](part/curve.svg)" in to_markdown(result, pictures="part")
    assert "curve" not in to_markdown(result)


def test_columns_hold_figures_sentences_or_names() -> None:
    rows = [["do", "87.8 ± 1.5", "± 1.5", "-3", "x" * 41], ["llm", "", "", "4", ""]]
    assert column_kinds(5, rows) == ["", "figure", "figure", "figure", "long"]
