"""The moves of an alignment, their costs, and their explanation in words."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_args

from stepgraph.errors import SettingError, UnknownNameError, nearest_names
from stepgraph.graph import TaskGraph
from stepgraph.graph.semantics import State

Kind = Literal["done", "skipped", "inserted"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Costs:
    """The costs of moves, by kind and optionally by step.

    Parameters
    ----------
    done
        A step that the recording has where the graph allows it.
    skipped
        A step of the graph that the recording lacks there. What may be left out costs nothing: an
        optional step, or an alternative that is not taken.
    inserted
        A step of the recording for which the graph has no place there.
    steps
        Other costs for single steps, by (kind, step).

    Raises
    ------
    SettingError
        If a cost is negative or no finite number.
    UnknownNameError
        If there is no such kind of move.

    Examples
    --------
    >>> costs = Costs(steps={("skipped", "switch off the gas"): 10})
    >>> costs.of("skipped", "switch off the gas"), costs.of("skipped", "stir")
    (10.0, 1.0)
    """

    done: float = 0.0
    skipped: float = 1.0
    inserted: float = 1.0
    steps: Mapping[tuple[Kind, str], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for kind in KINDS:
            object.__setattr__(self, kind, _cost(getattr(self, kind), kind))
        for kind, _ in self.steps:
            if kind not in KINDS:
                raise UnknownNameError("kind of move", str(kind), KINDS)
        own = {
            (kind, step): _cost(value, f"{kind} of {step!r}")
            for (kind, step), value in self.steps.items()
        }
        object.__setattr__(self, "steps", MappingProxyType(own))

    def of(self, kind: Kind, step: str) -> float:
        """Return the cost of a move."""
        own = self.steps.get((kind, step))
        return float(getattr(self, kind)) if own is None else own

    def check(self, steps: Collection[str]) -> None:
        """Check that every step with a cost of being done or skipped is in a graph.

        Raises
        ------
        UnknownNameError
            If one is not. Any step may have a cost of being inserted.
        """
        for kind, step in self.steps:
            if kind != "inserted" and step not in steps:
                raise UnknownNameError("step", step, steps, f"the cost of {kind!r}")


def _cost(value: float, about: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise SettingError(f"the cost of {about} is {value!r:.40}; expected a number from 0 on")
    return number


@dataclass(frozen=True, slots=True)
class Move:
    """One step of the explanation.

    Parameters
    ----------
    kind
        ``"done"``: the recording has the step where the graph allows it. ``"skipped"``: the
        graph wants the step here, the recording lacks it. ``"inserted"``: the recording has
        the step here, the graph has no place for it.
    step
        Its name.
    position
        Where the recording has it, from 1 on; None for a skipped step.
    cost
        The cost of the move.
    """

    kind: Kind
    step: str
    position: int | None
    cost: float


@dataclass(frozen=True)
class Alignment:
    """The cheapest explanation of a recording by a graph.

    Parameters
    ----------
    recording
        The name of the recording.
    moves
        All moves in order: without the skipped ones they are the recording, without the
        inserted ones, and the ones that were left out (see `is_left_out`), a complete valid order
        of the graph.
    worst
        The cost of inserting the whole recording and skipping the whole graph.
    at_least
        What the cheapest explanation costs at least, if the search for it was given up and these
        moves may not be the cheapest; None if they are.
    """

    recording: str
    moves: tuple[Move, ...]
    worst: float
    at_least: float | None = None

    @property
    def cost(self) -> float:
        """The sum of the moves' costs; none is smaller, unless `at_least` says otherwise."""
        return math.fsum(move.cost for move in self.moves)

    @property
    def fitness(self) -> float:
        """How well the recording fits, from 0 (nothing could stay) to 1 (as the graph says)."""
        return fitness(self.cost, self.worst)

    @property
    def done(self) -> tuple[Move, ...]:
        """The moves of steps that stay where the recording has them."""
        return tuple(move for move in self.moves if move.kind == "done")

    @property
    def skipped(self) -> tuple[Move, ...]:
        """The moves of steps that the recording lacks where the graph wants them."""
        return tuple(move for move in self.moves if move.kind == "skipped")

    @property
    def inserted(self) -> tuple[Move, ...]:
        """The moves of steps that the recording has where the graph has no place for them."""
        return tuple(move for move in self.moves if move.kind == "inserted")

    @property
    def moved(self) -> tuple[str, ...]:
        """The steps that were done, but not where the graph allows: skipped and inserted."""
        inserted = {move.step for move in self.inserted}
        return tuple(move.step for move in self.skipped if move.step in inserted)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "recording": self.recording,
            "cost": self.cost,
            "at_least": self.at_least,
            "worst_cost": self.worst,
            "fitness": self.fitness,
            "moved": list(self.moved),
            "moves": [
                {
                    "kind": move.kind,
                    "step": move.step,
                    "position": move.position,
                    "cost": move.cost,
                }
                for move in self.moves
            ],
        }


