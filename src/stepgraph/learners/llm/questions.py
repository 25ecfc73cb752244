"""The question about each step, and the reading of its reply.

The question is the paper's, with our own instructions around it. The reader is strict and counts
everything that it repairs or drops. A reply is usable if it holds a JSON object that maps the step
in question to a list of names. The nearest option replaces an unknown name only if there is no
doubt about it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any

Messages = list[dict[str, str]]
"""A chat in the form of the protocol: role and content of each message."""

NONE = "None of the above"

INSTRUCTIONS = """\
You know well how practical procedures are carried out. A procedure consists of key steps, and \
some of them depend on others. You are shown one key step and the other key steps of the same \
procedure. Choose those without which the current one could not be done properly, whoever does \
it; a step that only happens to come earlier in most cases is not a pre-condition. Choose from \
the list alone and copy the names exactly.

Reply with one JSON object and no other text. Its only key is the current key step, its value \
is the list of the key steps chosen. If there are none, the list is empty."""


@dataclass(frozen=True)
class Question:
    """The question which of the other steps a step needs.

    Parameters
    ----------
    step
        The step in question.
    options
        The other steps of the procedure. They are in alphabetical order, as in the paper's example.
        The order of a vocabulary often is that of the recordings and would give the answer away.

    Examples
    --------
    >>> print(Question("mix", ("pour milk", "crack egg")).messages[-1]["content"])
    Which of the following key steps is a pre-condition for the current key step "mix"?
    <BLANKLINE>
    - crack egg
    - pour milk
    - None of the above
    <BLANKLINE>
    Answer in this form: {"mix": [...]}
    """

    step: str
    options: tuple[str, ...]

    def __post_init__(self) -> None:
        ordered = sorted(self.options, key=lambda name: (name.casefold(), name))
        object.__setattr__(self, "options", tuple(ordered))

    @property
    def messages(self) -> Messages:
        """The chat that asks the question."""
        listed = "\n".join(f"- {name}" for name in (*self.options, NONE))
        form = f"{{{json.dumps(self.step, ensure_ascii=False)}: [...]}}"
        prompt = (
            "Which of the following key steps is a pre-condition for the current key step "
            f'"{self.step}"?\n\n{listed}\n\nAnswer in this form: {form}'
        )
        return [
            {"role": "system", "content": INSTRUCTIONS},
            {"role": "user", "content": prompt},
        ]


LEAST_LIKENESS = 0.85
"""Minimum similarity of a misspelled name to an option."""

LEAST_LEAD = 0.1
"""Minimum lead in similarity of the nearest option over the second nearest."""

MOST_OBJECTS = 1000
"""Maximum number of places to search for JSON, counted from the end of the reply."""

MOST_NAMES = 1000
"""Longest list of names to read; each name is compared with every option."""

_OBJECT = re.compile(r'\{\s*"')
_NOTHING = (NONE.casefold(), "none")
_AROUND_NAMES = " \t\r\n.,;:\"'`*-•"
_REFUSAL = re.compile(
    r"\b(i['\u2019]?m sorry|i am sorry|i apologi[sz]e|as an ai\b"
    r"|(can ?not|can['\u2019]t|won['\u2019]t|unable to) "
    r"(help|assist|answer|comply|provide|do that|fulfil))",
    re.IGNORECASE,
)


class Outcome(StrEnum):
    """The outcome of a question."""

    USABLE = "usable"
    REFUSED = "refused"
    RUBBISH = "rubbish"


@dataclass(frozen=True)
class Answer:
    """The content of a reply about one step.

    Parameters
    ----------
    outcome
        Whether the reply is usable.
    preconditions
        The steps that it names, each once, all of them options of the question.
    dug_out
        Whether the JSON stood inside other text.
    corrected
        Misspelled names, each with the option that replaced it.
    unknown
        Names that match no option and were dropped.
    itself
        Whether the step was named as its own precondition, which was dropped.
    """

    outcome: Outcome
    preconditions: tuple[str, ...] = ()
    dug_out: bool = False
    corrected: tuple[tuple[str, str], ...] = ()
    unknown: tuple[str, ...] = ()
    itself: bool = False


def read_answer(text: str, question: Question, *, refused: bool = False) -> Answer:
    """Read a reply.

    Parameters
    ----------
    text
        The reply.
    question
        The question.
    refused
        Whether the endpoint itself marked the reply as a refusal.

    Examples
    --------
    >>> question = Question("mix", ("crack egg", "pour milk"))
    >>> read_answer('Sure! {"mix": ["crack eggs"]}', question).corrected
    (('crack eggs', 'crack egg'),)
    """
    names, dug_out = _stated(text, question)
    if refused or (names is None and _REFUSAL.search(text)):
        return Answer(Outcome.REFUSED)
    if names is None:
        return Answer(Outcome.RUBBISH)
    found: dict[str, None] = {}
    corrected: dict[tuple[str, str], None] = {}
    unknown: dict[str, None] = {}
    nothing = False
    for name in names:
        match = _match(name, (question.step, *question.options))
        if match is None and _fold(name) in _NOTHING:
            nothing = True
        elif match is None:
            unknown[name] = None
        else:
            found[match] = None
            if match != name and match != question.step:
                corrected[name, match] = None
    itself = question.step in found
    found.pop(question.step, None)
    # Steps beside 'None of the above' contradict it, and a list without any option says nothing
    # about the step. Neither may pass for knowledge.
    usable = not found if nothing else bool(found) or not names
    return Answer(
        Outcome.USABLE if usable else Outcome.RUBBISH,
        tuple(found) if usable else (),
        dug_out=dug_out,
        corrected=tuple(corrected),
        unknown=tuple(unknown),
        itself=itself,
    )


def _stated(text: str, question: Question) -> tuple[list[str] | None, bool]:
    """Return the names that a reply gives, and whether its JSON stood inside other text."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        pass
    else:
        return _names(whole, question), False
    # A model that thinks aloud ends with its answer, so the last object counts.
    for content in reversed(list(_objects(text))):
        names = _names(content, question)
        if names is not None:
            return names, True
    return None, False


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Give the JSON objects inside a text, in their order."""
    decoder = json.JSONDecoder()
    end = 0
    for begin in [match.start() for match in _OBJECT.finditer(text)][-MOST_OBJECTS:]:
        if begin < end:
            continue  # part of the one before
        try:
            content, end = decoder.raw_decode(text, begin)
        except RecursionError:
            return
        except ValueError:
            continue
        yield content


def _names(content: Any, question: Question) -> list[str] | None:
    """Return the names that a JSON value gives for the step in question."""
    if not isinstance(content, dict) or len(content) != 1:
        return None
    ((step, names),) = content.items()
    if _match(step, (question.step, *question.options)) != question.step:
        return None
    if isinstance(names, str):
        names = [names]
    if not isinstance(names, list) or len(names) > MOST_NAMES:
        return None
    if not all(isinstance(name, str) for name in names):
        return None
    return names


def _match(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is meant, or None where there is doubt."""
    known = tuple(known)
    if name in known:
        return name
    folded = _fold(name)
    same = [candidate for candidate in known if _fold(candidate) == folded]
    if same:
        return same[0] if len(same) == 1 else None
    ranked = sorted(
        ((_likeness(folded, _fold(candidate)), candidate) for candidate in known), reverse=True
    )
    (best, nearest), (second, _) = (*ranked, (0.0, ""))[:2]
    return nearest if best >= LEAST_LIKENESS and best - second >= LEAST_LEAD else None


def _likeness(one: str, other: str) -> float:
    # 'step 3' is no misspelling of 'step 1', however alike they look.
    if re.findall(r"\d+", one) != re.findall(r"\d+", other):
        return 0.0
    # Skips very long names, which would only cost time.
    if len(one) > 2 * len(other) + 20:
        return 0.0
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _fold(name: str) -> str:
    return " ".join(name.casefold().split()).strip(_AROUND_NAMES)
