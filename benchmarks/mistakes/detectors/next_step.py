"""Which step comes next, as PREGO-style detectors ask: an n-gram model, or a language model.

In the n-gram model a context that was seen shares its chance with the shorter one it backs off
to, by the number of different steps that followed it (Witten and Bell). No step has the chance 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from stepgraph.errors import SettingError
from stepgraph.learners.llm.cache import Cache, DamagedError
from stepgraph.learners.llm.client import Client, Reply
from stepgraph.learners.llm.endpoint import find_cache, find_endpoint
from stepgraph.learners.llm.questions import Messages, Outcome, Question, read_answer
from stepgraph.sequences import Demonstrations

LONGEST = 4
"""The largest n that is tried."""

_BEFORE_FIRST = 0


@dataclass(frozen=True)
class NextStepModel:
    """Chances of the next step after a history, from node numbers.

    Parameters
    ----------
    counts
        What followed each context of up to n - 1 steps, the empty one included.
    n
        How many steps are looked at, the next one included.
    size
        How many steps there are.
    """

    counts: dict[tuple[int, ...], Counter[int]]
    n: int
    size: int

    @classmethod
    def learn(cls, sequences: Sequence[Sequence[int]], size: int, n: int) -> NextStepModel:
        """Count what follows what.

        Raises
        ------
        SettingError
            If n is below 1.
        """
        if n < 1:
            raise SettingError(f"n is {n}; expected 1 or more")
        counts: dict[tuple[int, ...], Counter[int]] = {}
        for steps in sequences:
            padded = (*(_BEFORE_FIRST,) * (n - 1), *steps)
            for place, step in enumerate(steps):
                for length in range(n):
                    context = padded[place + n - 1 - length : place + n - 1]
                    counts.setdefault(tuple(context), Counter())[step] += 1
        return cls(counts, n, size)

    def probability(self, step: int, history: Sequence[int]) -> float:
        """Return the chance that a step comes next.

        Examples
        --------
        >>> model = NextStepModel.learn([(1, 2), (1, 2), (2, 1)], size=3, n=2)
        >>> model.probability(2, [1]) > model.probability(1, [1]) > model.probability(3, [1]) > 0
        True
        """
        recent = [_BEFORE_FIRST] * (self.n - 1) + list(history[max(len(history) - self.n + 1, 0) :])
        everything = self.counts.get((), Counter())
        chance = (everything[step] + 0.5) / (everything.total() + 0.5 * self.size)
        for length in range(1, self.n):
            followers = self.counts.get(tuple(recent[len(recent) - length :]))
            if followers is None:
                break
            kinds = len(followers)
            chance = (followers[step] + kinds * chance) / (followers.total() + kinds)
        return chance


def choose_n(sequences: Sequence[Sequence[int]], size: int, longest: int = LONGEST) -> int:
    """Return the n whose model, learned from all recordings but one, forecasts that one best.

    Parameters
    ----------
    sequences
        The recordings.
    size
        How many steps there are.
    longest
        The largest n to try.
    """

    def left_out(n: int) -> float:
        total = 0.0
        for number, steps in enumerate(sequences):
            others = [*sequences[:number], *sequences[number + 1 :]]
            model = NextStepModel.learn(others, size, n)
            for place, step in enumerate(steps):
                total += math.log(model.probability(step, steps[:place]))
        return total

    return max(range(1, longest + 1), key=left_out)


SHOWN = 20
"""How many recordings the model is shown."""
PARALLEL = 4
_KEY = "next key step"

INSTRUCTIONS = """\
You watch somebody carry out a procedure. You are shown how others carried it out without a \
mistake, one line each, and what this person has done so far. Name every key step that may come \
next if no mistake is made. Choose from the list alone and copy the names exactly.

Reply with one JSON object and no other text, in the form that is asked for."""


@dataclass(frozen=True)
class LanguageModelForecast:
    """A step is a mistake if a language model did not expect it, or if no recording shows it.

    A reply that cannot be used expects everything: it flags nothing.

    Parameters
    ----------
    steps
        The steps that recordings show.
    recordings
        The recordings that the model is shown, by step names.
    client, cache
        Whom to ask, and where replies are kept.
    """

    steps: tuple[str, ...]
    recordings: tuple[tuple[str, ...], ...]
    client: Client
    cache: Cache

    @classmethod
    def learn(
        cls,
        demonstrations: Demonstrations,
        *,
        base_url: str = "",
        model: str = "",
        key: str = "",
        cache: str | Path = "",
    ) -> LanguageModelForecast:
        """Prepare to ask; nothing is asked yet.

        Parameters
        ----------
        demonstrations
            Recordings without mistakes.
        base_url, model, key, cache
            As for the learner `llm`; the environment says what is empty.

        Raises
        ------
        SettingError
            If no endpoint or model is known.
        FileError
            If the folder of the cache cannot be made.
        """
        endpoint = find_endpoint(base_url, model, key)
        kept = Cache(find_cache(cache), endpoint.model, 0.0)
        kept.open()
        words = demonstrations.vocabulary
        return cls(
            tuple(words.name(node) for node in sorted(demonstrations.seen)),
            tuple(demonstrations.names(recording) for recording in demonstrations)[:SHOWN],
            Client(endpoint.base_url, endpoint.model, endpoint.key),
            kept,
        )

    def flags(self, steps: Sequence[str]) -> tuple[bool, ...]:
        """Return which steps the model did not expect, asking before each.

        Raises
        ------
        SettingError, InputError
            If the endpoint refuses, or gives no reply.
        """
        with ThreadPoolExecutor(PARALLEL, thread_name_prefix="stepgraph-llm") as pool:
            # What is asked about a step holds only what was done before it.
            return tuple(pool.map(lambda place: self._flag(steps, place), range(len(steps))))

    def _flag(self, steps: Sequence[str], place: int) -> bool:
        if steps[place] not in self.steps:
            return True
        messages = self._messages(steps[:place])
        reply = self._reply(messages)
        answer = read_answer(reply.text, Question(_KEY, self.steps), refused=reply.refused)
        return answer.outcome is Outcome.USABLE and steps[place] not in answer.preconditions

    def _reply(self, messages: Messages) -> Reply:
        try:
            kept = self.cache.load(messages)
        except DamagedError:
            kept = None
        if kept is not None:
            return kept
        reply = self.client.ask(messages)
        self.cache.save(messages, reply)
        return reply

    def _messages(self, history: Sequence[str]) -> Messages:
        others = "\n".join(", ".join(recording) for recording in self.recordings)
        done = ", ".join(history) if history else "nothing yet"
        listed = "\n".join(f"- {step}" for step in self.steps)
        request = (
            f"Recordings without a mistake:\n{others}\n\nThe key steps:\n{listed}\n\n"
            f'Done so far: {done}\n\nAnswer in this form: {{"{_KEY}": [...]}}'
        )
        return [
            {"role": "system", "content": INSTRUCTIONS},
            {"role": "user", "content": request},
        ]
