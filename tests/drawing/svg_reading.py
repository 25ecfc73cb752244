"""What a drawing holds, read back from its SVG."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree as ET

from stepgraph.drawing.fonts import carried_font

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Read:
    """The parts of a drawing."""

    root: ET.Element

    @property
    def size(self) -> tuple[float, float]:
        return float(self.root.attrib["width"]), float(self.root.attrib["height"])

    @property
    def texts(self) -> list[str]:
        return ["".join(text.itertext()) for text in self.root.iter(f"{SVG}text")]

    @property
    def steps(self) -> list[ET.Element]:
        return [group for group in self.root.iter(f"{SVG}g") if "data-node" in group.attrib]

    @property
    def edges(self) -> dict[tuple[int, int], ET.Element]:
        found = {}
        for group in self.root.iter(f"{SVG}g"):
            if "data-edge" in group.attrib:
                step, needed = map(int, group.attrib["data-edge"].split())
                found[step, needed] = group
        return found

    @property
    def boxes(self) -> list[tuple[float, float, float, float]]:
        """Left, top, right and bottom of each box."""
        return [_extent(group) for group in self.steps]

    @property
    def lines(self) -> dict[tuple[int, int], list[tuple[float, float]]]:
        """For each edge, points along its curve, without the head."""
        return {ends: _curve(group) for ends, group in self.edges.items()}

    @property
    def rules(self) -> list[Rule]:
        """The rules, each with its word, its lines and the boxes that they lead to."""
        return [Rule(group) for group in self.root.iter(f"{SVG}g") if "data-rule" in group.attrib]

    def middle(self, node: int) -> tuple[float, float]:
        left, top, right, bottom = self.boxes[node]
        return (left + right) / 2, (top + bottom) / 2

    def title_of(self, group: ET.Element) -> str:
        return group.findtext(f"{SVG}title") or ""


@dataclass(frozen=True)
class Rule:
    """A word of a drawing, tied to boxes."""

    group: ET.Element

    @property
    def kind(self) -> str:
        return self.group.attrib["class"].removeprefix("rule ")

    @property
    def nodes(self) -> list[int]:
        return list(map(int, self.group.attrib["data-rule"].split()))

    @property
    def word(self) -> str:
        return self.group.findtext(f"{SVG}text") or ""

    @property
    def room(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the word."""
        text = self.group.find(f"{SVG}text")
        assert text is not None
        x, y, size = (float(text.attrib[name]) for name in ("x", "y", "font-size"))
        half = carried_font().width(self.word, size) / 2
        return x - half, y - size, x + half, y + 0.3 * size

    @property
    def lines(self) -> list[list[tuple[float, float]]]:
        """For each box, points along the line from the word to it."""
        return [_points(path.attrib["d"]) for path in self.group.iter(f"{SVG}path")]

    @property
    def heads(self) -> int:
        return sum(
            len(polygon.attrib["points"].split()) == 3
            for polygon in self.group.iter(f"{SVG}polygon")
        )


def read(svg: str) -> Read:
    """Read a drawing, which must be XML."""
    return Read(ET.fromstring(svg))  # noqa: S314 - our own text


def overlap(boxes: list[tuple[float, float, float, float]]) -> bool:
    """Return whether two boxes share more than a border."""
    for place, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[place + 1 :]:
            if left < other[2] and other[0] < right and top < other[3] and other[1] < bottom:
                return True
    return False


def is_monotonic(values: list[float]) -> bool:
    """Return whether each value is larger than the one before."""
    return all(first < second for first, second in pairwise(values))


def _extent(group: ET.Element) -> tuple[float, float, float, float]:
    ellipse = group.find(f"{SVG}ellipse")
    if ellipse is not None:
        x, y, across, along = (float(ellipse.attrib[name]) for name in ("cx", "cy", "rx", "ry"))
        return x - across, y - along, x + across, y + along
    rect = group.find(f"{SVG}rect")
    assert rect is not None
    x, y, width, height = (float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def _curve(group: ET.Element) -> list[tuple[float, float]]:
    path = group.find(f"{SVG}path")
    assert path is not None
    return _points(path.attrib["d"])


def _points(data: str) -> list[tuple[float, float]]:
    start, _, rest = data.removeprefix("M").partition("C")
    rest, _, end = rest.partition("L")
    numbers = [float(word) for word in f"{start} {rest}".split()]
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    found = [points[0]]
    for begin in range(0, len(points) - 1, 3):
        piece = points[begin : begin + 4]
        for step in range(1, 21):
            share = step / 20
            factors = (
                (1 - share) ** 3,
                3 * share * (1 - share) ** 2,
                3 * share**2 * (1 - share),
                share**3,
            )
            x, y = (
                sum(f * point[axis] for f, point in zip(factors, piece, strict=True))
                for axis in (0, 1)
            )
            found.append((x, y))
    if end:
        x, y = map(float, end.split())
        found.append((x, y))
    return found
