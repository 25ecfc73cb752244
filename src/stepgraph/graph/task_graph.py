"""`TaskGraph`: the steps of a procedure, their preconditions, and questions about them."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from stepgraph.errors import CycleError, GraphError, InputError, UnknownNameError
from stepgraph.graph.constraints import Constraints
from stepgraph.graph.edges import (
    Edge,
    a_cycle,
    bits,
    connect_ends,
    edge_nodes,
    edge_weight,
    in_order,
    reached,
)
from stepgraph.graph.evidence import EdgeEvidence, Provenance, StepAttributes
from stepgraph.graph.rules import Choice, Undoing, among, by_step, check_rules
from stepgraph.graph.semantics import Semantics, State
from stepgraph.sequences import Vocabulary

if TYPE_CHECKING:
    import networkx as nx
    import numpy as np
    from numpy.typing import NDArray

Kind = TypeVar("Kind", Provenance, Constraints)

SHOWN_BY: dict[str, str] = {}
"""For each class name, the function that shows its values in a notebook, as ``module:function``. A
graph lies below the drawings and cannot import them, so `stepgraph/__init__.py` fills this in."""


class TaskGraph:
    """The steps of a procedure and their preconditions.

    Parameters
    ----------
    steps
        The names of the key-steps, without START and END.
    edges
        Pairs (step, precondition); START and END may take part.
    procedure
        The name of the procedure.
    weights
        A score for some or all edges.
    provenance
        The origin of the graph.
    constraints
        Decisions of people about the graph. They may name steps that the graph lacks, such as a
        step that no recording shows.
    attributes
        Attributes of some or all steps. An optional step keeps its place in the order, but nothing
        waits for it.
    evidence
        The evidence for some or all edges.
    choices
        Alternatives of which one is done.
    undoings
        Steps that undo others.

    Raises
    ------
    GraphError
        If an edge names an unknown step, a step needs END, START needs something, a weight is
        no number, attributes or evidence are given for what is not in the graph, or the graph
        cannot obey a choice or an undoing (see `stepgraph.graph.rules.check_rules`).
    CycleError
        If steps need each other.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["crack egg", "add milk"]})
    >>> graph.preconditions_of("mix")
    ('crack egg', 'add milk')
    >>> graph.executable(["crack egg"])
    ('add milk',)
    >>> graph.is_valid(["crack egg", "mix"])
    False
    """

    __slots__ = (
        "_dependents",
        "_needs",
        "attributes",
        "choices",
        "constraints",
        "evidence",
        "procedure",
        "provenance",
        "semantics",
        "undoings",
        "vocabulary",
        "weights",
    )

    vocabulary: Vocabulary
    procedure: str
    weights: Mapping[Edge, float]
    provenance: Provenance
    constraints: Constraints
    attributes: Mapping[str, StepAttributes]
    evidence: Mapping[Edge, EdgeEvidence]
    choices: tuple[Choice, ...]
    undoings: tuple[Undoing, ...]
    semantics: Semantics
    _needs: tuple[tuple[int, ...], ...]
    _dependents: tuple[tuple[int, ...], ...]

    def __init__(
        self,
        steps: Iterable[str],
        edges: Iterable[Edge],
        *,
        procedure: str = "",
        weights: Mapping[Edge, float] | None = None,
        provenance: Provenance | None = None,
        constraints: Constraints | None = None,
        attributes: Mapping[str, StepAttributes] | None = None,
        evidence: Mapping[Edge, EdgeEvidence] | None = None,
        choices: Iterable[Choice] = (),
        undoings: Iterable[Undoing] = (),
    ) -> None:
        vocabulary = Vocabulary(tuple(steps))
        needs: list[set[int]] = [set() for _ in vocabulary.nodes]
        known = dict.fromkeys((step, precondition) for step, precondition in edges)
        for edge in known:
            row, column = edge_nodes(vocabulary, *edge)
            needs[row].add(column)
        dependents: list[list[int]] = [[] for _ in vocabulary.nodes]
        for row, columns in enumerate(needs):
            for column in columns:
                dependents[column].append(row)
        order = in_order(needs, dependents)
        if len(order) < len(needs):
            raise CycleError([vocabulary.name(node) for node in a_cycle(needs)])
        kept = {edge: edge_weight(edge, weight) for edge, weight in (weights or {}).items()}
        for what, given in (("a weight is", kept), ("evidence is", evidence or {})):
            for edge in given:
                if edge not in known:
                    edge_nodes(vocabulary, *edge)
                    raise GraphError(f"{what} given for {edge[0]!r} needing {edge[1]!r}, no edge")
        for step, about in (attributes or {}).items():
            for name in (step, *about.goes_with):
                if name not in vocabulary:
                    raise GraphError(f"attributes are given for {name!r}, no step of the graph")
        self._set("vocabulary", vocabulary)
        self._set("procedure", procedure)
        self._set("weights", MappingProxyType(kept))
        self._set("provenance", _expect(Provenance, provenance))
        self._set("constraints", _expect(Constraints, constraints))
        self._set("_needs", tuple(tuple(sorted(columns)) for columns in needs))
        self._set("_dependents", tuple(map(tuple, dependents)))
        self._set("attributes", MappingProxyType(dict(attributes or {})))
        self._set("evidence", MappingProxyType(dict(evidence or {})))
        self._set("choices", tuple(choices))
        self._set("undoings", by_step(undoings))
        self._set("semantics", self._meaning(order))

    def _meaning(self, order: Iterable[int]) -> Semantics:
        """Check the rules, and return the graph as a state machine."""
        about = self.attributes
        rules = self.choices, self.undoings
        if any(rules):
            check_rules(self.steps, self.preconditions_of, *rules, self.optional_steps)
        return Semantics.of(
            self.vocabulary.nodes,
            self._needs,
            order,
            optional=self.optional_steps,
            repeatable=[step for step in self.steps if step in about and about[step].repeatable],
            goes_with={step: own.goes_with for step, own in about.items() if own.goes_with},
            choices=[(choice.alternatives, choice.optional) for choice in self.choices],
            undoes={undoing.step: undoing.undone for undoing in self.undoings},
        )

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a TaskGraph is immutable; {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a TaskGraph is immutable; {name!r} cannot be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self._content(),))

    def _content(self) -> dict[str, Any]:
        tables = {name: dict(getattr(self, name)) for name in ("weights", "attributes", "evidence")}
        names = ("steps", "edges", "procedure", "provenance", "constraints", "choices", "undoings")
        return {name: getattr(self, name) for name in names} | tables

    def replace(self, **changes: Any) -> TaskGraph:
        """Return a copy of the graph with some arguments changed.

        Parameters
        ----------
        **changes
            Arguments of the constructor. If edges or steps change, the weights, attributes,
            evidence and rules of removed ones go with them.

        Examples
        --------
        >>> graph = TaskGraph.from_preconditions({"mix": ["egg"]})
        >>> spicy = graph.replace(attributes={"egg": StepAttributes(optional=True)})
        >>> spicy.executable()
        ('egg', 'mix')
        """
        content = self._content() | changes
        edges, steps = set(content["edges"]), set(content["steps"])
        for name, known in (("weights", edges), ("evidence", edges), ("attributes", steps)):
            if name not in changes:
                content[name] = {key: entry for key, entry in content[name].items() if key in known}
        if "steps" in changes:
            choices, undoings = among(content["choices"], content["undoings"], steps)
            about = {step: own.among(steps) for step, own in content["attributes"].items()}
            content |= {"choices": choices, "undoings": undoings, "attributes": about} | changes
        return TaskGraph(**content)

    def with_provenance(self, provenance: Provenance) -> TaskGraph:
        """Return the same graph with another provenance, without checking it again."""
        graph = object.__new__(TaskGraph)
        for name in self.__slots__:
            graph._set(name, getattr(self, name))
        graph._set("provenance", provenance)
        return graph

    @classmethod
    def from_preconditions(
        cls,
        preconditions: Mapping[str, Iterable[str]],
        *,
        procedure: str = "",
        provenance: Provenance | None = None,
        constraints: Constraints | None = None,
    ) -> TaskGraph:
        """Build a graph from the preconditions of each step; it connects START and END.

        Parameters
        ----------
        preconditions
            For each step the steps that it needs; steps that need nothing may be left out
            if another one needs them.
        procedure, provenance, constraints
            As in the constructor.

        Raises
        ------
        InputError
            If a value is a text instead of a list of names.
        """
        for step, needed in preconditions.items():
            if isinstance(needed, str):
                raise InputError(
                    f"{step!r} needs the text {needed!r}; expected a list of names: [{needed!r}]"
                )
        table = {step: tuple(needed) for step, needed in preconditions.items()}
        names = dict.fromkeys(name for step, needed in table.items() for name in (*needed, step))
        edges = [(step, needed) for step, row in table.items() for needed in row]
        return cls(
            names,
            connect_ends(names, edges),
            procedure=procedure,
            provenance=provenance,
            constraints=constraints,
        )

    @property
    def steps(self) -> tuple[str, ...]:
        """The step names, without START and END."""
        return self.vocabulary.steps

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All edges as (step, precondition), START and END included, in node order."""
        nodes = self.vocabulary.nodes
        return tuple(
            (nodes[row], nodes[column])
            for row, columns in enumerate(self._needs)
            for column in columns
        )

    @property
    def optional_steps(self) -> tuple[str, ...]:
        """The steps that may be left out."""
        return tuple(
            step
            for step in self.steps
            if step in self.attributes and self.attributes[step].optional
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TaskGraph):
            return NotImplemented
        return set(self.steps) == set(other.steps) and set(self.edges) == set(other.edges)

    def __hash__(self) -> int:
        return hash((frozenset(self.steps), frozenset(self.edges)))

    def __repr__(self) -> str:
        name = f"{self.procedure!r}, " if self.procedure else ""
        return f"TaskGraph({name}{len(self.steps)} steps, {len(self.edges)} edges)"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:  # noqa: ARG002
        """Return what a notebook shows: a drawing if possible, else text."""
        home = SHOWN_BY.get(type(self).__name__)
        if home is None:
            return {"text/plain": repr(self)}
        module, _, name = home.partition(":")
        shown: dict[str, str] = getattr(importlib.import_module(module), name)(self)
        return shown

    def preconditions_of(self, step: str) -> tuple[str, ...]:
        """Return the direct preconditions of a step, without START.

        Parameters
        ----------
        step
            A step's name, or END.
        """
        row = self._needs[self.vocabulary.node(step)]
        return tuple(self.vocabulary.name(node) for node in row if node)

    def dependents_of(self, step: str) -> tuple[str, ...]:
        """Return the steps that need this one directly, without END."""
        rows = self._dependents[self.vocabulary.node(step)]
        return tuple(self.vocabulary.name(node) for node in rows if node != self.vocabulary.end)

    def all_preconditions_of(self, step: str) -> tuple[str, ...]:
        """Return everything that must be done before a step, directly or through others."""
        found = reached(self._needs, self.vocabulary.node(step))
        return tuple(self.vocabulary.name(node) for node in bits(found) if node)

    def missing_before(self, step: str, done: Iterable[str]) -> tuple[str, ...]:
        """Return what has to be done before a step and is not.

        These are its direct preconditions; those of a precondition that may be left out, or whose
        alternative is done instead, stand in its place.

        Parameters
        ----------
        step
            The step about to be done, or END.
        done
            The steps that count as done, in any order.
        """
        node = self.vocabulary.node(step)
        return self.semantics.names_in(self.semantics.missing(node, self._state(done)))

    def executable(self, done: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the steps not done yet that may be done now.

        All that comes before them is done, and nothing that comes after them; no other alternative
        of their choice has begun.

        Parameters
        ----------
        done
            The steps that count as done, in any order.
        """
        nodes = self.semantics.executable(self._state(done))
        return tuple(self.vocabulary.name(node) for node in nodes)

    def is_valid(self, sequence: Iterable[str], *, complete: bool = False) -> bool:
        """Return whether each step of a sequence may be done when it is; `Semantics` says when.

        Parameters
        ----------
        sequence
            Step names in the order done. A step that counts as done may be done again only if it
            is repeatable.
        complete
            Whether the procedure must also be finished: all that is due is done.
        """
        state = State()
        for name in sequence:
            node = self._step_node(name)
            if not self.semantics.may_do(node, state):
                return False
            state = self.semantics.do(node, state)
        return not (complete and self.semantics.open(state))

    def in_order(self) -> tuple[str, ...]:
        """Return the steps in a valid order, ties in the order of the vocabulary."""
        done = {0}
        order: list[str] = []
        waiting = list(range(1, len(self.steps) + 1))
        while waiting:
            node = next(node for node in waiting if done.issuperset(self._needs[node]))
            waiting.remove(node)
            done.add(node)
            order.append(self.vocabulary.name(node))
        return tuple(order)

    def to_matrix(self) -> NDArray[np.float64]:
        """Return the graph as a matrix of 0 and 1: row = step, column = its precondition.

        Row and column numbers are node numbers: START, the steps in order, END.
        """
        from stepgraph.graph.adjacency import matrix_of

        return matrix_of(self._needs)

    @classmethod
    def from_matrix(
        cls, matrix: NDArray[np.float64], steps: Iterable[str], *, procedure: str = ""
    ) -> TaskGraph:
        """Build a graph from a matrix: every non-zero entry is an edge.

        Parameters
        ----------
        matrix
            Row = step, column = its precondition, START first and END last.
        steps
            The step names, without START and END.
        procedure
            The name of the procedure.
        """
        from stepgraph.graph.adjacency import content_of_matrix

        return cls(**content_of_matrix(matrix, steps), procedure=procedure)

    def to_networkx(self) -> nx.DiGraph:
        """Return a networkx graph; edges go from a step to its precondition."""
        from stepgraph.graph.adjacency import networkx_of

        nodes = self.vocabulary.nodes
        return networkx_of(nodes, self.edges, self.weights, self.attributes, self.procedure)

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph, *, procedure: str = "") -> TaskGraph:
        """Build a graph from a networkx one whose edges go from a step to its precondition."""
        from stepgraph.graph.adjacency import content_of_networkx

        content = content_of_networkx(graph)
        return cls(**content | ({"procedure": procedure} if procedure else {}))

    def _step_node(self, name: str) -> int:
        if name not in self.vocabulary:
            raise UnknownNameError("step", name, self.steps)
        return self.vocabulary.node(name)

    def _state(self, done: Iterable[str]) -> State:
        mask = 0
        for name in done:
            mask |= 1 << self._step_node(name)
        return State(mask)


def _rebuild(content: dict[str, Any]) -> TaskGraph:
    return TaskGraph(**content)


def _expect(kind: type[Kind], came: Kind | None) -> Kind:
    if came is None:
        return kind()
    if not isinstance(came, kind):
        raise GraphError(
            f"the {kind.__name__.lower()} of a graph is {came!r:.80}; expected {kind.__name__}(...)"
        )
    return came


def expect_graph(came: object, who: str) -> TaskGraph:
    """Check that a value is a graph and return it.

    Parameters
    ----------
    came
        The value.
    who
        The function that received it, for the message.

    Raises
    ------
    InputError
        If it is not a graph; the message says where graphs come from.
    """
    if isinstance(came, TaskGraph):
        return came
    raise InputError(
        f"{who} got {came!r:.80}; expected a TaskGraph, as stepgraph.read_graph(FILE) and "
        "stepgraph.learn(FILE) return"
    )
