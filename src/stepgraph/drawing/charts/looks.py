"""How series are told apart: by colour, and again by dashes and markers.

Colours are those of Okabe and Ito, which people tell apart whatever their eyes; dashes and
markers say the same again, for a page printed in grey.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stepgraph.drawing.svg import element, number, plain

MUTED = "#8a8a8a"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a67c00", "#56b4e9", "#5b3a8c", "#222222")
DASHES = ("", "8 4", "2 3", "10 3 2 3", "5 2", "14 4", "1 4", "6 2 2 2 2 2")
MUTED_DASHES = ("2 2", "6 2", "1 3")
MARKERS = ("circle", "square", "triangle", "diamond", "wedge", "plus", "cross", "bar")


@dataclass(frozen=True)
class Look:
    """How a series is told from the others.

    Parameters
    ----------
    colour, dash, marker
        Its colour, the dashes of its line, and the shape of its points.
    hollow
        Whether its points are drawn as outlines.
    """

    colour: str
    dash: str
    marker: str
    hollow: bool

    def line(self, points: Iterable[tuple[float, float]], width: float = 2) -> str:
        """Return a line through points."""
        dash = {"stroke_dasharray": self.dash} if self.dash else {}
        return element(
            "polyline",
            points=" ".join(f"{number(x)},{number(y)}" for x, y in points),
            fill="none",
            stroke=self.colour,
            stroke_width=width,
            stroke_linejoin="round",
            **dash,
        )

    def mark(self, x: float, y: float, title: str = "", size: float = 4) -> str:
        """Return a point; a browser shows the title beside the mouse."""
        paint: dict[str, str | float] = {
            "fill": "white" if self.hollow else self.colour,
            "stroke": self.colour if self.hollow else "white",
            "stroke_width": 1.5 if self.hollow else 0.8,
        }
        inside = [element("title", plain(title))] if title else []
        if self.marker == "circle":
            return element("circle", *inside, cx=x, cy=y, r=size, **paint)
        if self.marker in _STROKES:
            paint = {"fill": "none", "stroke": self.colour, "stroke_width": 2}
            strokes = _STROKES[self.marker]
            path = "".join(
                f"M{number(x + size * a)} {number(y + size * b)}"
                f"L{number(x + size * c)} {number(y + size * d)}"
                for a, b, c, d in strokes
            )
            return element("path", *inside, d=path, **paint)
        corners = " ".join(
            f"{number(x + size * right)},{number(y + size * down)}"
            for right, down in _CORNERS[self.marker]
        )
        return element("polygon", *inside, points=corners, **paint)


_CORNERS = {
    "square": ((-0.95, -0.95), (0.95, -0.95), (0.95, 0.95), (-0.95, 0.95)),
    "triangle": ((0, -1.25), (1.15, 0.85), (-1.15, 0.85)),
    "diamond": ((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
    "wedge": ((0, 1.25), (1.15, -0.85), (-1.15, -0.85)),
}
_STROKES = {
    "plus": ((-1.2, 0, 1.2, 0), (0, -1.2, 0, 1.2)),
    "cross": ((-1, -1, 1, 1), (-1, 1, 1, -1)),
    "bar": ((-1.3, 0, 1.3, 0),),
}


def looks(muted: Sequence[bool]) -> list[Look]:
    """Return a look for each series, those in the background in grey."""
    found = []
    counts = [0, 0]
    for grey in muted:
        place = counts[grey]
        counts[grey] += 1
        if grey:
            dash = MUTED_DASHES[place % len(MUTED_DASHES)]
            found.append(Look(MUTED, dash, MARKERS[place % len(MARKERS)], hollow=True))
        else:
            # After all colours, dashes go on by one and points become outlines.
            turn, own = divmod(place, len(COLOURS))
            dash = DASHES[(own + turn) % len(DASHES)]
            found.append(Look(COLOURS[own], dash, MARKERS[own], hollow=turn > 0))
    return found
