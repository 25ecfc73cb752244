"""A task graph as a Mermaid flowchart, which Markdown pages show as a picture.

Mermaid lays out along the arrows and has no backward arrows. To put START at the bottom and END on
top, arrows run from a precondition to the steps that need it, unlike in every other format; the
file says so. Only solid arrows are preconditions: the lines of rules are dotted, with a word.
"""

from __future__ import annotations

import re

from stepgraph.formats.dot import Direction, check_direction, with_attributes
from stepgraph.formats.drawn_rules import DrawnRule, alternative_marks, drawn_rules
from stepgraph.graph import TaskGraph
from stepgraph.layout.text import printable, wrap

_LABEL_COLUMNS = 28
# Letters of any script and these say nothing to Mermaid and its Markdown inside of quotes.
_PLAIN = " ,()/'-"
# Text that Markdown would take for the start of a list item.
_LIST_HEAD = re.compile(r"^(\s*\d*)([.)-])")


def to_mermaid(graph: TaskGraph, *, direction: Direction = "BT") -> str:
    """Return a graph as a Mermaid flowchart.

    Parameters
    ----------
    graph
        The graph to write, without its weights. Optional steps are dashed. Choices, undoing and
        what goes with what are dotted lines with a word.
    direction
        The direction of the procedure: from bottom to top, or from left to right.

    Raises
    ------
    SettingError
        If the direction is unknown.

    Examples
    --------
    >>> print(to_mermaid(TaskGraph.from_preconditions({"mix": ["crack egg"]})), end="")
    flowchart BT
      %% an arrow points from a precondition to the step that needs it
      n0(["START"])
      n1["crack egg"]
      n2["mix"]
      n3(["END"])
      n0 --> n1
      n1 --> n2
      n2 --> n3
    """
    check_direction(direction)
    words = graph.vocabulary
    lines = [
        f"flowchart {direction}",
        "  %% an arrow points from a precondition to the step that needs it",
    ]
    marks = alternative_marks(graph)
    for node, name in enumerate(words.nodes):
        opening, closing = ("([", "])") if node in (0, words.end) else ("[", "]")
        label = _label(with_attributes(graph, name, marks.get(name, ())))
        lines.append(f'  n{node}{opening}"{label}"{closing}')
    for step, precondition in graph.edges:
        lines.append(f"  n{words.node(precondition)} --> n{words.node(step)}")
    for number, rule in enumerate(drawn_rules(graph), start=1):
        lines += _rule(rule, f"r{number}")
    lines += [f"  style n{words.node(step)} stroke-dasharray: 5 5" for step in graph.optional_steps]
    return "\n".join([*lines, ""])


def _rule(rule: DrawnRule, word: str) -> list[str]:
    """Return the lines of a rule; its word is a node if the rule is about no single step."""
    if rule.step is not None:
        return [f"  n{rule.step} -.->|{rule.word}| n{other}" for other in rule.others]
    opening, closing = ("{{", "}}") if rule.kind == "choice" else ("(", ")")
    ties = [
        f"  n{other} -.- {word}" if other in rule.after else f"  {word} -.- n{other}"
        for other in rule.others
    ]
    return [f'  {word}{opening}"{_escaped(rule.word)}"{closing}', *ties]


def _label(name: str) -> str:
    parts = (wrap(printable(part), _LABEL_COLUMNS) for part in name.split("\n"))
    return "<br/>".join(_escaped(line) for part in parts for line in part)


def _escaped(line: str) -> str:
    """Write every special character as Mermaid's ``#number;``."""
    text = "".join(
        character
        if not character.isascii() or character.isalnum() or character in _PLAIN
        else _reference(character)
        for character in line
    )
    return _LIST_HEAD.sub(lambda match: match[1] + _reference(match[2]), text)


def _reference(character: str) -> str:
    return f"#{ord(character)};"
