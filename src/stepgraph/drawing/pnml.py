"""A task graph as PNML: a workflow net whose complete runs are the graph's valid orders.

Each step is a transition and each edge a place between two of them, so that a step waits for
all that it needs. One source place starts a silent transition from which everything else follows,
and a silent transition ends in one sink place. A step that may be left out has a silent transition
beside it, between the same places. Silent transitions are marked, and the final marking is
given, in the way of ProM and pm4py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stepgraph.drawing.xml_text import check_characters, check_steps, escaped
from stepgraph.graph import TaskGraph, connect_ends
from stepgraph.layout.layers import Layout, Link, lay_out
from stepgraph.sequences import END, START

_TYPE = "http://www.pnml.org/version-2009/grammar/ptnet"
_NAMESPACE = "http://www.pnml.org/version-2009/grammar/pnml"
_COLUMN, _ROW, _LANE = 240.0, 80.0, 20.0
_SPACE = 50.0  # between places in the same gap


def to_pnml(graph: TaskGraph) -> str:
    """Return a graph as a Petri net in PNML, with a layout.

    Parameters
    ----------
    graph
        The graph to write. A step without START or END on its way is connected to them.

    Returns
    -------
    str
        The text of a file. Weights, provenance, evidence and what is known of the steps, except
        that they are optional, are left out.

    Raises
    ------
    GraphError
        If a name holds a character that XML cannot hold.

    Examples
    --------
    >>> text = to_pnml(TaskGraph.from_preconditions({"mix": ["crack egg"]}))
    >>> [line.strip() for line in text.splitlines() if "<arc" in line][:2]
    ['<arc id="a1" source="source" target="t0"/>', '<arc id="a2" source="t0" target="p0-1"/>']
    """
    check_steps(graph, "PNML")
    check_characters(graph, "PNML")
    end = graph.vocabulary.end
    places = dict(_places(graph))
    optional = {graph.vocabulary.node(step) for step in graph.optional_steps}
    layout = lay_out(end + 1, list(places), row=_ROW, lane=_LANE)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<pnml xmlns="{_NAMESPACE}">',
        f'  <net id="net" type="{_TYPE}">',
        f"    <name><text>{escaped(graph.procedure)}</text></name>",
        '    <page id="page">',
    ]
    left = _x(0) - _COLUMN / 2
    lines += _place("source", left, layout.height[0], tokens=1)
    spots = _spots(layout, places)
    for link, id_ in places.items():
        lines += _place(id_, *spots[link])
    lines += _place("sink", _x(layout.column[end]) + _COLUMN / 2, layout.height[end])
    arcs = [("source", "t0")]
    for node, name in enumerate(graph.vocabulary.nodes):
        spot = _x(layout.column[node]), layout.height[node]
        lines += _transition(f"t{node}", *spot, name if 0 < node < end else None)
        if node in optional:
            lines += _transition(f"skip{node}", spot[0], spot[1] + _ROW / 2, None)
    for (before, after), id_ in places.items():
        arcs += [(f"t{before}", id_), (id_, f"t{after}")]
        arcs += [(f"skip{before}", id_)] if before in optional else []
        arcs += [(id_, f"skip{after}")] if after in optional else []
    arcs.append((f"t{end}", "sink"))
    for number, (source, target) in enumerate(arcs, start=1):
        lines.append(f'      <arc id="a{number}" source="{source}" target="{target}"/>')
    lines += [
        "    </page>",
        "    <finalmarkings>",
        '      <marking><place idref="sink"><text>1</text></place></marking>',
        "    </finalmarkings>",
        "  </net>",
        "</pnml>",
        "",
    ]
    return "\n".join(lines)


def _places(graph: TaskGraph) -> Iterator[tuple[Link, str]]:
    """Yield the nodes before and after each place, and its id, which tells what was added."""
    given = set(graph.edges)
    edges = connect_ends(graph.steps, graph.edges) or [(END, START)]
    for step, needed in edges:
        before, after = graph.vocabulary.node(needed), graph.vocabulary.node(step)
        kind = "p" if (step, needed) in given else "added"
        yield (before, after), f"{kind}{before}-{after}"


def _spots(layout: Layout, links: Iterable[Link]) -> dict[Link, tuple[float, float]]:
    """Return where the places go: stacked in the gap before the column that they lead to."""
    gaps: dict[int, list[Link]] = {}
    for before, after in links:
        gaps.setdefault(layout.column[after], []).append((before, after))
    middle = (min(layout.height) + max(layout.height)) / 2
    spots = {}
    for column, stack in gaps.items():
        stack.sort(key=lambda link: (layout.height[link[1]], layout.height[link[0]], link))
        top = middle - _SPACE * (len(stack) - 1) / 2
        for number, link in enumerate(stack):
            spots[link] = (_x(column) - _COLUMN / 2, top + _SPACE * number)
    return spots


def _x(column: int) -> float:
    return _COLUMN * (column + 1)


def _place(id_: str, x: float, y: float, *, tokens: int = 0) -> list[str]:
    marking = f"<initialMarking><text>{tokens}</text></initialMarking>" if tokens else ""
    return [f'      <place id="{id_}">{marking}{_graphics(x, y, 30, 30)}</place>']


def _transition(id_: str, x: float, y: float, name: str | None) -> list[str]:
    if name is None:
        about = '<toolspecific tool="ProM" version="6.4" activity="$invisible$"/>'
        return [f'      <transition id="{id_}">{_graphics(x, y, 12, 30)}{about}</transition>']
    label = f"<name><text>{escaped(name)}</text></name>"
    return [f'      <transition id="{id_}">{label}{_graphics(x, y, 110, 40)}</transition>']


def _graphics(x: float, y: float, width: int, height: int) -> str:
    position = f'<position x="{x:.1f}" y="{y:.1f}"/>'
    return f'<graphics>{position}<dimension x="{width}" y="{height}"/></graphics>'
