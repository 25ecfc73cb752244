"""Clues weighed against each other, on mistakes simulated in the training recordings.

Each recording in turn is left out: clues are learned from the others, it is cut at simulated
mistakes, and the weights and the threshold are those that tell these mistakes best. Nothing
but recordings without mistakes is needed, and no recording is judged by what it taught.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.detectors.clues import CLUES, ClueModel, Floats
from benchmarks.detectors.next_step import choose_n
from benchmarks.detectors.simulation import merged, perturb, with_mistakes
from benchmarks.detectors.weighing import Weights, best_threshold, fit_weights
from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.sequences import Demonstrations, Vocabulary

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
        One row a segment, all of `CLUES`.
    unseen, mistake
        Whether nobody else did the step, and whether it is the mistake.
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
