"""Petri nets played with tokens: what they accept, and runs drawn from them; 20 processes as nets.

`PetriNet.accepts` is exact: it follows every marking that a sequence can lead to, silent
transitions included. The processes of ``powl`` have choices, loops and concurrent parts; a log
with one trace for each variant belongs to most of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.datasets.contest import Trace
from benchmarks.datasets.directory import missing_file
from stepgraph.errors import FormatError
from stepgraph.files import read_text
from stepgraph.formats.reading import naming
from stepgraph.formats.xml_text import Element, parse_xml
from stepgraph.logs import read_log
from stepgraph.sequences import Demonstrations

PROCESSES = "powl"
"""The folder of the processes in the data directory."""
INVISIBLE = "$invisible$"
"""How ProM and pm4py mark a silent transition."""
MARKINGS = 100_000
"""Number of markings at which the search for what a net accepts gives up."""

Marking = tuple[int, ...]
"""The number of tokens on each place."""


@dataclass(frozen=True)
class Transition:
    """A transition of a net.

    Parameters
    ----------
    label
        The step that it is, None if it is silent.
    takes, gives
        The places that it takes a token from and puts one on; one that occurs twice counts twice.
    """

    label: str | None
    takes: tuple[int, ...]
    gives: tuple[int, ...]


@dataclass(frozen=True)
class PetriNet:
    """A net with one first and one last marking.

    Parameters
    ----------
    transitions
        Its transitions.
    start, end
        The tokens on each place at first, and when a run is complete.
    """

    transitions: tuple[Transition, ...]
    start: Marking
    end: Marking

    @classmethod
    def from_pnml(cls, text: str) -> PetriNet:
        """Read a net of places, transitions and arcs, with one final marking.

        A transition without a name, or marked as invisible, is silent. Without a final marking, a
        run ends with one token on the only place that nothing takes tokens from.

        Raises
        ------
        FormatError
            If the text is no XML, has no net, or an arc or marking names what is not there.
        """
        nodes = list(_inside(parse_xml(text)))
        places = _numbered(nodes, "place")
        names = _numbered(nodes, "transition")
        takes: list[list[int]] = [[] for _ in names]
        gives: list[list[int]] = [[] for _ in names]
        for arc in (node for node in nodes if node.name == "arc"):
            source, target = arc.attributes.get("source", ""), arc.attributes.get("target", "")
            weight = _count(arc, "inscription", 1)
            if source in places and target in names:
                takes[names[target]] += [places[source]] * weight
            elif source in names and target in places:
                gives[names[source]] += [places[target]] * weight
            else:
                raise FormatError(
                    f"line {arc.line}: an arc leads from {source!r} to {target!r}; expected a "
                    "place and a transition of the net"
                )
        labels = [_label(node) for node in nodes if node.name == "transition"]
        start = [_count(node, "initialMarking", 0) for node in nodes if node.name == "place"]
        return cls(
            tuple(
                Transition(label, tuple(own_takes), tuple(own_gives))
                for label, own_takes, own_gives in zip(labels, takes, gives, strict=True)
            ),
            tuple(start),
            _final(nodes, places, {place for own in takes for place in own}),
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The steps, each once, in the order of the net."""
        return tuple(dict.fromkeys(own.label for own in self.transitions if own.label is not None))

    def firings(self, marking: Marking) -> Iterator[tuple[str | None, Marking]]:
        """Yield what may happen next: the step, None for a silent transition, and the marking."""
        for transition in self.transitions:
            after = list(marking)
            for place in transition.takes:
                after[place] -= 1
            if all(after[place] >= 0 for place in transition.takes):
                for place in transition.gives:
                    after[place] += 1
                yield transition.label, tuple(after)

    def accepts(self, trace: Iterable[str]) -> bool:
        """Return whether the net has a complete run whose steps are these.

        Raises
        ------
        FormatError
            If silent transitions alone lead to more than `MARKINGS` markings.
        """
        reached = self._silently({self.start})
        for step in trace:
            done = {
                after
                for marking in reached
                for label, after in self.firings(marking)
                if label == step
            }
            if not done:
                return False
            reached = self._silently(done)
        return self.end in reached

    def _silently(self, markings: set[Marking]) -> set[Marking]:
        """Return markings with all that silent transitions lead to."""
        found = set(markings)
        waiting = list(markings)
        while waiting:
            for label, after in self.firings(waiting.pop()):
                if label is None and after not in found:
                    found.add(after)
                    waiting.append(after)
            if len(found) > MARKINGS:
                raise FormatError(
                    f"silent transitions lead to more than {MARKINGS:,} markings; expected a "
                    "bounded net"
                )
        return found

    def play(self, rng: random.Random, longest: int, attempts: int = 1000) -> Trace:
        """Draw a complete run: at each moment any possible transition, all equally likely.

        Parameters
        ----------
        rng
            Where chance comes from.
        longest
            Number of steps of the longest run to return; longer ones are drawn anew.
        attempts
            Number of runs to draw at most.

        Raises
        ------
        FormatError
            If no run is complete within so many steps.
        """
        for _ in range(attempts):
            trace: list[str] = []
            marking = self.start
            # Silent transitions may go round in circles, too.
            for _ in range(10 * (longest + len(self.transitions))):
                possible = list(self.firings(marking))
                if marking == self.end or not possible or len(trace) > longest:
                    break
                label, marking = rng.choice(possible)
                if label is not None:
                    trace.append(label)
            if marking == self.end and len(trace) <= longest:
                return tuple(trace)
        raise FormatError(
            f"none of {attempts:,} runs of the net is complete within {longest} steps; expected "
            "one that can end"
        )


