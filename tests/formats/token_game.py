"""Nets and processes played with tokens, to list all that they can do.

This reads the files with none of the code by which stepgraph understands nets and processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import permutations
from typing import TypeVar
from xml.etree import ElementTree as ET

from benchmarks.datasets.petri_nets import PetriNet
from stepgraph.graph import TaskGraph

Order = tuple[str, ...]
Marking = TypeVar("Marking", bound=Hashable)

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
    net = PetriNet.from_pnml(text)
    return _runs(net.start, net.firings, lambda marking: marking == net.end)


def orders_of_process(text: str) -> set[Order]:
    """Return the tasks of all runs of a process; tokens are on its sequence flows."""
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

    def firings(tokens: Order) -> Iterator[tuple[str | None, Order]]:
        marking = Counter(tokens)
        for id_, kind in kinds.items():
            if kind == "parallelGateway":
                if all(marking[flow] for flow in coming[id_]):
                    yield None, _moved(marking, coming[id_], going[id_])
            elif kind == "exclusiveGateway":
                for flow in coming[id_]:
                    if marking[flow]:
                        for way in going[id_]:
                            yield None, _moved(marking, [flow], [way])
            elif kind in ("task", "endEvent"):
                for flow in coming[id_]:
                    if marking[flow]:
                        name = names[id_] if kind == "task" else None
                        yield name, _moved(marking, [flow], going[id_])

    return _runs(tuple(going[start]), firings, lambda marking: not marking)


def _moved(marking: Counter[str], taken: Iterable[str], given: Iterable[str]) -> Order:
    return tuple(sorted((marking - Counter(taken) + Counter(given)).elements()))


def _runs(
    first: Marking,
    firings: Callable[[Marking], Iterator[tuple[str | None, Marking]]],
    is_final: Callable[[Marking], bool],
) -> set[Order]:
    known: dict[Marking, set[Order]] = {}

    def runs_from(marking: Marking) -> set[Order]:
        if marking not in known:
            found: set[Order] = {()} if is_final(marking) else set()
            moved = False
            for label, after in firings(marking):
                moved = True
                rest = runs_from(after)
                found |= {(label, *order) for order in rest} if label else rest
            assert moved or is_final(marking), f"stuck at {marking}"
            known[marking] = found
        return known[marking]

    return runs_from(first)
