"""Three kinds of rules counted from traces without mistakes, with no graph: a control.

(a) x comes before y, as in every trace with both; (b) whoever does x also does y, as in every trace
with x; (c) x is done again only if somebody did, and between two of it comes what always came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations


@dataclass(frozen=True)
class CountedRules:
    """What every trace had in common.

    Parameters
    ----------
    before
        Pairs of steps: every occurrence of the first comes before every one of the second.
    together
        For each step those that every trace with it has, itself included.
    between
        For each step that was repeated those that came between each two of its occurrences.
    """

    before: frozenset[tuple[str, str]]
    together: Mapping[str, frozenset[str]]
    between: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, traces: Iterable[Sequence[str]]) -> CountedRules:
        """Count the rules of some traces.

        Examples
        --------
        >>> rules = CountedRules.of([["test", "repair", "test", "pack"], ["test", "pack"]])
        >>> sorted(rules.before)
        [('repair', 'pack'), ('test', 'pack')]
        >>> sorted(rules.together["repair"]), rules.between
        (['pack', 'repair', 'test'], {'test': frozenset({'repair'})})
        """
        kept: set[tuple[str, str]] = set()
        broken: set[tuple[str, str]] = set()
        together: dict[str, frozenset[str]] = {}
        between: dict[str, frozenset[str]] = {}
        for trace in traces:
            steps = frozenset(trace)
            for step in steps:
                together[step] = together.get(step, steps) & steps
            for step, passed in _repeats(trace):
                between[step] = between.get(step, passed) & passed
            ordered = _ordered(trace)
            kept |= ordered
            broken |= set(permutations(steps, 2)) - ordered
        return cls(frozenset(kept - broken), together, between)

    def fits(self, trace: Sequence[str], kinds: str) -> bool:
        """Return whether a trace keeps the rules of some kinds, and has no step of its own.

        Parameters
        ----------
        trace
            Step names in the order done.
        kinds
            The letters of the kinds of rules: 'a', 'b' and 'c'.

        Examples
        --------
        >>> rules = CountedRules.of([["test", "repair", "test", "pack"], ["test", "pack"]])
        >>> [rules.fits(["test", "test", "pack"], kinds) for kinds in ("a", "ab", "abc")]
        [True, True, False]
        """
        steps = frozenset(trace)
        if not steps <= self.together.keys():
            return False
        if "a" in kinds:
            wanted = {pair for pair in self.before if steps.issuperset(pair)}
            if not wanted <= _ordered(trace):
                return False
        if "b" in kinds and not all(self.together[step] <= steps for step in steps):
            return False
        return "c" not in kinds or all(
            step in self.between and self.between[step] <= passed
            for step, passed in _repeats(trace)
        )


def _ordered(trace: Sequence[str]) -> set[tuple[str, str]]:
    """Return the pairs of steps of which one is over before the other begins."""
    last = {step: place for place, step in enumerate(trace)}
    first = {step: len(trace) - place for place, step in enumerate(reversed(trace), start=1)}
    return {(x, y) for x, y in permutations(first, 2) if last[x] < first[y]}


def _repeats(trace: Sequence[str]) -> list[tuple[str, frozenset[str]]]:
    """Return each step that is done again, with the steps since it was done before."""
    found = []
    last: dict[str, int] = {}
    for place, step in enumerate(trace):
        if step in last:
            found.append((step, frozenset(trace[last[step] + 1 : place])))
        last[step] = place
    return found
