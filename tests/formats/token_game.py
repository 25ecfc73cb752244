"""Nets and processes played with tokens, to list all that they can do.

This reads the files by itself, with none of the code that stepgraph imports them by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import permutations
from xml.etree import ElementTree as ET

from stepgraph.graph import TaskGraph

Order = tuple[str, ...]
Marking = Counter[str]  # tokens by place
Firings = Callable[[Marking], Iterator[tuple[str | None, Marking]]]
Game = tuple[
    Marking, Firings, Callable[[Marking], bool]
]  # first marking, moves, whether it is last

PNML = "{http://www.pnml.org/version-2009/grammar/pnml}"
BPMN = "{http://www.omg.org/spec/BPMN/20100524/MODEL}"


def valid_complete_orders(graph: TaskGraph) -> set[Order]:
    """Return all orders of the steps, each after what it needs, optional ones left out or not."""
    found = set()
    for order in permutations(graph.steps):
        place = {step: number for number, step in enumerate(order)}
        if all(
            place[needed] < place[step]
            for step in graph.steps
            for needed in graph.all_preconditions_of(step)
        ):
            found |= set(_without_some(order, graph.optional_steps))
    return found


def _without_some(order: Order, optional: Iterable[str]) -> Iterator[Order]:
    kept: list[Order] = [order]
    for step in optional:
        kept += [tuple(other for other in one if other != step) for one in kept]
    return iter(kept)


def orders_of_net(text: str) -> set[Order]:
    """Return the visible sides of all runs of a net from its first marking to its last."""
    return _runs(*firings_of_net(text))


def firings_of_net(text: str) -> Game:
    """Return the first marking of a net, its firings, and whether a marking is the last."""
    root = ET.fromstring(text.encode())  # noqa: S314 - a file of our own or of a data set
    for element in root.iter():
        element.tag = element.tag.removeprefix(PNML)
    before: dict[str, list[str]] = {}
    after: dict[str, list[str]] = {}
    for arc in root.iter("arc"):
        after.setdefault(arc.attrib["source"], []).append(arc.attrib["target"])
        before.setdefault(arc.attrib["target"], []).append(arc.attrib["source"])
    labels: dict[str, str | None] = {}
    for transition in root.iter("transition"):
        name = transition.find("name/text")
        silent = transition.find("toolspecific[@activity='$invisible$']") is not None
        labels[transition.attrib["id"]] = None if name is None or silent else name.text
    tokens: Marking = Counter()
    for place in root.iter("place"):
        marking = place.find("initialMarking/text")
        if marking is not None and "id" in place.attrib:
            tokens[place.attrib["id"]] = int(marking.text or "0")
    (last,) = root.iter("marking")
    final = Counter({place.attrib["idref"]: 1 for place in last if place.findtext("text") != "0"})

    def firings(marking: Marking) -> Iterator[tuple[str | None, Marking]]:
        for id_, label in labels.items():
            if all(marking[place] for place in before[id_]):
                yield label, marking - Counter(before[id_]) + Counter(after[id_])

    return tokens, firings, lambda marking: marking == final


def orders_of_process(text: str) -> set[Order]:
    """Return the tasks of all runs of a process; tokens are on its sequence flows."""
    return _runs(*firings_of_process(text))


def firings_of_process(text: str) -> Game:
    """Return the first tokens of a process, its firings, and whether tokens are the last."""
    root = ET.fromstring(text.encode())  # noqa: S314 - our own file
    (process,) = root.iter(f"{BPMN}process")
    coming: dict[str, list[str]] = {node.attrib["id"]: [] for node in process}
    going: dict[str, list[str]] = {node.attrib["id"]: [] for node in process}
    for flow in process.iter(f"{BPMN}sequenceFlow"):
        going[flow.attrib["sourceRef"]].append(flow.attrib["id"])
        coming[flow.attrib["targetRef"]].append(flow.attrib["id"])
    kinds = {node.attrib["id"]: node.tag.removeprefix(BPMN) for node in process}
    names = {node.attrib["id"]: node.get("name") for node in process}
    (start,) = (id_ for id_, kind in kinds.items() if kind == "startEvent")

    def firings(marking: Marking) -> Iterator[tuple[str | None, Marking]]:
        for id_, kind in kinds.items():
            if kind == "parallelGateway":
                if all(marking[flow] for flow in coming[id_]):
                    yield None, marking - Counter(coming[id_]) + Counter(going[id_])
            elif kind == "exclusiveGateway":
                for flow in coming[id_]:
                    if marking[flow]:
                        for way in going[id_]:
                            yield None, marking - Counter([flow]) + Counter([way])
            elif kind in ("task", "endEvent"):
                for flow in coming[id_]:
                    if marking[flow]:
                        name = names[id_] if kind == "task" else None
                        yield name, marking - Counter([flow]) + Counter(going[id_])

    return Counter(going[start]), firings, lambda marking: not marking


def _runs(first: Marking, firings: Firings, is_final: Callable[[Marking], bool]) -> set[Order]:
    known: dict[Hashable, set[Order]] = {}

    def runs_from(marking: Marking) -> set[Order]:
        key = frozenset(marking.items())
        if key not in known:
            found: set[Order] = {()} if is_final(marking) else set()
            moved = False
            for label, after in firings(marking):
                moved = True
                rest = runs_from(after)
                found |= {(label, *order) for order in rest} if label else rest
            assert moved or is_final(marking), f"stuck at {marking}"
            known[key] = found
        return known[key]

    return runs_from(first)
