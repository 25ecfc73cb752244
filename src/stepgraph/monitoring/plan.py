"""A graph prepared for monitors: the preconditions of each step as bit masks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stepgraph.graph import TaskGraph
from stepgraph.graph.edges import bits
from stepgraph.graph.rules import rules_in_words
from stepgraph.graph.semantics import Semantics, State


@dataclass(frozen=True, slots=True)
class Plan:
    """The preconditions and successors of each step, as bit masks; bit n stands for node n.

    Parameters
    ----------
    names
        The node names: START, the steps, END.
    nodes
        The node number of each step, without START and END.
    needs
        For each node the steps that it waits for: its direct preconditions, with those of an
        optional step in its place.
    needs_all
        For each node the steps that it waits for directly or through others.
    needed_by
        For each node the steps that come after it directly or through others, whether or not
        they wait for it.
    optional
        The steps that may be left out.
    semantics
        What the graph means.
    """

    names: tuple[str, ...]
    nodes: Mapping[str, int] = field(repr=False, compare=False)
    needs: tuple[int, ...] = field(repr=False)
    needs_all: tuple[int, ...] = field(repr=False, compare=False)
    needed_by: tuple[int, ...] = field(repr=False, compare=False)
    optional: int = field(default=0, repr=False)
    semantics: Semantics = field(default=Semantics.of((), (), ()), repr=False, compare=False)

    @classmethod
    def of(cls, graph: TaskGraph) -> Plan:
        """Prepare a graph."""
        own = graph.semantics
        needs_all = tuple(mask & ~own.optional for mask in own.before)
        return cls(own.names, own.nodes, own.waits_for, needs_all, own.after, own.optional, own)

    def names_in(self, mask: int) -> tuple[str, ...]:
        """Return the names of the steps in a mask, in the order of the vocabulary."""
        return tuple(self.names[node] for node in bits(mask))

    def executable(self, performed: int, reported: int, undone: int = 0) -> tuple[str, ...]:
        """Return the steps that can be done now, the most useful first.

        Steps reported missing come first, then those that most remaining steps wait for, directly
        or through others. Ties stay in vocabulary order.
        """
        possible = self.semantics.executable(State(performed, undone))
        possible.sort(
            key=lambda node: (
                not reported >> node & 1,
                -(self.needed_by[node] & ~performed).bit_count(),
            )
        )
        return tuple(self.names[node] for node in possible)

    def progress(self, performed: int) -> float:
        """Return the fraction of the required steps that are done."""
        return self.semantics.progress(performed)

    def late(self, performed: int) -> int:
        """Return the optional steps not done although a done step comes after them."""
        return sum(
            1 << node
            for node in bits(self.optional & ~performed)
            if self.needed_by[node] & performed
        )

    def missed(self, performed: int) -> int:
        """Return the steps not done that a done step needs directly."""
        needed = 0
        for node in bits(performed):
            needed |= self.needs[node]
        return needed & ~performed

    def passed_over(self, performed: int) -> int:
        """Return the steps not done that a done step needs, directly or through others."""
        needed = 0
        for node in bits(performed):
            needed |= self.needs_all[node]
        return needed & ~performed


def ignored_rules(graph: TaskGraph) -> str:
    """Return a sentence on what `without_rules` leaves out; empty for a graph without rules."""
    rules = rules_in_words(graph)
    if not rules:
        return ""
    more = f" and {len(rules) - 1} more" if len(rules) > 1 else ""
    return (
        f"this monitor does not know rules such as {rules[0]}{more}: what has an alternative "
        "counts as optional, and what another step undoes as repeatable"
    )
