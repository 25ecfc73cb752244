"""Online mistake detection: the splits to learn from and to watch, and every method and control."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.datasets.assembly101 import read_assembly101_o
from benchmarks.datasets.directory import data_directory, data_file
from benchmarks.datasets.epic_tent import read_epic_tent_o
from benchmarks.datasets.recognition import RECOGNISERS, read_recognition, recognition_file
from benchmarks.detection import score_flags
from benchmarks.graphs.captaincook4d import NARROW
from benchmarks.harness import MissingDataError
from benchmarks.mistakes.detectors import (
    ALWAYS_CORRECT,
    ALWAYS_MISTAKE,
    CLUES,
    AlwaysBefore,
    AtRandom,
    Detector,
    FromPosition,
    GraphRule,
    LeftOut,
    SimulatedSegments,
    UnseenStep,
    WeighedClues,
)
from benchmarks.mistakes.detectors.next_step import LanguageModelForecast
from benchmarks.mistakes.detectors.uncertain import UncertainRule
from stepgraph.graph import TaskGraph
from stepgraph.learners import LEARNERS
from stepgraph.pipeline import LearningOptions, learn, learn_together
from stepgraph.sequences import Demonstrations, Vocabulary

SPLITS: Mapping[str, tuple[str, str]] = {
    "assembly101-o": ("Assembly101-O", "assembly101"),
    "epic-tent-o": ("EPIC-Tent-O", "epic-tent"),
}
"""The data sets by the names that users type: their own name and their folder."""

Recordings = tuple[tuple[str, ...], ...]
"""Step names, one tuple for each recording; the last step of each is the mistake."""


@dataclass(frozen=True)
class MistakeSplit:
    """One data set.

    Parameters
    ----------
    name
        What users type.
    title
        Its own name.
    train
        Recordings without mistakes, their vocabulary all steps of the data set.
    watched
        The test recordings by segments: 'true' and each recogniser that has a file.
    notes
        What was repaired or is missing.
    """

    name: str
    title: str
    train: Demonstrations
    watched: Mapping[str, Recordings]
    notes: tuple[str, ...] = ()


def read_split(name: str, data: str | Path | None) -> MistakeSplit:
    """Read a data set and what recognisers saw of its test half.

    Parameters
    ----------
    name
        One of `SPLITS`.
    data
        The data directory, as for every benchmark.

    Raises
    ------
    MissingDataError
        If the annotations are not there; a missing recogniser's file is only noted.
    """
    title, folder = SPLITS[name]
    directory = data_directory(data, needs=(folder,))
    notes: list[str] = []
    train: Demonstrations
    test: Demonstrations
    if name == "assembly101-o":
        data_file(directory, folder, "annotations")
        assembly = read_assembly101_o(directory / folder)
        train, test = assembly.train, assembly.test
    else:
        data_file(directory, folder, "Synchronised_action_label.txt")
        tent = read_epic_tent_o(directory / folder)
        train, test = tent.train, tent.test
        notes.append(
            f"{len(tent.notes) - 1} lines of the raw labels have known defects and were repaired "
            "or left out, as the benchmark's authors do; docs/data.md lists them"
        )
    watched: dict[str, Recordings] = {"true": tuple(test.names(s) for s in test)}
    for recogniser in RECOGNISERS:
        try:
            path = data_file(directory, "recognition", recognition_file(name, recogniser))
        except MissingDataError as error:
            notes.append(f"{recogniser} was left out: {error}")
            continue
        seen = read_recognition(path, train.vocabulary)
        wanted = {recording.id for recording in test}
        own = [recording for recording in seen if recording.id in wanted]
        if not own:
            notes.append(f"{recogniser} was left out: {path} has no recording of the test half")
            continue
        watched[recogniser] = tuple(seen.names(recording.recognised) for recording in own)
        if len(own) < len(test):
            notes.append(f"{recogniser}'s file has {len(own)} of the {len(test)} recordings")
        if len(own) < len(seen):
            notes.append(
                f"{recogniser}'s file has {len(seen) - len(own)} recordings that are not of the "
                "test half; left out"
            )
    return MistakeSplit(name, title, train, watched, tuple(notes))


def seen_only(demonstrations: Demonstrations) -> Demonstrations:
    """Return the recordings with a vocabulary of the steps that they show, as the paper does."""
    words = demonstrations.vocabulary
    return Demonstrations.from_steps(
        {recording.id: demonstrations.names(recording) for recording in demonstrations},
        procedure=demonstrations.procedure,
        vocabulary=Vocabulary(tuple(words.name(node) for node in sorted(demonstrations.seen))),
    )


EXPECTED_NOISE = 0.2
"""How noisy recognised segments are expected to be: what the paper's Figure 5 calls moderate."""


