"""A report as one HTML page that needs nothing beside it: no network, no script, no file.

Everything can be reached by keyboard, every picture has words, and what colour says is said
again by a word. Texts are escaped where they enter the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from stepgraph.drawing.report.content import (
    DoneStep,
    RecordingEntry,
    Report,
    ScoreEntry,
    StepEntry,
)
from stepgraph.drawing.report.style import STYLE
from stepgraph.layout.text import printable

_CHART = "wide chart"
_INTERVALS = (
    "Below a score stands its 90 % interval. For this graph, its method learned again from "
    "recordings drawn from those given, with replacement; such a draw lacks about a third of them, "
    "so that the interval tends to lie low. For the chain, it is the range over all recordings."
)
# The page may show what it holds and load nothing at all.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def to_html(report: Report) -> str:
    """Return a report as the text of an HTML file.

    Parameters
    ----------
    report
        What to tell; its pictures are SVG made by stepgraph and are taken as they are.
    """
    sections = [
        ("graph", "The graph", _graph(report)),
        ("steps", "Steps and what they need", _steps(report.steps)),
        ("recordings", "Recordings", _recordings(report.recordings)),
        ("training", "Training", _training(report)),
        ("scores", "Against the known graph", _scores(report)),
        ("notes", "Notes", _list(report.notes)),
    ]
    shown = [(id_, title, content) for id_, title, content in sections if content]
    links = "".join(f'<li><a href="#{id_}">{_text(title)}</a></li>' for id_, title, _ in shown)
    body = [
        '<a class="skip" href="#main">Skip to the content</a>',
        f"<header><h1>{_text(report.title)}</h1>{_facts(report.facts)}</header>",
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>',
        '<main id="main">',
        *(
            f'<section aria-labelledby="{id_}">'
            f'<h2 id="{id_}">{_text(title)}</h2>\n{content}</section>'
            for id_, title, content in shown
        ),
        "</main>",
    ]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_text(report.title)}: task graph</title>",
            f"<style>{STYLE}</style>",
            "</head>",
            "<body>",
            *body,
            "</body>",
            "</html>",
            "",
        ]
    )


def _text(text: str) -> str:
    return escape(printable(text))


def _name(text: str) -> str:
    # Whatever its writing direction, a name leaves the order of what is around it alone.
    return f"<bdi>{_text(text)}</bdi>"


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<dt>{_text(name)}</dt><dd>{_name(value)}</dd>" for name, value in facts)
    return f"<dl>{rows}</dl>" if rows else ""


def _list(items: Iterable[str]) -> str:
    lines = "".join(f"<li>{_text(item)}</li>" for item in items)
    return f"<ul>{lines}</ul>" if lines else ""


def _picture(content: str, label: str, kind: str = "wide") -> str:
    """Return a picture in a frame that scrolls, also by keyboard."""
    named = f'role="region" tabindex="0" aria-label="{_text(label)}"'
    return f'<div class="{kind}" {named}>{content}</div>'


def _graph(report: Report) -> str:
    if report.drawing:
        about = "Arrows point from a step to what it needs; START is at the bottom."
        return f"<p>{about}</p>{_picture(report.drawing, 'Drawing of the graph')}"
    if report.text:
        lines = "\n".join(map(_text, report.text.split("\n")))
        return _picture(f"<pre>{lines}</pre>", "The graph as text")
    return ""


def _steps(steps: Iterable[StepEntry]) -> str:
    rows = "\n".join(
        f'<tr><th scope="row">{_name(step.name)}{_marks(step)}</th><td>{_needs(step)}</td></tr>'
        for step in steps
    )
    if not rows:
        return ""
    return (
        "<table><caption>All steps, in an order in which they can be done</caption>"
        '<thead><tr><th scope="col">Step</th><th scope="col">Needs, and what speaks for it</th>'
        f"</tr></thead>\n<tbody>{rows}</tbody></table>"
    )


def _marks(step: StepEntry) -> str:
    marks = "".join(f' <span class="mark">{_text(mark)}</span>' for mark in step.marks)
    about = f'<br><span class="facts">{_text(step.facts)}</span>' if step.facts else ""
    return marks + about


def _needs(step: StepEntry) -> str:
    if not step.needs:
        return "nothing"
    items = []
    for need in step.needs:
        about = f' <span class="facts">({_text(need.facts)})</span>' if need.facts else ""
        items.append(f"<li>{_name(need.name)}{about}</li>")
    return f"<ul>{''.join(items)}</ul>"


def _recordings(recordings: Iterable[RecordingEntry]) -> str:
    entries = list(recordings)
    if not entries:
        return ""
    wrong = sum(entry.mistakes > 0 for entry in entries)
    about = (
        f"<p>{len(entries)} held against the graph: {len(entries) - wrong} without a mistake, "
        f"{wrong} with one or more. A mistake is marked by a solid line, what follows from it by "
        "a dashed one.</p>"
    )
    return about + "\n".join(map(_recording, entries))


def _recording(entry: RecordingEntry) -> str:
    noun = "mistake" if entry.mistakes == 1 else "mistakes"
    about = f"{entry.mistakes} {noun}" if entry.mistakes else "no mistake"
    steps = "\n".join(map(_done, entry.steps))
    missing = "".join(
        f'<li class="deviates mistake"><span class="verdict">never done</span>: {_text(line)}</li>'
        for line in entry.never_done
    )
    never = f"<ul>{missing}</ul>" if missing else ""
    if entry.explanation:
        never += f"<p>The smallest explanation of all of it:</p>{_list(entry.explanation)}"
    if entry.fitness is not None:
        about += f", fitness {entry.fitness:.2f}"
    if entry.marks:
        about += f"; marked in the file: {_text(', '.join(entry.marks))}"
    is_open = " open" if entry.mistakes else ""
    return (
        f"<details{is_open}><summary>{_name(entry.id)}: {about}</summary>"
        f"<ol>{steps}</ol>{never}</details>"
    )


def _done(step: DoneStep) -> str:
    if not step.deviates:
        remark = f' <span class="facts">({_text(step.verdict)})</span>' if step.verdict else ""
        return f"<li>{_name(step.name)}{remark}</li>"
    kind = "deviates mistake" if step.is_mistake else "deviates"
    return (
        f'<li class="{kind}">{_name(step.name)} <span class="verdict">{_text(step.verdict)}</span>'
        f'<br><span class="facts">{_text(step.sentence)}</span></li>'
    )


def _training(report: Report) -> str:
    about = f"<p>{_text(report.training_about)}</p>" if report.training_about else ""
    return about + (_picture(report.training, "Training curve", _CHART) if report.training else "")


def _scores(report: Report) -> str:
    if not report.scores:
        return ""
    rows = "\n".join(map(_score, report.scores))
    heads = "".join(
        f'<th scope="col" class="figure">{title}</th>' for title in ("Precision", "Recall", "F1")
    )
    table = (
        "<table><caption>Edges that agree with the known graph, in percent; a control needs no "
        f'learning</caption><thead><tr><th scope="col">Graph</th>{heads}</tr></thead>'
        f"\n<tbody>{rows}</tbody></table>"
    )
    pictures = ""
    if any(entry.intervals for entry in report.scores):
        table += f"<p>{_INTERVALS}</p>"
    if report.comparison:
        pictures += _picture(report.comparison, "Drawing of the graph against the known one")
    for chart in report.charts:
        pictures += _picture(chart, "Chart", _CHART)
    return table + pictures


def _score(entry: ScoreEntry) -> str:
    values = (entry.precision, entry.recall, entry.f1)
    ranges = entry.intervals or (None,) * len(values)
    cells = "".join(
        f'<td class="figure">{100 * value:.1f}{_interval(between)}</td>'
        for value, between in zip(values, ranges, strict=True)
    )
    return f'<tr><th scope="row">{_name(entry.name)}</th>{cells}</tr>'


def _interval(between: tuple[float, float] | None) -> str:
    if between is None:
        return ""
    low, high = (f"{100 * end:.1f}" for end in between)
    return f'<br><span class="facts">{low} to {high}</span>'
