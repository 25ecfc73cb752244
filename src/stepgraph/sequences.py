"""Key-steps in order: vocabularies, recordings and demonstrations.

A `Vocabulary` names the key-steps of one procedure, a `KeyStepSequence` is one recording,
`Demonstrations` are all recordings of the procedure. Everything here is immutable. This module
defines the placeholders START and END.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from stepgraph.errors import FormatError, InputError, UnknownNameError

START = "START"
END = "END"
SKIPPED = "skipped steps"
"""The mark of a recording that leaves out steps."""


@dataclass(frozen=True)
class Vocabulary:
    """The key-steps of one procedure, by name, in a fixed order.

    Every key-step has a node number: START is 0, the steps are 1 to n, END is n + 1, as
    K_0 ... K_{n+1} in the paper.

    Parameters
    ----------
    steps
        The names, without START and END.

    Raises
    ------
    FormatError
        If a name is not a text, is empty, comes twice, or is START or END.

    Examples
    --------
    >>> words = Vocabulary(("crack egg", "mix"))
    >>> words.nodes
    ('START', 'crack egg', 'mix', 'END')
    >>> words.node("mix")
    2
    """

    steps: tuple[str, ...]
    nodes: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """All node names, in node order: START, the steps, END."""
    _nodes: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))
        nodes = {START: 0}
        for number, name in enumerate(self.steps, start=1):
            if not _is_name(name):
                raise FormatError(f"step {number} has the name {name!r}; expected a text")
            if name in (START, END):
                raise FormatError(
                    f"a step is called {name!r}; START and END are added by stepgraph, "
                    "leave them out or rename the step"
                )
            if name in nodes:
                raise FormatError(f"the step {name!r} is listed twice; step names must differ")
            nodes[name] = number
        nodes[END] = len(self.steps) + 1
        object.__setattr__(self, "nodes", tuple(nodes))
        object.__setattr__(self, "_nodes", nodes)

    def __len__(self) -> int:
        return len(self.steps)

    def __contains__(self, name: object) -> bool:
        return name in self._nodes and name not in (START, END)

    @property
    def end(self) -> int:
        """The node number of END."""
        return len(self.steps) + 1

    def node(self, name: str) -> int:
        """Return the node number of a step, START or END.

        Raises
        ------
        UnknownNameError
            If there is no such step; the message names the nearest ones.
        """
        try:
            return self._nodes[name]
        except KeyError:
            raise UnknownNameError("step", name, self.steps) from None

    def name(self, node: int) -> str:
        """Return the name of a node."""
        return self.nodes[node]


def step_names(steps: object, vocabulary: Vocabulary) -> list[str]:
    """Check the step names of one recording and return them as a list.

    Raises
    ------
    InputError
        If the value is a text or holds anything but names.
    """
    if isinstance(steps, str) and (
        steps in vocabulary or not any(letter in vocabulary for letter in steps)
    ):
        expected = f": [{steps!r}]" if steps in vocabulary else ""
        raise InputError(f"the steps are the text {steps!r}; expected a list of names{expected}")
    if isinstance(steps, Iterable) and not isinstance(steps, Demonstrations | KeyStepSequence):
        names = list(steps)
        if all(isinstance(name, str) for name in names):
            return names
    raise InputError(
        f"the steps are {_called(steps)}; expected the names of one "
        "recording's steps, as demonstrations.names(recording) gives them"
    )


def expect_demonstrations(given: object, who: str) -> None:
    """Check that a value is `Demonstrations`.

    Parameters
    ----------
    given
        The value.
    who
        The function that received it, for the message.

    Raises
    ------
    InputError
        If it is not, such as the name of a file.
    """
    if not isinstance(given, Demonstrations):
        raise InputError(
            f"{who} got {_called(given)}; expected Demonstrations, as "
            "read_demonstrations(FILE).only() gives them"
        )


def _called(value: object) -> str:
    """Return a value for a message: recordings and graphs by their kind."""
    plain = isinstance(value, str | int | float | list | tuple | dict | None)
    return f"{value!r:.60}" if plain else f"a {type(value).__name__}"


@dataclass(frozen=True)
class KeyStepSequence:
    """One recording: its key-steps in the order done.

    Parameters
    ----------
    id
        The name of the recording.
    steps
        Node numbers in a vocabulary, in the order done; steps may repeat.
    starts, ends
        The start and end of each step in seconds, if known.
    mistakes
        For each step the annotator's mark, or None if it was done right; None instead of the tuple
        if nobody checked the recording.
    skipped
        Node numbers of the steps that the annotator marked as skipped.
    weight
        Number of equal recordings that it represents.

    Raises
    ------
    FormatError
        If there is no step, a field has another length than `steps`, or the weight is no finite
        number above 0.
    """

    id: str
    steps: tuple[int, ...]
    starts: tuple[float, ...] | None = None
    ends: tuple[float, ...] | None = None
    mistakes: tuple[str | None, ...] | None = None
    skipped: tuple[int, ...] = ()
    weight: float = 1.0

    def __post_init__(self) -> None:
        for name in ("steps", "starts", "ends", "mistakes", "skipped"):
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, tuple(values))
        if not self.steps:
            raise FormatError(
                f"recording {self.id!r} has no steps; a demonstration shows at least one"
            )
        if not (math.isfinite(self.weight) and self.weight > 0):
            raise FormatError(
                f"recording {self.id!r} has the weight {self.weight!r:.40}; "
                "expected a finite number above 0"
            )
        for name in ("starts", "ends", "mistakes"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self.steps):
                raise FormatError(
                    f"recording {self.id!r} has {len(self.steps)} steps and "
                    f"{len(values)} {name}; expected one for each step"
                )

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def has_mistakes(self) -> bool:
        """Whether an annotator marked a mistake or a skipped step."""
        return bool(self.skipped) or any(mark is not None for mark in self.mistakes or ())

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks of the annotator, each once."""
        found = sorted({mark for mark in self.mistakes or () if mark is not None})
        return (*found, *((SKIPPED,) if self.skipped else ()))

    @property
    def has_repetitions(self) -> bool:
        """Whether a step is done more than once."""
        return len(set(self.steps)) < len(self.steps)