@dataclass
class Workshop:
    """Makes detectors from the training half, and keeps what several of them share.

    Parameters
    ----------
    split
        The data set.
    """

    split: MistakeSplit
    _seen: Demonstrations | None = None
    _left_out: LeftOut | None = None
    _detectors: dict[str, Detector] = field(default_factory=dict)
    _simulated: dict[tuple[float, int], SimulatedSegments] = field(default_factory=dict)

    @property
    def seen(self) -> Demonstrations:
        """The training recordings, their vocabulary only what they show."""
        if self._seen is None:
            self._seen = seen_only(self.split.train)
        return self._seen

    def graph_rule(self, learner: str, seed: int) -> Detector:
        """Return the paper's rule with a learner's graph, its settings the defaults."""
        settings = {"repetitions": "augment"} if learner == "do" else {}
        return self._rule(LearningOptions(learner, settings, seed), self.seen)

    def paper_rule(self, learner: str, seed: int, **settings: Any) -> Detector:
        """Return the paper's rule with the graph of the paper's preset for this data set."""
        preset = f"paper-{self.split.name}"
        return self._rule(LearningOptions(learner, settings, seed, preset=preset), self.split.train)

    def _rule(self, options: LearningOptions, given: Demonstrations) -> Detector:
        """Return the paper's rule with a learned graph; it knows no optional steps."""
        key = repr(options)
        if key not in self._detectors:
            (learning,) = learn_together([given], options)
            graph = TaskGraph(learning.graph.steps, learning.graph.edges)
            self._detectors[key] = GraphRule(graph)
        return self._detectors[key]

    def default_rule(self) -> Detector:
        """Return the paper's rule with the graph and step attributes that users get."""
        if "" not in self._detectors:
            self._detectors[""] = GraphRule(learn(self.seen))
        return self._detectors[""]

    def weighed(self, clues: tuple[str, ...], segments: str, seed: int) -> Detector:
        """Return clues weighed on simulated mistakes, noisy where segments are recognised."""
        noise = 0.0 if segments == "true" else EXPECTED_NOISE
        if self._left_out is None:
            self._left_out = LeftOut.of(self.split.train)
        if (noise, seed) not in self._simulated:
            drawn = SimulatedSegments.draw(self._left_out, noise=noise, seed=seed)
            self._simulated[noise, seed] = drawn
        return WeighedClues.fit(self._left_out, self._simulated[noise, seed], clues)


Make = Callable[[Workshop, str, int], Detector]


@dataclass(frozen=True)
class MistakeMethod:
    """A method of the table.

    Parameters
    ----------
    about
        What it does, in one line.
    make
        Makes its detector from a workshop, for the kind of segments, with a seed.
    control
        Whether it is a control.
    seeded
        Whether it draws at random.
    draws
        How many draws stand for each seed asked for: more where a draw is quick and says little.
    preset
        Whether it follows the paper's preset, so that its figures are compared seed by seed.
    slow
        Whether it takes minutes, and so runs only where it is named.
    most_seeds
        Maximum number of seeds, whatever is asked for; 0 for no limit.
    """

    about: str
    make: Make
    control: bool = False
    seeded: bool = False
    draws: int = 1
    preset: bool = False
    slow: bool = False
    most_seeds: int = 0

    def seeds(self, count: int) -> range:
        """Return the seeds of some runs."""
        if not self.seeded:
            return range(1)
        return range(min(count, self.most_seeds or count) * self.draws)


def _graph(name: str) -> MistakeMethod:
    return MistakeMethod(
        f"preconditions in the graph of {name}",
        lambda workshop, _, seed: workshop.graph_rule(name, seed),
        seeded=name == "do",
    )


NARROW_BY_DATA: Mapping[str, dict[str, Any]] = {
    # Full attention among the pairs of 88 nodes takes hours.
    "assembly101-o": {**NARROW, "all_pairs_up_to": 48},
    "epic-tent-o": {**NARROW, "learning_rate": 15 * NARROW["learning_rate"]},
}
"""Settings that overrule the paper's presets of the transformer; EPIC-Tent-O's learning rate is 15
times the other's, as in the paper's configuration."""


def _preset(about: str, learner: str, **settings: Any) -> MistakeMethod:
    return MistakeMethod(
        about,
        lambda workshop, _, seed: workshop.paper_rule(learner, seed, **settings),
        seeded=True,
        preset=True,
    )