@dataclass(frozen=True)
class NetProcess:
    """A process whose net is known.

    Parameters
    ----------
    name
        Its number.
    net
        The net.
    training
        The traces to learn from; None where no log belongs to the net.
    """

    name: str
    net: PetriNet
    training: Demonstrations | None


def read_processes(directory: Path) -> list[NetProcess]:
    """Read the processes of ``powl`` that a data directory holds.

    Raises
    ------
    MissingDataError
        If there is none.
    FormatError
        If a net or a log is not as expected.
    """
    folder = directory / PROCESSES
    paths = sorted((folder / "nets").glob("*.pnml"))
    if not paths:
        raise missing_file(folder / "nets" / "01.pnml", "a process as a Petri net")
    return [_read_process(folder, path) for path in paths]


def _read_process(folder: Path, path: Path) -> NetProcess:
    with naming(path):
        net = PetriNet.from_pnml(read_text(path))
    log = folder / "logs" / f"{path.stem}.xes.gz"
    return NetProcess(path.stem, net, read_log(log).only() if log.is_file() else None)


def _inside(element: Element) -> Iterator[Element]:
    """Yield everything inside an element, but nothing inside of what a net is made of."""
    for child in element.children:
        yield child
        if child.name in ("net", "page", "finalmarkings"):
            yield from _inside(child)


def _numbered(nodes: Sequence[Element], kind: str) -> dict[str, int]:
    ids = [node.attributes.get("id") for node in nodes if node.name == kind]
    numbered = {id_: number for number, id_ in enumerate(ids) if id_ is not None}
    if not numbered or len(numbered) < len(ids):
        raise FormatError(f"{len(ids)} {kind}s have {len(numbered)} ids; expected one each")
    return numbered


def _label(transition: Element) -> str | None:
    tools = transition.all("toolspecific")
    if any(tool.attributes.get("activity") == INVISIBLE for tool in tools):
        return None
    return transition.inner_text("name", "text") or None


def _count(element: Element, name: str, default: int) -> int:
    text = element.inner_text(name, "text")
    if text is None:
        return default
    if not text.isdecimal():
        raise FormatError(f"line {element.line}: {name} {text!r:.40}; expected a whole number")
    return int(text)


def _final(nodes: Sequence[Element], places: dict[str, int], left: set[int]) -> Marking:
    end = [0] * len(places)
    markings = [node for node in nodes if node.name == "marking"]
    if len(markings) > 1:
        raise FormatError(f"the net has {len(markings)} final markings; expected one")
    if not markings:
        last = set(places.values()) - left
        if len(last) != 1:
            raise FormatError(
                f"the net has no final marking and {len(last)} places that nothing takes tokens "
                "from; expected one"
            )
        end[last.pop()] = 1
        return tuple(end)
    for place in markings[0].all("place"):
        name = place.attributes.get("idref", "")
        if name not in places:
            raise FormatError(f"line {place.line}: the final marking has a place {name!r:.40}")
        text = place.inner_text("text")
        end[places[name]] = int(text) if text and text.isdecimal() else 1
    return tuple(end)
