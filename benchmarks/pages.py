"""Benchmark results as Markdown and as one HTML page that needs nothing beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape, unescape
from typing import Any

from benchmarks.harness import BenchmarkResult

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1b1b1b; background: #fff;
       max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; }
.table { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; }
caption { text-align: left; padding-bottom: .5rem; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid #d0d0d0; text-align: left; }
td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td { min-width: 2rem; } td.long { min-width: 20rem; }
tbody tr:hover { background: #f4f4f4; }
figure { margin: 1rem 0; overflow-x: auto; }
details { margin: 1rem 0; }
@media print { body { max-width: none; } tbody tr:hover { background: none; } }
"""
TITLE = re.compile(r"<title>([^<]+)</title>")
FOLDED = 4
"""A page folds away the charts of a part that has more than this."""
LONG = 40
"""Cells with more characters than this hold sentences, which may take several lines."""


def to_markdown(result: BenchmarkResult, *, pictures: str = "") -> str:
    """Return a result as Markdown: titles, tables, notes, pictures, environment.

    Parameters
    ----------
    result
        The result.
    pictures
        The folder that holds its charts as SVG files; empty to leave them out.
    """
    lines = _markdown(result, 1, pictures)
    lines += ["## Environment", "", *(f"- {line}" for line in _environment(result.environment)), ""]
    return "\n".join(lines)


def _markdown(result: BenchmarkResult, level: int, pictures: str) -> list[str]:
    lines = [f"{'#' * level} {result.heading or result.benchmark}", "", result.title, ""]
    if result.columns and not result.parts:
        titles = [column.title for column in result.columns]
        lines += [_markdown_row(titles), _markdown_row(["---"] * len(titles))]
        lines += [*map(_markdown_row, result.table()), ""]
    for part in result.parts:
        lines += _markdown(part, level + 1, pictures)
    if _has_own_notes(result, level) and result.notes:
        lines += [*(f"- {note}" for note in result.notes), ""]
    if pictures and (level > 1 or not result.parts):
        for name, svg in result.charts.items():
            title = picture_title(name, svg).replace("[", "(").replace("]", ")")
            lines += [f"![{title}]({pictures}/{name}.svg)", ""]
    return lines


def to_html(result: BenchmarkResult) -> str:
    """Return a result as one HTML page: tables, charts, figures for each procedure, environment."""
    body = [f"<h1>{escape(result.heading or result.benchmark)}</h1>"]
    if result.parts:  # a single table has the title as its caption
        body.append(f"<p>{escape(result.title)}</p>")
        links = "".join(
            f'<li><a href="#{_anchor(part)}">{escape(part.heading or part.benchmark)}</a></li>'
            for part in result.parts
        )
        body.append(f"<nav><ul>{links}</ul></nav>")
    body += _html(result, 1)
    body += ["<h2>Environment</h2>", "<ul>"]
    body += [f"<li>{escape(line)}</li>" for line in _environment(result.environment)]
    body.append("</ul>")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(result.benchmark)}: stepgraph benchmark</title>",
            f"<style>{STYLE}</style>",
            "</head>",
            "<body>",
            *body,
            "</body>",
            "</html>",
            "",
        ]
    )


def _html(result: BenchmarkResult, level: int) -> list[str]:
    """Return what stands below a result's heading, and its parts, each with a heading."""
    body: list[str] = []
    if result.columns and not result.parts:
        titles = [column.title for column in result.columns]
        body.append(_html_table(titles, result.table(), result.title))
    elif level > 1:
        body.append(f"<p>{escape(result.title)}</p>")
    for part in result.parts:
        tag = f"h{level + 1}"
        heading = escape(part.heading or part.benchmark)
        body.append(f'<{tag} id="{_anchor(part)}">{heading}</{tag}>')
        body += _html(part, level + 1)
    if _has_own_notes(result, level) and result.notes:
        body += ["<ul>", *(f"<li>{escape(note)}</li>" for note in result.notes), "</ul>"]
    if level > 1 or not result.parts:  # a whole's charts are those of its parts
        body += _figures(result)
    if not result.parts:
        body.append(_per_procedure(result))
    return body


def _has_own_notes(result: BenchmarkResult, level: int) -> bool:
    """Return whether notes are to be shown: those of a whole stand with its parts."""
    return level > 1 or not result.parts


def _figures(result: BenchmarkResult) -> list[str]:
    figures = [f"<figure>{chart}</figure>" for chart in result.charts.values()]
    if len(figures) <= FOLDED:
        return figures
    return [
        f"<details><summary>{escape(picture_title(*chart))}</summary>{figure}</details>"
        for chart, figure in zip(result.charts.items(), figures, strict=True)
    ]


def picture_title(name: str, svg: str) -> str:
    """Return what a chart is called: its title, or its name where it has none.

    Parameters
    ----------
    name
        The chart's name.
    svg
        The chart.

    Examples
    --------
    >>> picture_title("f1", "<svg><title>F1 &amp; time</title></svg>")
    'F1 & time'
    """
    found = TITLE.search(svg)
    return unescape(found[1]) if found else name


def _anchor(result: BenchmarkResult) -> str:
    return re.sub(r"[^a-z0-9]+", "-", result.benchmark.casefold()).strip("-")


def _per_procedure(part: BenchmarkResult) -> str:
    """Return a table of F1 by procedure and method, folded away, where rows have such figures."""
    rows = [
        row for row in part.rows if all("f1" in entry for entry in row.get("procedures") or [{}])
    ]
    if not rows:
        return ""
    names = [entry["procedure"] for entry in rows[0]["procedures"]]
    cells = [
        [name, *(f"{100 * row['procedures'][number]['f1']:.1f}" for row in rows)]
        for number, name in enumerate(names)
    ]
    table = _html_table(
        ["procedure", *(str(row["method"]) for row in rows)], cells, "F1 in percent"
    )
    return f"<details><summary>Every procedure</summary>{table}</details>"


def column_kinds(columns: int, rows: Iterable[Sequence[str]]) -> list[str]:
    """Return what each column of a table holds: 'figure', 'long' for sentences, or ''.

    Parameters
    ----------
    columns
        The number of columns.
    rows
        The cells.

    Examples
    --------
    >>> column_kinds(2, [["do", "87.8"], ["llm", ""]])
    ['', 'figure']
    """
    body = list(rows)

    def kind(cells: Sequence[str]) -> str:
        figures = all(not cell or cell.lstrip("-± ")[:1].isdigit() for cell in cells)
        return "figure" if figures else "long" if any(len(cell) > LONG for cell in cells) else ""

    return [kind([row[place] for row in body]) for place in range(columns)]


def _html_table(titles: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    body = [list(row) for row in rows]
    kinds = [f' class="{kind}"' if kind else "" for kind in column_kinds(len(titles), body)]

    def cells(tag: str, texts: Sequence[str], scope: str = "") -> str:
        pairs = zip(kinds, texts, strict=True)
        return "".join(f"<{tag}{scope}{kind}>{escape(text)}</{tag}>" for kind, text in pairs)

    head = cells("th", titles, ' scope="col"')
    lines = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in body)
    return (
        f'<div class="table"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{lines}</tbody></table></div>"
    )


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _environment(environment: Any) -> list[str]:
    lines = []
    for name, value in environment.items():
        if isinstance(value, dict):
            value = ", ".join(f"{key} {text}" for key, text in value.items())
        lines.append(f"{name}: {value}")
    return lines