def _weighed(about: str, *clues: str) -> MistakeMethod:
    return MistakeMethod(
        about,
        lambda workshop, segments, seed: workshop.weighed(clues, segments, seed),
        seeded=True,
    )


def _uncertain(workshop: Workshop, segments: str, seed: int) -> Detector:
    rule = workshop.graph_rule("intersection", seed)
    if segments == "true" or not isinstance(rule, GraphRule):
        return rule
    recordings = [workshop.seen.names(recording) for recording in workshop.seen]
    return UncertainRule.learn(rule.graph, recordings, EXPECTED_NOISE, seed=seed)


def _before(share: float) -> Make:
    return lambda workshop, *_: AlwaysBefore.learn(workshop.split.train, share)


def _asking(workshop: Workshop, segments: str, seed: int) -> Detector:  # noqa: ARG001
    return LanguageModelForecast.learn(workshop.split.train)


def best_position(recordings: Recordings) -> FromPosition:
    """Return the position control with the best average F1 on the very recordings judged."""
    longest = max(map(len, recordings))
    rules = [FromPosition(first) for first in range(1, longest + 2)]
    return max(rules, key=lambda rule: score_flags([rule.flags(s) for s in recordings]).f1_average)


METHODS: Mapping[str, MistakeMethod] = MappingProxyType(
    {
        **{name: _graph(name) for name, entry in LEARNERS.items() if not entry.needs_files},
        "do-paper": _preset(
            "Direct Optimization by the paper's preset for the data set, stopped early", "do"
        ),
        "do-paper-1200": _preset(
            "the same for 1,200 epochs: the paper's graph for true segments of Assembly101-O",
            "do",
            stopping="never",
        ),
        "tgt-text-paper": MistakeMethod(
            "the transformer by the paper's preset for the data set, narrower, with the embeddings "
            "at hand",
            lambda workshop, _, seed: workshop.paper_rule(
                "tgt-text", seed, **NARROW_BY_DATA[workshop.split.name]
            ),
            seeded=True,
            preset=True,
            slow=True,
            most_seeds=1,
        ),
        "stepgraph-default": MistakeMethod(
            "what stepgraph.learn gives by default: robust's graph, with optional steps respected",
            lambda workshop, *_: workshop.default_rule(),
        ),
        "always-before": MistakeMethod(
            "what came before in every recording with the step must have been done", _before(1.0)
        ),
        "always-before-90": MistakeMethod("the same, in 90 % of the recordings", _before(0.9)),
        "uncertain": MistakeMethod(
            "the intersection's graph; for recognised segments, behind a recogniser that errs",
            _uncertain,
            seeded=True,
        ),
        "next-step": _weighed("PREGO-style: flags what an n-gram model did not predict", "next"),
        "next-step-llm": MistakeMethod(
            "PREGO-style: flags what a language model did not predict", _asking
        ),
        "weighed-order": _weighed(
            "how firmly an order is broken, too early or too late", *CLUES[:2]
        ),
        "weighed-progress": _weighed("how much is done, and whether a step is new", *CLUES[3:]),
        "weighed-steps": _weighed("order, forecast and repetition together", *CLUES[:4]),
        "weighed-all": _weighed("order, forecast, repetition and progress together", *CLUES),
        "unseen-step": MistakeMethod(
            "control: only what no training recording shows",
            lambda workshop, *_: UnseenStep.learn(workshop.split.train),
            control=True,
        ),
        "position": MistakeMethod(
            "control, an oracle: from the k-th segment on, k the best on the test recordings",
            lambda workshop, segments, _: best_position(workshop.split.watched[segments]),
            control=True,
        ),
        "position-training": MistakeMethod(
            "control: from half the mean length of a training recording on",
            lambda workshop, *_: FromPosition.half_way(workshop.split.train),
            control=True,
        ),
        "at-random": MistakeMethod(
            "control: as many segments as there are mistakes to be expected, drawn at random",
            lambda workshop, _, seed: AtRandom.once_a_recording(workshop.split.train, seed),
            control=True,
            seeded=True,
            draws=100,
        ),
        "always-correct": MistakeMethod(
            "control: no segment is a mistake", lambda *_: ALWAYS_CORRECT, control=True
        ),
        "always-mistake": MistakeMethod(
            "control: every segment is", lambda *_: ALWAYS_MISTAKE, control=True
        ),
    }
)
"""All methods by name, controls last."""
