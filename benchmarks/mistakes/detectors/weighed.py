"""Clues weighed against each other, on mistakes simulated in the training recordings.

A clue is a number that grows with suspicion: how firmly an order is broken, how little the step
was to be expected, whether it was done before, and how much of the procedure is done. Each
recording in turn is left out: clues are learned from the others, it is cut at simulated mistakes,
and the weights and the threshold are those that tell these mistakes best. Nothing but recordings
without mistakes is needed, and no recording is judged by what it taught.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.mistakes.detectors.next_step import NextStepModel, choose_n
from benchmarks.mistakes.detectors.simulation import merged, perturb, with_mistakes
from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.learners.precedence import precedence_of
from stepgraph.sequences import Demonstrations, Vocabulary

CLUES = ("early", "late", "next", "repeat", "progress")
"""The clues: a step that usually comes before is missing; one that usually comes after is done;
the step was not to be expected next; it was done before; much of the procedure is done."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClueModel:
    """Everything that the clues of a step are computed from.

    Parameters
    ----------
    early
        ``early[a, b]``: how surprising it is that b is missing at the first a, in nats.
    late
        ``late[a, b]``: how surprising it is that b has been done before the first a.
    shown
        Which nodes some recording shows.
    forecast
        The chances of the next step.
    progress
        By the number of different steps done, the log odds that a mistake happens next if it has
        not happened before and may happen anywhere in a recording.
    """

    early: Floats
    late: Floats
    shown: NDArray[np.bool_]
    forecast: NextStepModel
    progress: Floats

    @classmethod
    def learn(cls, sequences: Sequence[tuple[int, ...]], size: int, n: int) -> ClueModel:
        """Learn from recordings as node numbers 1 to size, with n-grams for the forecast."""
        counts = precedence_of(sequences, size + 1)
        shown = counts.recordings > 0
        shown[[0, -1]] = False
        # Jeffreys' estimates of the shares of recordings in which b came before a, and a before b.
        early = -np.log1p(-(counts.before + 0.5) / (counts.recordings[:, None] + 1.0))
        early[:, ~shown] = 0.0
        np.fill_diagonal(early, 0.0)
        late = -np.log((counts.before + 0.5) / (counts.together + 1.0))
        late[~shown] = 0.0
        forecast = NextStepModel.learn(sequences, size, n)
        return cls(early, late, shown, forecast, _progress(sequences))

    def clues(self, steps: Sequence[int]) -> Floats:
        """Return the clues of each step, one column each in the order of `CLUES`.

        Parameters
        ----------
        steps
            Node numbers in the order done; 0 stands for an unknown step.
        """
        missing = self.shown.copy()
        done = np.zeros_like(missing)
        rows = np.empty((len(steps), len(CLUES)))
        for position, step in enumerate(steps):
            rows[position] = (
                float(self.early[step][missing].max(initial=0.0)),
                float(self.late[step][done].max(initial=0.0)) if missing[step] else 0.0,
                -math.log(self.forecast.probability(step, steps[:position])),
                float(self.shown[step] and not missing[step]),
                self.progress[min(int(done.sum()), len(self.progress) - 1)],
            )
            done[step] = self.shown[step]
            missing[step] = False
        return rows


def _progress(sequences: Sequence[Sequence[int]]) -> Floats:
    """Return the log odds of a mistake by progress, for mistakes equally likely anywhere.

    Progress is counted in different steps rather than in segments: a recogniser that wavers
    between two steps makes many segments and no progress.
    """
    most = max(len(set(steps)) for steps in sequences)
    ends, visits = np.zeros(most + 1), np.zeros(most + 1)
    for steps in sequences:
        done: set[int] = set()
        for place, step in enumerate(steps):
            ends[len(done)] += 1 / len(steps)
            visits[len(done)] += 1 - place / len(steps)
            done.add(step)
    hazard = np.clip(ends / np.maximum(visits, 1e-9), 1e-3, 0.9)
    hazard = np.maximum.accumulate(hazard)
    odds: Floats = np.log(hazard / (1 - hazard))
    return odds


RIDGE = 1.0
"""Pulls weights towards 0; clues are brought to one scale first."""
ROUNDS = 50


@dataclass(frozen=True, eq=False)
class Weights:
    """A linear score of clues: the log odds of a mistake.

    Parameters
    ----------
    intercept, slopes
        The score is the intercept plus the slopes times the clues.
    """

    intercept: float
    slopes: Floats

    def score(self, clues: Floats) -> Floats:
        """Return the score of each row."""
        scores: Floats = self.intercept + clues @ self.slopes
        return scores


