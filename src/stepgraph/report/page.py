"""A report as one self-contained HTML page: no network, no script, no other file.

The keyboard reaches everything, every picture has a text, and every colour has a word beside
it. Texts are escaped where they enter the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from stepgraph.layout.text import printable
from stepgraph.report.content import DoneStep, RecordingEntry, Report, StepEntry
from stepgraph.report.scores import ScoreEntry

_CHART = "wide chart"
_INTERVALS = (
    "Below a score stands its 90 % interval. For this graph, its method learned again from "
    "recordings drawn from those given, with replacement; such a draw lacks about a third of them, "
    "so that the interval tends to lie low. For the chain, it is the range over all recordings."
)
# The page loads nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def to_html(report: Report) -> str:
    """Return a report as the text of an HTML file.

    Parameters
    ----------
    report
        The content; its pictures are SVG made by stepgraph and go onto the page unchanged.
    """
    sections = [
        ("graph", "The graph", _graph(report)),
        ("steps", "Steps and what they need", _steps(report.steps)),
        ("rules", "Choices, undoing and what goes with what", _list(report.rules)),
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
            f"<style>{_STYLE}</style>",
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
    # A name of any writing direction leaves the order of the text around it unchanged.
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
    if not report.drawing:
        return ""
    arrows = "Arrows without a word" if report.rules else "Arrows"
    about = f"{arrows} point from a step to what it needs; START is at the bottom."
    return f"<p>{about}</p>{_picture(report.drawing, 'Drawing of the graph')}"


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


# On light, dark and printed paper, on wide and narrow screens.
_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #16191d; --faint: #4d5762;
  --line: #c9d1d9; --soft: #f3f6f9; --link: #00568a; --bad: #a33c00; --bad-soft: #fdeee4; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171a; --ink: #f1f3f5;
  --faint: #b3bdc7; --line: #414b55; --soft: #20262c; --link: #8accf5; --bad: #ffb07a;
  --bad-soft: #38261a; } }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, "Segoe UI", sans-serif; color: var(--ink);
  background: var(--paper); max-width: 70rem; margin: 0 auto; padding: 1rem;
  overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; padding: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dt { color: var(--faint); } dd { margin: 0; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; margin: .75rem 0; }
.wide svg { display: block; margin: 0 auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--faint); padding: .5rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem;
  border-bottom: 1px solid var(--line); }
th[scope=row] { width: 30%; min-width: 7rem; overflow-wrap: anywhere; }
td ul { margin: 0; padding-left: 1.1rem; }
td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums;
  overflow-wrap: normal; }
td.figure .facts { white-space: nowrap; }
.mark { border: 1px solid var(--faint); border-radius: 99px; padding: 0 .5rem;
  font-size: .8rem; white-space: nowrap; }
.facts { color: var(--faint); font-size: .9rem; font-weight: normal; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; }
summary { cursor: pointer; padding: .5rem .75rem; }
details p { margin: .5rem .75rem; }
details ol, details ul { margin: .25rem 0 .75rem; }
li.deviates { background: var(--bad-soft); border-left: 4px dashed var(--bad);
  padding-left: .4rem; margin: .15rem 0; }
li.mistake { border-left-style: solid; }
.verdict { font-weight: 600; color: var(--bad); }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; }
  th, td { padding: .3rem; } td.figure .facts { font-size: .75rem; } }
/* Charts have one set of colours; turned over, they keep their hues. */
@media screen and (prefers-color-scheme: dark) {
  .chart svg { filter: invert(.92) hue-rotate(180deg); } }
@media print { :root { color-scheme: light; --paper: #fff; --ink: #000; --faint: #333;
  --line: #999; --soft: #fff; --link: #000; --bad: #8a3200; --bad-soft: #fff; }
  body { max-width: none; padding: 0; } nav, .skip { display: none; }
  .wide { overflow: visible; border: 0; } .wide svg { max-width: 100%; height: auto; }
  details::details-content { content-visibility: visible; block-size: auto; }
  tr, li { break-inside: avoid; } }
"""