def fitness(cost: float, worst: float) -> float:
    """Return 1 - cost / worst cost, or 1 where the worst cost is 0."""
    return 1.0 - cost / worst if worst > 0 else 1.0


def is_plain(graph: TaskGraph) -> bool:
    """Return whether a graph has no choices, no undoing, and nothing that goes with a step."""
    return graph.semantics.fixed and not graph.undoings


def is_left_out(graph: TaskGraph, move: Move) -> bool:
    """Return whether a move leaves out an optional step, which is no deviation.

    Graphs with choices, undoing or steps that go with others name no steps that are left out: there
    a skipped step is one that had to be done.
    """
    if move.kind != "skipped" or not is_plain(graph):
        return False
    about = graph.attributes.get(move.step)
    return about is not None and about.optional


def explain_alignment(graph: TaskGraph, alignment: Alignment) -> tuple[str, ...]:
    """Return a line for each deviation of a recording from a graph.

    If the explanation may not be the cheapest, a last line says so.

    Parameters
    ----------
    graph
        The graph that the recording was aligned to.
    alignment
        The alignment.

    Examples
    --------
    >>> from stepgraph.alignment import align
    >>> graph = TaskGraph.from_preconditions({"stir": ["pour"], "drink": ["stir"]})
    >>> for line in explain_alignment(graph, align(graph, ["stir", "pour", "sing", "pour"])):
    ...     print(line)
    moved: 'pour' is step 2; 'stir' (step 1), which needs it, came before
    inserted: 'sing' (step 3); the graph has no such step
    moved: 'pour' is step 4; 'stir' (step 1), which needs it, came before
    skipped: 'drink'
    """
    done: dict[str, Move] = {}
    for move in alignment.done:
        done.setdefault(move.step, move)
    optional = set(graph.optional_steps)
    inserted = {move.step for move in alignment.inserted}
    meaning, state, last = graph.semantics, State(), dict(done)
    lines = []
    for move in alignment.moves:
        if move.kind == "inserted":
            lines.append(_inserted(graph, move, done, optional, (state, last)))
            continue
        if move.kind == "done":
            last[move.step] = move
        elif not is_left_out(graph, move) and move.step not in inserted:
            lines.append(f"skipped: '{move.step}'")
        state = meaning.do(meaning.nodes[move.step], state)
    if alignment.at_least is not None:
        lines.append(
            "there may be a cheaper explanation: the cheapest costs from "
            f"{alignment.at_least:g} to {alignment.cost:g}"
        )
    return tuple(lines)


def _inserted(
    graph: TaskGraph,
    move: Move,
    done: dict[str, Move],
    optional: set[str],
    now: tuple[State, dict[str, Move]],
) -> str:
    where = f"'{move.step}' (step {move.position})"
    if move.step not in graph.vocabulary:
        near = nearest_names(move.step, graph.steps, 1)
        advice = f"; did you mean '{near[0]}'?" if near else ""
        return f"inserted: {where}; the graph has no such step{advice}"
    state, last = now
    node = graph.semantics.nodes[move.step]
    if move.step in done and (is_plain(graph) or graph.semantics.is_needless(node, state)):
        return f"repeated: {where}; step {last[move.step].position} counts as done"
    if instead := _instead(graph, move.step, state, done):
        return f"inserted: {where}; {instead} is done instead"
    reasons = []
    for other in sorted(done.values(), key=lambda kept: kept.position or 0):
        before = (other.position or 0) < (move.position or 0)
        what = f"'{other.step}' (step {other.position})"
        if before and move.step in graph.all_preconditions_of(other.step):
            needs = "comes after" if move.step in optional else "needs"
            reasons.append(f"{what}, which {needs} it, came before")
        elif not before and other.step in graph.all_preconditions_of(move.step):
            needs = "comes after" if other.step in optional else "needs"
            reasons.append(f"{what}, which it {needs}, came after")
    if not reasons:
        return f"inserted: {where}; with these costs that is cheaper than to count it as done"
    more = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    return f"moved: '{move.step}' is step {move.position}; {reasons[0]}{more}"


def _instead(graph: TaskGraph, step: str, state: State, done: Mapping[str, Move]) -> str:
    """Return the step of another alternative that is done, or will be; empty without one."""
    meaning = graph.semantics
    later = sum(1 << meaning.nodes[name] for name in done)
    for mask in (state.done, later):
        for other in meaning.names_in(meaning.begun_instead(meaning.nodes[step], mask)):
            position = f" (step {done[other].position})" if other in done else ""
            return f"'{other}'{position}"
    return ""