def fit_weights(clues: Floats, mistake: NDArray[np.bool_], counts: Floats) -> Weights:
    """Fit the weights by logistic regression with a ridge, in Newton's steps.

    Parameters
    ----------
    clues
        One row for each segment.
    mistake
        Whether each is a mistake.
    counts
        How much each row counts.
    """
    mean, spread = clues.mean(axis=0), clues.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    rows = np.column_stack([np.ones(len(clues)), (clues - mean) / spread])
    counts = counts / counts.mean()
    ridge = np.full(rows.shape[1], RIDGE)
    ridge[0] = 1e-9
    beta = np.zeros(rows.shape[1])
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ beta, -30, 30)))
        gradient = rows.T @ (counts * (chance - mistake)) + ridge * beta
        curvature = (rows * (counts * chance * (1 - chance))[:, None]).T @ rows + np.diag(ridge)
        change = np.linalg.solve(curvature, gradient)
        beta = beta - change
        if np.abs(change).max() < 1e-9:
            break
    slopes = beta[1:] / spread
    return Weights(float(beta[0] - mean @ slopes), slopes)


def best_threshold(scores: Floats, mistake: NDArray[np.bool_], counts: Floats) -> float:
    """Return the score from which on flagging gives the best average F1.

    It lies half-way to the next smaller score; infinity flags nothing.

    Parameters
    ----------
    scores, mistake, counts
        For each segment its score, whether it is a mistake, and how much it counts.
    """
    order = np.argsort(-scores, kind="stable")
    ranked, right, weight = scores[order], mistake[order], counts[order]
    found = np.concatenate([[0.0], np.cumsum(weight * right)])
    alarms = np.concatenate([[0.0], np.cumsum(weight * ~right)])
    missed, passed = found[-1] - found, alarms[-1] - alarms
    f1 = found / np.maximum(2 * found + alarms + missed, 1e-12) + passed / np.maximum(
        2 * passed + alarms + missed, 1e-12
    )
    # One may only stop between two different scores.
    possible = np.concatenate([[True], ranked[1:] != ranked[:-1], [True]])
    best = int(np.argmax(np.where(possible, f1, -1.0)))
    if best == 0:
        return float("inf")
    if best == len(ranked) or not np.isfinite(ranked[best - 1]):
        return float(ranked[best - 1])
    return float((ranked[best - 1] + ranked[best]) / 2)


