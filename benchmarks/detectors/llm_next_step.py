"""Which steps may come next, asked of a language model: PREGO's own way of forecasting.

The model is shown recordings without mistakes and the steps done so far. A step that it did not
name is a mistake. Replies are kept in the cache that the learner `llm` uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from stepgraph.learners.llm.answers import Outcome, read_answer
from stepgraph.learners.llm.cache import Cache, DamagedError
from stepgraph.learners.llm.client import Client, Reply
from stepgraph.learners.llm.endpoint import find_cache, find_endpoint
from stepgraph.learners.llm.question import Messages, Question
from stepgraph.sequences import Demonstrations

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
        asked = (
            f"Recordings without a mistake:\n{others}\n\nThe key steps:\n{listed}\n\n"
            f'Done so far: {done}\n\nAnswer in this form: {{"{_KEY}": [...]}}'
        )
        return [
            {"role": "system", "content": INSTRUCTIONS},
            {"role": "user", "content": asked},
        ]
