"""Benchmark results as Markdown and as one HTML page that needs nothing beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from benchmarks.harness import BenchmarkResult

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1b1b1b; background: #fff;
       max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; }
.table { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; }
caption { text-align: left; padding-bottom: .5rem; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid #d0d0d0; text-align: left; }
td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tbody tr:hover { background: #f4f4f4; }
figure { margin: 1rem 0; overflow-x: auto; }
details { margin: 1rem 0; }
@media print { body { max-width: none; } tbody tr:hover { background: none; } }
"""


def to_markdown(result: BenchmarkResult) -> str:
    """Return a result as Markdown: title, table, notes, environment."""
    lines = [f"# {result.benchmark}", "", result.title, ""]
    for part in result.parts or [result]:
        if result.parts:
            lines += [f"## {part.benchmark}", "", part.title, ""]
        titles = [column.title for column in part.columns]
        lines += [_markdown_row(titles), _markdown_row(["---"] * len(titles))]
        lines += [_markdown_row(cells) for cells in part.table()]
        lines += ["", *(f"- {note}" for note in part.notes), ""]
    lines += ["## Environment", "", *(f"- {line}" for line in _environment(result.environment)), ""]
    return "\n".join(lines)


def to_html(result: BenchmarkResult) -> str:
    """Return a result as one HTML page: tables, charts, figures for each procedure, environment."""
    body = [f"<h1>{escape(result.benchmark)}</h1>"]
    if result.parts:  # a single table has the title as its caption
        body.append(f"<p>{escape(result.title)}</p>")
    for part in result.parts or [result]:
        if result.parts:
            body.append(f"<h2>{escape(part.benchmark)}</h2>")
        table = _html_table([c.title for c in part.columns], part.table(), part.title)
        body += [table, "<ul>", *(f"<li>{escape(note)}</li>" for note in part.notes), "</ul>"]
        body += [f"<figure>{chart}</figure>" for chart in part.charts.values()]
        body.append(_per_procedure(part))
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


def _per_procedure(part: BenchmarkResult) -> str:
    """Return a table of F1 by procedure and method, folded away, where rows have such figures."""
    rows = [row for row in part.rows if row.get("procedures")]
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


def _html_table(titles: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    body = [list(row) for row in rows]
    figures = [
        all(not row[place] or row[place].lstrip("-")[:1].isdigit() for row in body)
        for place in range(len(titles))
    ]
    kinds = [' class="figure"' if figure else "" for figure in figures]

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
