"""A task graph as Graphviz DOT, laid out as in the paper: START at the bottom, END on top.

Node numbers are the ids and node names are the labels, so that no name can pass for syntax. Edges
without the attribute `class` are preconditions. Those with it belong to rules, and are dashed or
dotted; the word of a choice is a node of its own, such as `r1`. The same graph always gives the
same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from stepgraph.errors import SettingError
from stepgraph.formats.drawn_rules import DrawnRule, alternative_marks, drawn_rules
from stepgraph.graph import StepAttributes, TaskGraph
from stepgraph.layout.text import printable, wrap

Direction = Literal["BT", "LR"]

# Graphviz lays out from an edge's tail to its head, and edges go from a step to what it
# needs: the procedure runs against the direction that Graphviz is given.
RANKDIR = {"BT": "TB", "LR": "RL"}
_LABEL_COLUMNS = 28
# The style and the colour of a rule's lines.
_RULES = {
    "choice": ("dashed", "#7a3e9d"),
    "undoes": ("dashed", "#b3261e"),
    "goes_with": ("dotted", "#00695c"),
}


def to_dot(graph: TaskGraph, *, direction: Direction = "BT") -> str:
    r"""Return a graph in the DOT language.

    Parameters
    ----------
    graph
        The graph to write.
    direction
        The direction of the procedure: from bottom to top, or from left to right. Arrows point
        against it, from a step to its precondition.

    Returns
    -------
    str
        The text of a file. Edges carry their weight as a tooltip; the larger the weight, the
        thicker the line. Optional steps are dashed. Choices, undoing and what goes with what are
        lines with a word.

    Raises
    ------
    SettingError
        If the direction is unknown.

    Examples
    --------
    >>> print(to_dot(TaskGraph.from_preconditions({"mix": ["crack egg"]})), end="")
    digraph {
      graph [rankdir=TB];
      node [shape=box, style=rounded, fontname="Helvetica"];
      n0 [label="START", shape=oval];
      n1 [label="crack egg"];
      n2 [label="mix"];
      n3 [label="END", shape=oval];
      { rank=sink; n0; }
      { rank=source; n3; }
      n1 -> n0;
      n2 -> n1;
      n3 -> n2;
    }
    """
    check_direction(direction)
    words = graph.vocabulary
    settings = f"rankdir={RANKDIR[direction]}"
    if graph.procedure:
        settings += f", label={_label(graph.procedure)}, labelloc=t"
    lines = [
        "digraph {",
        f"  graph [{settings}];",
        '  node [shape=box, style=rounded, fontname="Helvetica"];',
    ]
    marks = alternative_marks(graph)
    for node, name in enumerate(words.nodes):
        shape = ", shape=oval" if node in (0, words.end) else ""
        if name in graph.optional_steps:
            shape += ', style="rounded,dashed"'
        label = _label(with_attributes(graph, name, marks.get(name, ())))
        lines.append(f"  n{node} [label={label}{shape}];")
    lines.append("  { rank=sink; n0; }")
    lines.append(f"  {{ rank=source; n{words.end}; }}")
    heaviest = max(filter(math.isfinite, graph.weights.values()), default=0.0)
    for step, precondition in graph.edges:
        weight = graph.weights.get((step, precondition))
        look = "" if weight is None else f" [{_weight(weight, heaviest)}]"
        lines.append(f"  n{words.node(step)} -> n{words.node(precondition)}{look};")
    for number, rule in enumerate(drawn_rules(graph), start=1):
        lines += _rule(rule, f"r{number}")
    return "\n".join([*lines, "}", ""])


def _rule(rule: DrawnRule, word: str) -> list[str]:
    """Return the lines of a rule; its word is a node if the rule is about no single step."""
    style, colour = _RULES[rule.kind]
    look = f'class="{rule.kind.replace("_", "-")}", color="{colour}"'
    font = f'fontname="Helvetica", fontcolor="{colour}"'
    written = f'label="{rule.word}", {font}, tooltip={_label(rule.about)}, {look}'
    if rule.step is not None:
        look = f"{written}, style={style}, constraint=false"
        return [f"  n{rule.step} -> n{other} [{look}];" for other in rule.others]
    shape = "hexagon, style=solid" if rule.kind == "choice" else "plain"
    ties = [f"  n{other} -> {word} [{look}, style={style}, dir=none];" for other in rule.others]
    return [f"  {word} [{written}, shape={shape}];", *ties]


def check_direction(direction: str) -> None:
    """Raise `SettingError` for an unknown direction of a drawing."""
    if direction not in RANKDIR:
        raise SettingError(f"the direction is {direction!r}; expected one of 'BT', 'LR'")


def with_attributes(graph: TaskGraph, name: str, more: Sequence[str] = ()) -> str:
    """Return a node's name with its attributes, and more words, as drawings show them.

    Examples
    --------
    >>> from stepgraph.graph.evidence import StepAttributes
    >>> graph = TaskGraph.from_preconditions({"stir": ["pour"]})
    >>> sweet = graph.replace(attributes={"stir": StepAttributes(optional=True, repeatable=True)})
    >>> with_attributes(sweet, "stir"), with_attributes(sweet, "pour")
    ('stir (optional, repeatable)', 'pour')
    """
    known = graph.attributes.get(name, StepAttributes())
    words = [word for word in ("optional", "repeatable") if getattr(known, word)]
    return f"{name} ({', '.join((*words, *more))})" if words or more else name


def _label(name: str) -> str:
    """Return a name as a quoted label in which nothing has a special meaning.

    Being quoted, it is no HTML-like label; Graphviz still reads backslashes and character
    references such as ``&lt;`` inside of quotes.
    """
    lines = [line for part in name.split("\n") for line in wrap(printable(part), _LABEL_COLUMNS)]
    text = "\n".join(lines)
    for special, escaped in (("\\", r"\\"), ('"', r"\""), ("&", "&amp;"), ("\n", r"\n")):
        text = text.replace(special, escaped)
    return f'"{text}"'


def _weight(weight: float, heaviest: float) -> str:
    share = weight / heaviest if heaviest > 0 and math.isfinite(weight) else 0.0
    return f'tooltip="{weight:.4g}", penwidth={1 + 2 * max(share, 0.0):.2f}'
