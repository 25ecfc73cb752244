"""What a drawing shows, before anything has a place: boxes, arrows between them, a legend.

A graph and a comparison of two graphs become the same kind of picture, so that one layout and
one painter serve both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Part = Literal["edge", "missing", "spurious"]
"""Which colour of the theme a line takes."""


@dataclass(frozen=True)
class Stroke:
    """How a line looks.

    Parameters
    ----------
    part
        Its colour in the theme.
    width
        How thick it is.
    dash
        Its dashes, as in SVG; empty for a solid line.
    opacity
        How much of the paper it hides, from 0 to 1.
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
        What else a reader may want to know of it, shown beside the mouse.
    """

    name: str
    is_end: bool = False
    optional: bool = False
    repeatable: bool = False
    stroke: Stroke | None = None
    about: str = ""

    @property
    def marks(self) -> tuple[str, ...]:
        """What is written below the name."""
        given = (("optional", self.optional), ("repeatable", self.repeatable))
        return tuple(word for word, holds in given if holds)


@dataclass(frozen=True)
class Arrow:
    """An edge: from a step to its precondition, both by their place among the boxes.

    Parameters
    ----------
    step, precondition
        The boxes.
    stroke
        How it looks.
    about
        What is known of it, such as its weight.
    """

    step: int
    precondition: int
    stroke: Stroke = PLAIN
    about: str = ""


@dataclass(frozen=True)
class Picture:
    """All that a drawing shows.

    Parameters
    ----------
    title
        The heading; empty for none.
    boxes
        START first, END last.
    arrows
        The edges.
    legend
        What the kinds of lines mean, in the order to list them.
    summary
        The drawing in a few words, for people who cannot see it; each step's own
        preconditions are added to it.
    note
        What a reader must know of the drawing, written below it; empty for nothing.
    """

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    legend: tuple[tuple[Stroke, str], ...] = ()
    summary: str = ""
    note: str = ""
