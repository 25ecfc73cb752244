"""The rules of a graph as drawings show them: a word, and the steps that it is tied to.

Pictures, DOT and Mermaid all draw what `drawn_rules` returns, so that they say the same in the same
words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from stepgraph.graph import Choice, RuleEvidence, TaskGraph
from stepgraph.graph.rules import rules_in_words, split_undoings

Kind = Literal["choice", "undoes", "goes_with"]
"""What a rule says."""


@dataclass(frozen=True)
class DrawnRule:
    """A choice, a step that undoes others, or steps that go with a step.

    Parameters
    ----------
    kind
        What it says.
    word
        The text in the drawing, such as ``"undoes"``.
    step
        The node of the step that undoes others or that others go with; None for a choice, and for
        steps that go together.
    others
        The nodes that the word is tied to: what is undone or goes with the step; of a choice the
        first steps of each alternative.
    after
        The nodes that the word follows on the way from START to END, among them all of its own
        that lie before it.
    about
        The whole rule as a sentence.
    evidence
        The evidence of recordings.
    """

    kind: Kind
    word: str
    step: int | None
    others: tuple[int, ...]
    after: frozenset[int]
    about: str
    evidence: RuleEvidence | None = None

    @property
    def nodes(self) -> tuple[int, ...]:
        """All nodes that the word is tied to."""
        return self.others if self.step is None else (self.step, *self.others)


def drawn_rules(graph: TaskGraph) -> tuple[DrawnRule, ...]:
    """Return the rules of a graph: choices, then undoing, then what goes with what.

    Steps of which each goes with all others are one rule. Drawn in any layout in which steps
    follow what they need, words that follow `DrawnRule.after` close no circle.

    Parameters
    ----------
    graph
        The graph.

    Examples
    --------
    >>> from stepgraph.graph import Undoing
    >>> bench = TaskGraph.from_preconditions({"repair": ["test"], "ship": ["repair"]})
    >>> (rule,) = drawn_rules(bench.replace(undoings=[Undoing("repair", ["test"])]))
    >>> rule.word, rule.step, rule.others, rule.about
    ('undoes', 2, (1,), "'repair' undoes 'test'")
    """
    if not rules_in_words(graph):
        return ()
    rank = {name: place for place, name in enumerate(graph.in_order())}
    found = [
        _choice(graph, choice, f"{front}{_ONE_OF[choice.optional]}", rank)
        for choice, front in zip(graph.choices, _fronts(graph), strict=True)
    ]
    undoings = split_undoings(graph)
    said = rules_in_words(graph)[len(graph.choices) :]
    for (undoing, again), about in zip(undoings, said, strict=False):
        word = "undoes" if again else "allows again"
        ends = undoing.step, undoing.undone
        found.append(_tied(graph, "undoes", word, *ends, rank, about, undoing.evidence))
    with_it = {step: own.goes_with for step, own in graph.attributes.items() if own.goes_with}
    sentences = rules_in_words(graph)[-len(with_it) :] if with_it else []
    for step, about in zip(with_it, sentences, strict=True):
        members = sorted({step, *with_it[step]}, key=rank.__getitem__)
        others = [other for other in members if other != step]
        if any(set(with_it.get(one, ())) | {one} != set(members) for one in members):
            found.append(_tied(graph, "goes_with", "goes with", step, others, rank, about))
        elif step == members[0] and others:
            found.append(_together(graph, members))
    return tuple(found)


def alternative_marks(graph: TaskGraph) -> dict[str, tuple[str, ...]]:
    """Return words for the steps of choices in which an alternative has several steps.

    Examples
    --------
    >>> graph = TaskGraph("abc", [], choices=[Choice([["a", "b"], ["c"]])])
    >>> alternative_marks(graph)
    {'a': ('alternative 1',), 'b': ('alternative 1',), 'c': ('alternative 2',)}
    """
    marks: dict[str, tuple[str, ...]] = {}
    for choice, front in zip(graph.choices, _fronts(graph), strict=True):
        for number, alternative in enumerate(choice.alternatives, start=1):
            for step in alternative if _has_several(choice) else ():
                marks[step] = (*marks.get(step, ()), f"{front}alternative {number}")
    return marks


_ONE_OF = {False: "one of", True: "at most one of"}


def _has_several(choice: Choice) -> bool:
    return any(len(alternative) > 1 for alternative in choice.alternatives)


def _fronts(graph: TaskGraph) -> list[str]:
    """Return what comes before the words of each choice, so that no two can be confused."""
    if sum(map(_has_several, graph.choices)) < 2:
        return [""] * len(graph.choices)
    return [f"choice {number}: " for number in range(1, len(graph.choices) + 1)]


def _choice(graph: TaskGraph, choice: Choice, word: str, rank: Mapping[str, int]) -> DrawnRule:
    firsts = [
        step
        for alternative in choice.alternatives
        for step in alternative
        if not set(alternative) & set(graph.all_preconditions_of(step))
    ]
    begin = min(rank[step] for step in firsts)
    needed = {name for step in firsts for name in graph.preconditions_of(step)}
    # Right after the last of what they need, the word stands where the choice is made.
    before = sorted((name for name in needed if rank[name] < begin), key=rank.__getitem__)
    nodes = tuple(map(graph.vocabulary.node, firsts))
    after = frozenset(map(graph.vocabulary.node, before[-1:]))
    return DrawnRule("choice", word, None, nodes, after, str(choice), choice.evidence)


def _tied(
    graph: TaskGraph,
    kind: Kind,
    word: str,
    step: str,
    others: Sequence[str],
    rank: Mapping[str, int],
    about: str,
    evidence: RuleEvidence | None = None,
) -> DrawnRule:
    node = graph.vocabulary.node
    others = sorted(others, key=rank.__getitem__)
    earlier = [other for other in others if rank[other] < rank[step]]
    after = frozenset(map(node, earlier or [step]))
    return DrawnRule(kind, word, node(step), tuple(map(node, others)), after, about, evidence)


def _together(graph: TaskGraph, members: Sequence[str]) -> DrawnRule:
    nodes = tuple(map(graph.vocabulary.node, members))
    *most, last = map(repr, members)
    about = f"{', '.join(most)} and {last} go together"
    return DrawnRule("goes_with", "go together", None, nodes, frozenset(nodes[:1]), about)