@dataclass(frozen=True)
class Demonstrations:
    """All recordings of one procedure.

    Parameters
    ----------
    vocabulary
        The procedure's key-steps; it may hold steps that no recording shows.
    sequences
        The recordings.
    procedure
        The name of the procedure.

    Raises
    ------
    FormatError
        If there is no recording, two share an id, or one refers to a node that is no step.

    Examples
    --------
    >>> demonstrations = Demonstrations.from_steps([["boil", "pour"], ["pour", "boil"]])
    >>> len(demonstrations), demonstrations.vocabulary.steps
    (2, ('boil', 'pour'))
    """

    vocabulary: Vocabulary
    sequences: tuple[KeyStepSequence, ...]
    procedure: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sequences", tuple(self.sequences))
        about = f"procedure {self.procedure!r}" if self.procedure else "these demonstrations"
        if not self.sequences:
            raise FormatError(f"{about}: no recordings; at least one is needed to learn from")
        ids = set()
        for sequence in self.sequences:
            if sequence.id in ids:
                raise FormatError(f"{about}: two recordings are called {sequence.id!r}")
            ids.add(sequence.id)
            for node in (*sequence.steps, *sequence.skipped):
                if not 1 <= node <= len(self.vocabulary):
                    raise FormatError(
                        f"{about}: recording {sequence.id!r} refers to node {node}; "
                        f"expected 1 to {len(self.vocabulary)}"
                    )

    @classmethod
    def from_steps(
        cls,
        recordings: Mapping[str, Sequence[str]] | Iterable[Sequence[str]],
        *,
        procedure: str = "",
        vocabulary: Vocabulary | None = None,
    ) -> Demonstrations:
        """Build demonstrations from lists of step names.

        Parameters
        ----------
        recordings
            Step names in order, one list a recording; a mapping gives each its id.
        procedure
            The name of the procedure.
        vocabulary
            The key-steps; by default the names in order of appearance.

        Raises
        ------
        FormatError
            If a recording is a text with blanks, or a name is invalid. A single word stands for its
            letters, as the paper writes ABCAD.
        """
        if isinstance(recordings, str):
            raise FormatError(
                f"the recordings are the text {recordings!r}; expected lists of step names, or a "
                "mapping from names of recordings to them"
            )
        named: dict[str, Sequence[str]] = (
            dict(recordings)
            if isinstance(recordings, Mapping)
            else {str(number): steps for number, steps in enumerate(recordings, start=1)}
        )
        for id_, steps in named.items():
            # The letters of a text may be steps, as in the paper's ABCAD; blanks hardly are.
            if isinstance(steps, str) and any(letter.isspace() for letter in steps):
                raise FormatError(
                    f"recording {id_!r} is the text {steps!r}; expected a list of step names"
                )
        if vocabulary is None:
            vocabulary = Vocabulary(
                tuple(dict.fromkeys(name for steps in named.values() for name in steps))
            )
        return cls(
            vocabulary,
            tuple(
                KeyStepSequence(id_, tuple(vocabulary.node(name) for name in steps))
                for id_, steps in named.items()
            ),
            procedure,
        )

    def __getstate__(self) -> dict[str, object]:
        # Pickles leave out the cached properties.
        return {name: getattr(self, name) for name in ("vocabulary", "sequences", "procedure")}

    def __len__(self) -> int:
        return len(self.sequences)

    def __iter__(self) -> Iterator[KeyStepSequence]:
        return iter(self.sequences)

    @cached_property
    def total_weight(self) -> float:
        """Number of recordings, with equal ones counted each."""
        return math.fsum(sequence.weight for sequence in self.sequences)

    @cached_property
    def seen(self) -> frozenset[int]:
        """The nodes that some recording shows."""
        return frozenset().union(*(sequence.steps for sequence in self.sequences))

    @property
    def unseen_steps(self) -> tuple[str, ...]:
        """The steps of the vocabulary that no recording shows."""
        seen = self.seen
        return tuple(name for node, name in enumerate(self.vocabulary.steps, 1) if node not in seen)

    def names(self, sequence: KeyStepSequence) -> tuple[str, ...]:
        """Return a recording's steps by name."""
        return tuple(self.vocabulary.name(node) for node in sequence.steps)

    def without_marked_mistakes(self) -> Demonstrations:
        """Return only the recordings without a marked mistake.

        Raises
        ------
        FormatError
            If every recording has one.
        """
        return replace(self, sequences=tuple(s for s in self.sequences if not s.has_mistakes))


def in_words(recordings: float) -> str:
    """Return a number of recordings as a note shows it; weights may be fractions.

    Examples
    --------
    >>> in_words(1000000.0), in_words(2.5)
    ('1000000', '2.50')
    """
    return f"{recordings:.0f}" if float(recordings).is_integer() else f"{recordings:.2f}"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