DRAWS = 8
"""How often mistakes are put into each recording: the more, the less the threshold is luck."""


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Training recordings, each beside what the others teach.

    Parameters
    ----------
    vocabulary
        The steps.
    model
        The clues that all recordings teach together.
    recordings, models
        Each recording, and the clues that all but it teach.
    """

    vocabulary: Vocabulary
    model: ClueModel
    recordings: tuple[tuple[int, ...], ...]
    models: tuple[ClueModel, ...]

    @classmethod
    def of(cls, demonstrations: Demonstrations) -> LeftOut:
        """Learn clues from all recordings, and from all but each.

        Raises
        ------
        SettingError
            If there is a single recording.
        """
        if len(demonstrations) < 2:
            raise SettingError(
                "there is one recording; expected two or more, as each is judged by the others"
            )
        recordings = tuple(recording.steps for recording in demonstrations)
        size = len(demonstrations.vocabulary)
        n = choose_n(recordings, size)
        return cls(
            demonstrations.vocabulary,
            ClueModel.learn(recordings, size, n),
            recordings,
            tuple(
                ClueModel.learn([*recordings[:number], *recordings[number + 1 :]], size, n)
                for number in range(len(recordings))
            ),
        )


@dataclass(frozen=True, eq=False)
class SimulatedSegments:
    """Segments of recordings that end in a simulated mistake.

    Parameters
    ----------
    clues
        One row for each segment, all of `CLUES`.
    unseen, mistake
        Whether no other recording has the step, and whether it is the mistake.
    counts
        How much each segment counts: recordings count alike, however many places they have.
    """

    clues: Floats
    unseen: NDArray[np.bool_]
    mistake: NDArray[np.bool_]
    counts: Floats

    @classmethod
    def draw(cls, left_out: LeftOut, *, noise: float = 0.0, seed: int = 0) -> SimulatedSegments:
        """Put mistakes into each recording, at every place and of every kind.

        Parameters
        ----------
        left_out
            The recordings.
        noise
            How often the recogniser that steps will come from is expected to insert, delete or
            replace one; 0 for true steps.
        seed
            For the mistakes and the noise.

        Raises
        ------
        SettingError
            If the noise is no probability below 1.
        """
        if not 0 <= noise < 1:
            raise SettingError(f"the noise is {noise}; expected a number from 0 to below 1")
        rng = random.Random(seed)
        rows, unseen, mistake, counts = [], [], [], []
        for number, (steps, model) in enumerate(
            zip(left_out.recordings, left_out.models, strict=True)
        ):
            others = (*left_out.recordings[:number], *left_out.recordings[number + 1 :])
            # What a recogniser takes a step for is more often one that it was shown more often.
            choices = [node for other in others for node in other]
            drawn = (
                cut
                for _ in range(DRAWS)
                for cut in with_mistakes(steps, len(left_out.vocabulary), rng)
            )
            for cut in drawn:
                seen = _recognised(cut, noise, choices, rng) if noise else cut
                rows.append(model.clues(seen))
                unseen.append(~model.shown[list(seen)])
                mistake.append(np.arange(1, len(seen) + 1) == len(seen))
                counts.append(np.full(len(seen), 1 / len(steps)))
        return cls(
            np.concatenate(rows),
            np.concatenate(unseen),
            np.concatenate(mistake),
            np.concatenate(counts),
        )


def _recognised(
    steps: Sequence[int], noise: float, choices: Sequence[int], rng: random.Random
) -> tuple[int, ...]:
    # A recogniser reports only what it has seen done; of anything else it makes some such step.
    known = set(choices)
    reported = [step if step in known else rng.choice(choices) for step in steps]
    return merged(perturb(reported, noise, choices, rng))


@dataclass(frozen=True, eq=False)
class WeighedClues:
    """A step is a mistake if its clues weigh enough, or if no recording shows it.

    Parameters
    ----------
    vocabulary
        The steps.
    model
        What tells the clues.
    columns
        Which of `CLUES` count.
    weights, threshold
        How much they weigh, and from where on that is enough.
    """

    vocabulary: Vocabulary
    model: ClueModel
    columns: tuple[int, ...]
    weights: Weights
    threshold: float

    @classmethod
    def learn(
        cls,
        demonstrations: Demonstrations,
        clues: Sequence[str] = CLUES,
        *,
        noise: float = 0.0,
        seed: int = 0,
    ) -> WeighedClues:
        """Learn clues, weights and threshold from recordings without mistakes.

        Parameters
        ----------
        demonstrations
            The recordings, two or more.
        clues
            Which clues count.
        noise, seed
            As for `SimulatedSegments.draw`.

        Raises
        ------
        UnknownNameError
            If there is no such clue.
        SettingError
            If there is no clue or a single recording, or the noise is no probability.

        Examples
        --------
        >>> demonstrations = Demonstrations.from_steps(["abcd", "abdc", "abcd", "abcd"])
        >>> WeighedClues.learn(demonstrations, ["early"]).flags("acbd")
        (False, True, False, False)
        """
        left_out = LeftOut.of(demonstrations)
        simulated = SimulatedSegments.draw(left_out, noise=noise, seed=seed)
        return cls.fit(left_out, simulated, clues)

    @classmethod
    def fit(
        cls, left_out: LeftOut, simulated: SimulatedSegments, clues: Sequence[str] = CLUES
    ) -> WeighedClues:
        """Fit weights and threshold to simulated mistakes, as `learn` does.

        Parameters
        ----------
        left_out, simulated
            The recordings, and the mistakes that were put into them.
        clues
            Which clues count.
        """
        for clue in clues:
            if clue not in CLUES:
                raise UnknownNameError("clue", clue, CLUES)
        if not clues:
            raise SettingError(f"there is no clue to weigh; expected some of {', '.join(CLUES)}")
        columns = tuple(map(CLUES.index, clues))
        rows = simulated.clues[:, columns]
        usual = ~simulated.unseen
        weights = fit_weights(rows[usual], simulated.mistake[usual], simulated.counts[usual])
        scores = np.where(usual, weights.score(rows), np.inf)
        threshold = best_threshold(scores, simulated.mistake, simulated.counts)
        return cls(left_out.vocabulary, left_out.model, columns, weights, threshold)

    def flags(self, steps: Sequence[str]) -> tuple[bool, ...]:
        """Return which steps weigh enough."""
        known = self.vocabulary
        nodes = [known.node(step) if step in known else 0 for step in steps]
        if not nodes:
            return ()
        unseen = ~self.model.shown[nodes]
        scores = self.weights.score(self.model.clues(nodes)[:, self.columns])
        return tuple(bool(flag) for flag in unseen | (scores >= self.threshold))
