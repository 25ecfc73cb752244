"""Blocks as a flow: tasks and gateways with lines between them, as BPMN draws them.

A choice stands between two exclusive gateways, a partial order between parallel ones. A loop goes
from one exclusive gateway to another, and its way back from the second to the first. `net_of_flow`
makes a net of a flow: exclusive gateways are places, tasks and parallel gateways transitions.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from stepgraph.formats.blocks import Block, Loop, OneOf, Order, Step
from stepgraph.formats.nets import Transition

EXCLUSIVE, PARALLEL, TASK, START, END = (
    "exclusiveGateway",
    "parallelGateway",
    "task",
    "startEvent",
    "endEvent",
)
_PLACES = frozenset({EXCLUSIVE, START, END})


@dataclass(frozen=True)
class FlowBox:
    """A node of a flow: its id, its kind in BPMN, and its name if it is a task."""

    id: str
    kind: str
    name: str = ""


@dataclass(frozen=True)
class FlowLine:
    """A line of a flow between two nodes by their numbers; `back` if it is part of a way back."""

    source: int
    target: int
    back: bool = False


@dataclass
class Flow:
    """A flow: nodes and lines."""

    boxes: list[FlowBox] = field(default_factory=list)
    lines: list[FlowLine] = field(default_factory=list)

    @classmethod
    def of(cls, block: Block) -> Flow:
        """Return the flow of a block, from a start to an end."""
        flow = cls()
        start = flow._box("start", START)
        first, last = flow._add(block, back=False)
        end = flow._box("end", END)
        flow._line(start, first, back=False)
        flow._line(last, end, back=False)
        return flow

    def _box(self, prefix: str, kind: str, name: str = "") -> int:
        number = len(self.boxes)
        id_ = prefix if kind in (START, END) else f"{prefix}{number}"
        self.boxes.append(FlowBox(id_, kind, name))
        return number

    def _line(self, source: int, target: int, *, back: bool) -> None:
        self.lines.append(FlowLine(source, target, back))

    def _add(self, block: Block, *, back: bool) -> tuple[int, int]:
        """Add a block and return its first and its last node."""
        match block:
            case Step():
                task = self._box("step", TASK, block.name)
                return task, task
            case OneOf():
                split = self._box("choice", EXCLUSIVE)
                ends = [self._add(part, back=back) for part in block.parts]
                merge = self._box("merge", EXCLUSIVE)
                for first, last in ends:
                    self._line(split, first, back=back)
                    self._line(last, merge, back=back)
                if block.optional:
                    self._line(split, merge, back=back)
                return split, merge
            case Loop():
                return self._add_loop(block, back=back)
            case Order():
                return self._add_order(block, back=back)

    def _add_loop(self, loop: Loop, *, back: bool) -> tuple[int, int]:
        merge = self._box("again", EXCLUSIVE)
        do = None if loop.do is None else self._add(loop.do, back=back)
        redo = None if loop.redo is None else self._add(loop.redo, back=not back)
        split = self._box("choice", EXCLUSIVE)
        for part, source, target, way in ((do, merge, split, back), (redo, split, merge, not back)):
            if part is None:
                self._line(source, target, back=way)
            else:
                self._line(source, part[0], back=way)
                self._line(part[1], target, back=way)
        return merge, split

    def _add_order(self, order: Order, *, back: bool) -> tuple[int, int]:
        places = range(len(order.parts))
        before = {at: [one for one, other in sorted(order.before) if other == at] for at in places}
        after = {at: [other for one, other in sorted(order.before) if one == at] for at in places}
        firsts = [at for at in places if not before[at]]
        lasts = [at for at in places if not after[at]]
        fork = self._box("fork", PARALLEL) if len(firsts) > 1 else None
        ends = []
        for at, part in enumerate(order.parts):
            join = self._box("join", PARALLEL) if len(before[at]) > 1 else None
            first, last = self._add(part, back=back)
            split = self._box("fork", PARALLEL) if len(after[at]) > 1 else None
            if join is not None:
                self._line(join, first, back=back)
            if split is not None:
                self._line(last, split, back=back)
            ends.append((first if join is None else join, last if split is None else split))
        final = self._box("join", PARALLEL) if len(lasts) > 1 else None
        for at in places:
            for later in after[at]:
                self._line(ends[at][1], ends[later][0], back=back)
        if fork is not None:
            for at in firsts:
                self._line(fork, ends[at][0], back=back)
        if final is not None:
            for at in lasts:
                self._line(ends[at][1], final, back=back)
        return (
            ends[firsts[0]][0] if fork is None else fork,
            ends[lasts[0]][1] if final is None else final,
        )


def net_of_flow(flow: Flow) -> list[Transition]:
    """Return the transitions of a net that does what a flow does, from ``source`` to ``sink``."""
    names = {START: "source", END: "sink"}
    takes: dict[int, list[str]] = {}
    gives: dict[int, list[str]] = {}
    silent = []
    for number, line in enumerate(flow.lines, start=1):
        source, target = flow.boxes[line.source], flow.boxes[line.target]
        places = [names.get(box.kind, box.id) for box in (source, target)]
        if source.kind in _PLACES and target.kind in _PLACES:
            silent.append(Transition(f"pass{number}", None, (places[0],), (places[1],)))
        elif source.kind in _PLACES:
            takes.setdefault(line.target, []).append(places[0])
        elif target.kind in _PLACES:
            gives.setdefault(line.source, []).append(places[1])
        else:
            gives.setdefault(line.source, []).append(f"p{number}")
            takes.setdefault(line.target, []).append(f"p{number}")
    net = [
        Transition(box.id, box.name or None, tuple(takes[at]), tuple(gives[at]))
        for at, box in enumerate(flow.boxes)
        if box.kind not in _PLACES
    ]
    return net + silent
