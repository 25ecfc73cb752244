"""The content of a drawing, without places: boxes, arrows between them, a legend.

`picture_of_graph` shows the edges of a graph by their confidence. `picture_of_comparison` compares
a prediction with the truth. Both return the same kind of picture, for one layout and one SVG
writer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from stepgraph.drawing.facts import counted, edge_facts, rules_told, step_facts
from stepgraph.drawing.svg import label
from stepgraph.errors import GraphError
from stepgraph.formats.drawn_rules import DrawnRule, alternative_marks, drawn_rules
from stepgraph.graph import Edge, TaskGraph
from stepgraph.sequences import END, START

MOST_EDGES = 1_500
"""Above this number, a drawing of a graph leaves out the edges that follow from others."""

Part = Literal["edge", "missing", "spurious", "choice", "undoes", "goes_with"]
"""The colour of a line in the theme."""


@dataclass(frozen=True)
class Stroke:
    """The look of a line.

    Parameters
    ----------
    part
        Its colour in the theme.
    width
        Its width.
    dash
        Its dashes, as in SVG; empty for a solid line.
    opacity
        Its opacity, from 0 to 1.
    """

    part: Part = "edge"
    width: float = 1.4
    dash: str = ""
    opacity: float = 1.0


PLAIN = Stroke()


@dataclass(frozen=True)
class Box:
    """A step, or START or END.

    Parameters
    ----------
    name
        The whole name.
    is_end
        Whether it is START or END.
    optional, repeatable
        Whether it can be left out, and done again.
    stroke
        The line around it, where it is not the usual one.
    about
        Further information, shown beside the mouse.
    done
        Whether it is coloured as done, like START.
    mark
        A word below the name; empty for none.
    """

    name: str
    is_end: bool = False
    optional: bool = False
    repeatable: bool = False
    stroke: Stroke | None = None
    about: str = ""
    done: bool = False
    mark: str = ""

    @property
    def marks(self) -> tuple[str, ...]:
        """The words below the name."""
        marks = (("optional", self.optional), ("repeatable", self.repeatable), (self.mark, True))
        return tuple(word for word, holds in marks if word and holds)


@dataclass(frozen=True)
class Arrow:
    """An edge: from a step to its precondition, both by their place among the boxes.

    Parameters
    ----------
    step, precondition
        The boxes.
    stroke
        Its look.
    about
        Facts about it, such as its weight.
    """

    step: int
    precondition: int
    stroke: Stroke = PLAIN
    about: str = ""


@dataclass(frozen=True)
class Picture:
    """The content of a drawing.

    Parameters
    ----------
    title
        The heading; empty for none.
    boxes
        START first, END last.
    arrows
        The edges.
    legend
        The meanings of the kinds of lines, in order.
    summary
        The drawing in a few words, for people who cannot see it; each step's own
        preconditions are added to it.
    note
        A remark below the drawing; empty for none.
    rules
        Words between the boxes, each tied to some of them: choices, undoing, what goes with what.
    """

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    legend: tuple[tuple[Stroke, str], ...] = ()
    summary: str = ""
    note: str = ""
    rules: tuple[DrawnRule, ...] = ()


# From the faintest visible line to the heaviest that hides nothing.
_WIDTHS = (0.9, 3.4)
_OPACITIES = (0.55, 1.0)
_UNWEIGHTED = Stroke(width=1.2, dash="4 3", opacity=0.8)

COMMON = Stroke("edge", 1.5)
MISSING = Stroke("missing", 2.2, dash="9 5")
SPURIOUS = Stroke("spurious", 2.8, dash="0.1 5")

RULES = {
    "choice": (Stroke("choice", 1.6, dash="6 4"), "only one of these is done"),
    "undoes": (Stroke("undoes", 1.6, dash="6 2.5 1.5 2.5"), "then counts as not done"),
    "goes_with": (Stroke("goes_with", 1.9, dash="0.1 4"), "then is done as well"),
}
"""The line of each kind of rule, and its meaning."""


def picture_of_graph(graph: TaskGraph) -> Picture:
    """Return the picture of a graph.

    Parameters
    ----------
    graph
        The graph. The larger the weight of an edge between steps, the thicker and darker its
        line; edges of START and END all look the same. Of a graph with more than
        `MOST_EDGES` edges, those that follow from others are left out, and the picture says so.
    """
    words = graph.vocabulary
    marks = alternative_marks(graph)
    boxes = tuple(_box(graph, node, marks) for node in range(len(words.nodes)))
    # Edges of START and END follow from the other edges. Their weights are often added later or
    # on another scale, so they cannot be compared.
    inner = {edge: weight for edge, weight in graph.weights.items() if not _is_outer(*edge)}
    scale = _Scale(inner.values())
    arrows = []
    for step, precondition in graph.edges:
        weight = graph.weights.get((step, precondition))
        about = edge_facts(graph, (step, precondition))
        stroke = PLAIN if _is_outer(step, precondition) else scale.stroke(weight)
        arrows.append(Arrow(words.node(step), words.node(precondition), stroke, about))
    rules = tuple(
        replace(rule, about=told)
        for rule, told in zip(drawn_rules(graph), rules_told(graph), strict=True)
    )
    kinds = {rule.kind for rule in rules}
    legend = (
        *scale.legend(any(arrow.stroke is _UNWEIGHTED for arrow in arrows)),
        *(line for kind, line in RULES.items() if kind in kinds),
    )
    summary = f"{counted(len(graph.steps), 'step')}, {counted(len(graph.edges), 'edge')}."
    note = ""
    if len(arrows) > MOST_EDGES:
        drawn = _not_implied(arrows, len(boxes))
        implied = len(arrows) - len(drawn)
        note = f"{counted(implied, 'edge')} that follow from others are not drawn."
        arrows = drawn
        summary = f"{summary} {note}"
    return Picture(graph.procedure, boxes, tuple(arrows), legend, summary, note, rules)


def picture_of_comparison(prediction: TaskGraph, truth: TaskGraph) -> Picture:
    """Return the picture that compares a prediction with the truth.

    Colour and line style tell common, missing and spurious edges apart, and also steps that only
    one of the graphs has.

    Parameters
    ----------
    prediction, truth
        The graphs, of the same procedure.

    Raises
    ------
    GraphError
        If they have no step in common.
    """
    only_truth = set(truth.steps) - set(prediction.steps)
    only_prediction = [step for step in prediction.steps if step not in truth.vocabulary]
    if len(only_truth) == len(truth.steps):
        raise GraphError(
            f"the two graphs share no step: one begins with {prediction.steps[0]!r}, the other "
            f"with {truth.steps[0]!r}; expected two graphs of the same procedure"
        )
    nodes = (*truth.vocabulary.nodes[:-1], *only_prediction, truth.vocabulary.nodes[-1])
    number = {name: node for node, name in enumerate(nodes)}
    strokes = {**dict.fromkeys(only_truth, MISSING), **dict.fromkeys(only_prediction, SPURIOUS)}
    boxes = tuple(
        Box(
            name,
            is_end=node in (0, len(nodes) - 1),
            stroke=strokes.get(name),
            about="" if name not in strokes else f"a {strokes[name].part} step",
        )
        for node, name in enumerate(nodes)
    )
    kinds = _kinds(prediction.edges, truth.edges)
    arrows = [
        Arrow(number[step], number[needed], stroke, what)
        for stroke, what, edges in kinds
        for step, needed in edges
    ]
    legend = tuple((stroke, f"{what}: {len(edges)}") for stroke, what, edges in kinds)
    counts = ", ".join(f"{len(edges)} {what}" for _, what, edges in kinds)
    title = truth.procedure or prediction.procedure
    summary = f"Prediction against truth: {counts}."
    note = ""
    if drawn_rules(prediction) or drawn_rules(truth):
        note = "Choices, undoing and what goes with what are not compared."
        summary = f"{summary} {note}"
    return Picture(title, boxes, tuple(arrows), legend, summary, note)


def _box(graph: TaskGraph, node: int, marks: Mapping[str, Sequence[str]]) -> Box:
    name = graph.vocabulary.nodes[node]
    is_end = node in (0, graph.vocabulary.end)
    mark = " · ".join(marks.get(name, ()))
    if name not in graph.attributes:
        return Box(name, is_end=is_end, mark=mark)
    known = graph.attributes[name]
    return Box(
        name,
        mark=mark,
        optional=known.optional,
        repeatable=known.repeatable,
        about=step_facts(graph, name),
    )


def _not_implied(arrows: Sequence[Arrow], boxes: int) -> list[Arrow]:
    """Return the arrows that do not follow from others."""
    import numpy as np

    from stepgraph.postprocess import implied_edges

    edges = np.zeros((boxes, boxes), dtype=np.bool_)
    for arrow in arrows:
        edges[arrow.step, arrow.precondition] = True
    implied = implied_edges(edges)
    return [arrow for arrow in arrows if not implied[arrow.step, arrow.precondition]]


def _is_outer(step: str, precondition: str) -> bool:
    return step == END or precondition == START


def _kinds(predicted: Sequence[Edge], true: Sequence[Edge]) -> list[tuple[Stroke, str, list[Edge]]]:
    common = set(predicted) & set(true)
    return [
        (COMMON, "in both", [edge for edge in true if edge in common]),
        (MISSING, "missing, only in the truth", [edge for edge in true if edge not in common]),
        (
            SPURIOUS,
            "spurious, only in the prediction",
            [edge for edge in predicted if edge not in common],
        ),
    ]


class _Scale:
    """Turns weights into lines, by their share of the largest one."""

    def __init__(self, weights: Iterable[float]) -> None:
        finite = [weight for weight in weights if math.isfinite(weight)]
        self._low = min(finite, default=0.0)
        self._high = max(finite, default=0.0)
        # Equal weights distinguish nothing.
        self._tells = self._high > 0 and self._high - self._low > 1e-6 * self._high

    def stroke(self, weight: float | None) -> Stroke:
        if not self._tells:
            return PLAIN
        if weight is None:
            return _UNWEIGHTED
        share = max(weight / self._high, 0.0) if math.isfinite(weight) else 0.0
        width, opacity = (low + share * (high - low) for low, high in (_WIDTHS, _OPACITIES))
        return Stroke(width=round(width, 2), opacity=round(opacity, 2))

    def legend(self, some_without: bool) -> tuple[tuple[Stroke, str], ...]:
        if not self._tells:
            return ()
        shown = (self._high, (self._high + max(self._low, 0.0)) / 2, self._low)
        lines = [(self.stroke(weight), f"weight {label(round(weight, 2))}") for weight in shown]
        if some_without:
            lines.append((_UNWEIGHTED, "no weight"))
        return tuple(lines)
