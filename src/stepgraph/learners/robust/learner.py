"""The robust learner: the order under which the recordings of people who err are most probable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import InputError, SettingError
from stepgraph.graph.adjacency import WeightedAdjacency, closure, reduction
from stepgraph.learners.base import Curve, Learned, Progress, check_number, no_progress
from stepgraph.learners.prior_knowledge import InformedLearner, NumberedConstraints
from stepgraph.learners.robust.confidence import Confidence, confidence
from stepgraph.learners.robust.demonstrators import TRUSTED, Demonstrators, Recordings, by_place
from stepgraph.learners.robust.search import (
    EDGE_COST,
    Search,
    contested,
    first_order,
    ignore_share,
    without,
)
from stepgraph.sequences import Demonstrations

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]

STARTS = (0.1, 2.0)
"""Prior numbers of errors in a recording; the search starts once from each."""
MOST_STEPS = 1_500
"""Maximum number of steps of a procedure."""
MOST_PLACES = 30_000_000
"""Maximum number of pairs of places in memory; beyond it the most frequent recordings count."""
PARTS = 100
"""Number of parts in which the progress of one procedure is reported."""
KEPT = 0.2
"""Default of `least_probable`. The search has weighed each pair already; on random procedures F1 is
the same from 0 to 0.4, and falls beyond."""


@dataclass(frozen=True)
class Robust(InformedLearner):
    """Learns a partial order, the error rate of each recording and the confidence in each pair.

    Parameters
    ----------
    errors
        The prior on each recording: the number of steps out of turn.
    successes
        The prior on each recording: the number of steps in turn.
    least_probable
        Minimum probability of a pair in the order, from 0 to 1. A less probable pair leaves, and
        with it the pairs that follow from it, unless a trusted recording shows the two directly one
        after the other. With 0.5 only pairs that are more probable than not stay; where people err
        a lot, that loses many right pairs.
    """

    name: ClassVar[str] = "robust"

    errors: float = 2.0
    successes: float = 20.0
    least_probable: float = KEPT

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("errors", "successes"):
            check_number(name, getattr(self, name), low=0.0, above=True)
        check_number("least_probable", self.least_probable, low=0.0)
        if self.least_probable > 1:
            raise SettingError(f"least_probable is {self.least_probable!r}; expected 1 or less")

    def learn(self, demonstrations: Demonstrations, *, seed: int = 0) -> Learned:
        """Learn the order of one procedure; the seed matters for random repetitions."""
        return self._learn(demonstrations, seed, ignore_share)

    def learn_many(
        self,
        procedures: Sequence[Demonstrations],
        *,
        seeds: Sequence[int] = (0,),
        progress: Progress = no_progress,
    ) -> list[list[Learned]]:
        """Learn several procedures; report progress within each, as a large one takes a while."""
        total = len(procedures) * PARTS
        results = []
        for done, given in enumerate(procedures):
            what = f"learning {given.procedure}"
            report = _PartProgress(progress, done * PARTS, total, what)
            found = [self._learn(given, seed, report) for seed in self.different(seeds)]
            results.append(found if len(found) == len(seeds) else found * len(seeds))
        progress(total, total, "learned")
        return results

    def _learn(
        self, demonstrations: Demonstrations, seed: int, report: Callable[[float], None]
    ) -> Learned:
        report(0.0)
        if len(demonstrations.vocabulary) > MOST_STEPS:
            raise InputError(
                f"the procedure has {len(demonstrations.vocabulary)} steps; 'robust' learns up to "
                f"{MOST_STEPS}, "
                "use the method 'intersection'"
            )
        numbered, new = by_place(demonstrations)
        words = numbered.vocabulary
        recordings = Recordings.of(numbered, self.repetitions, seed)
        constraints = self.numbered_constraints(words)
        search, found = self._best_search(recordings, constraints.never, report)
        people = search.people
        supported = self.supported(words)
        order, weights, sure = self._weigh(recordings, people, found, supported, constraints)
        trust = _trust(recordings, self.everybody(recordings, order).slips(order))
        facts = {
            "error_rate": float(np.average(people.rates, weights=people.weights)),
            "careless": float(sum(share < TRUSTED for share in trust)),
        }
        as_given = np.ix_(new, new)

        def adjacency(weights: Matrix) -> WeightedAdjacency:
            return WeightedAdjacency(demonstrations.vocabulary, weights[as_given], threshold=0.0)

        unconstrained = None
        if constraints.must or constraints.never:
            if constraints.never:  # the search obeys `never`; the required edges come after it
                search, found = self._best_search(recordings, ())
            free = NumberedConstraints()
            _, otherwise, _ = self._weigh(recordings, search.people, found, supported, free)
            unconstrained = adjacency(otherwise)
        return Learned(
            adjacency(weights),
            (*recordings.notes, *_careless(demonstrations, trust)),
            facts,
            confidence=WeightedAdjacency(demonstrations.vocabulary, sure[as_given]),
            trust=trust,
            unconstrained=unconstrained,
        )

    def _weigh(
        self,
        recordings: Recordings,
        people: Demonstrators,
        order: BoolMatrix,
        supported: BoolMatrix,
        constraints: NumberedConstraints,
    ) -> tuple[BoolMatrix, Matrix, Matrix]:
        """Return the final order, the weights of its edges, and the confidence in each pair."""
        found = confidence(recordings, people, order)
        unfounded = ~((people.adjacent(order) > 0) | supported)
        # Nothing comes after a step that a single recording shows.
        unfounded[:, recordings.rare] = True
        order = without(order, (found.pairs < min(self.least_probable, KEPT)) | unfounded)
        order = closure(constraints.apply(order, found.pairs))
        sure = confidence(recordings, people, order)
        if self.least_probable > KEPT:
            unwanted = (sure.pairs < self.least_probable) | unfounded
            order = without(order, _but(unwanted, constraints.must))
            # Each pair keeps the probability that decided about it, as without the limit.
            sure = confidence(recordings, people, order)._replace(pairs=sure.pairs)
        weights = _weights(order, sure)
        for edge in constraints.must:
            weights[edge] = sure.pairs[edge] = 1.0
        return order, weights, sure.pairs

    def training_curve(self, demonstrations: Demonstrations, *, seed: int = 0) -> Curve:
        """Search for the order; return the minimised quantity before each sweep over all pairs."""
        demonstrations, _ = by_place(demonstrations)
        recordings = Recordings.of(demonstrations, self.repetitions, seed)
        never = self.numbered_constraints(demonstrations.vocabulary).never
        search, _ = self._best_search(recordings, never)
        what = f"minus log likelihood, plus {EDGE_COST} for each edge"
        return Curve(what, "sweep over all pairs", tuple(-score for score in search.scores))

    def most_probable(
        self, recordings: Recordings, never: tuple[tuple[int, int], ...] = ()
    ) -> tuple[Demonstrators, BoolMatrix]:
        """Return the model of the demonstrators and the most probable order found.

        Parameters
        ----------
        recordings
            The recordings.
        never
            Pairs (step, precondition) that the order must not contain, in node numbers.
        """
        search, order = self._best_search(recordings, never)
        return search.people, order

    def _best_search(
        self,
        recordings: Recordings,
        never: tuple[tuple[int, int], ...],
        report: Callable[[float], None] = ignore_share,
    ) -> tuple[Search, BoolMatrix]:
        forbidden = contested(recordings)
        for edge in never:
            forbidden[edge] = True
        chosen = _most_frequent(recordings)
        found = []
        for place, errors in enumerate(STARTS):
            search = Search(recordings, self._people(recordings, chosen), forbidden)
            score, order = search.improve(
                first_order(recordings, errors, forbidden),
                lambda share, place=place: report((place + share) / len(STARTS)),  # type: ignore[misc]
            )
            found.append((score, search, order))
        _, search, order = max(found, key=lambda one: round(one[0], 6))
        return search, order

    def everybody(self, recordings: Recordings, order: BoolMatrix) -> Demonstrators:
        """Return the model of all demonstrators, fitted to an order."""
        people = self._people(recordings, np.arange(len(recordings.sequences)))
        people.fit(order, 20)
        return people

    def _people(self, recordings: Recordings, chosen: NDArray[np.intp]) -> Demonstrators:
        return Demonstrators(
            [recordings.sequences[number] for number in chosen],
            recordings.weights[chosen],
            recordings.size,
            errors=self.errors,
            successes=self.successes,
        )


class _PartProgress:
    """Reports the progress of one procedure, once for each whole part.

    Parameters
    ----------
    progress
        The callback.
    before, total
        Number of parts in the procedures before, and in all procedures.
    what
        A description of the work.
    """

    def __init__(self, progress: Progress, before: int, total: int, what: str) -> None:
        self._progress = progress
        self._before = before
        self._total = total
        self._what = what
        self._told = -1

    def __call__(self, share: float) -> None:
        part = int(share * PARTS)
        if part > self._told:
            self._told = part
            self._progress(self._before + part, self._total, self._what)


def _but(pairs: BoolMatrix, must: tuple[tuple[int, int], ...]) -> BoolMatrix:
    """Return pairs except those that a constraint requires."""
    for edge in must:
        pairs[edge] = False
    return pairs


def _most_frequent(recordings: Recordings) -> NDArray[np.intp]:
    """Return the indices of the most frequent recordings, as many as memory allows."""
    longest = max(map(len, recordings.sequences))
    most = max(1, MOST_PLACES // longest**2)
    ranked = np.argsort(-recordings.weights, kind="stable")[:most]
    return np.sort(ranked)


def _weights(order: BoolMatrix, sure: Confidence) -> Matrix:
    """Return the probability of each edge of an order, and of each pair that follows from them."""
    direct = reduction(order)
    weights = np.where(direct, sure.edges, np.where(order, sure.pairs, 0.0))
    weights = np.where(order, np.maximum(weights, 1e-3), 0.0)
    weights[1:, 0] = 1.0
    return weights


def _trust(recordings: Recordings, slips: Matrix) -> tuple[float, ...]:
    """Return, for each demonstration, the probability that one of its steps is in turn."""
    lengths = np.array([len(steps) for steps in recordings.sequences])
    share = 1 - slips.sum(axis=1) / lengths
    return tuple(float(np.mean(share[list(own)])) for own in recordings.owners)


def _careless(demonstrations: Demonstrations, trust: tuple[float, ...]) -> list[str]:
    ranked = sorted(zip(trust, demonstrations, strict=True), key=lambda pair: pair[0])
    return [
        f"recording {recording.id!r} shows about {100 * (1 - share):.0f} % of its steps out of turn"
        for share, recording in ranked
        if share < TRUSTED
    ]


FEWEST = 3
"""Minimum number of recordings to keep: those with the fewest slips."""


def without_slips(demonstrations: Demonstrations) -> Demonstrations:
    """Return the recordings without a slip, as the robust learner sees them.

    If fewer than `FEWEST` have none, it keeps those with the fewest expected slips.

    Examples
    --------
    >>> recordings = Demonstrations.from_steps(["abcdef"] * 6 + ["fedcba"])
    >>> [recording.id for recording in without_slips(recordings)]
    ['1', '2', '3', '4', '5', '6']
    """
    learner = Robust()
    numbered, _ = by_place(demonstrations)
    recordings = Recordings.of(numbered, learner.repetitions, 0)
    _, order = learner.most_probable(recordings)
    slips = learner.everybody(recordings, order).slips(order)
    worst = [float(slips[list(own)].max()) for own in recordings.owners]
    expected = [float(slips[list(own)].sum(axis=1).min()) for own in recordings.owners]
    best = np.argsort(expected, kind="stable")[:FEWEST].tolist()
    return replace(
        demonstrations,
        sequences=tuple(
            recording
            for number, recording in enumerate(demonstrations)
            if worst[number] <= TRUSTED or number in best
        ),
    )
