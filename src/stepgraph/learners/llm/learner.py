"""The learner `llm`: asks about every step, several at a time, and caches the answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from stepgraph.errors import InputError, SettingError
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.learners.base import (
    Learned,
    Learner,
    Progress,
    check_number,
    check_whole,
    no_progress,
)
from stepgraph.learners.llm.cache import Cache, DamagedError
from stepgraph.learners.llm.client import Client, Reply
from stepgraph.learners.llm.endpoint import find_cache, find_endpoint
from stepgraph.learners.llm.questions import Answer, Outcome, Question, read_answer
from stepgraph.sequences import Demonstrations

LONGEST_TIMEOUT = 86_400.0


@dataclass(frozen=True)
class LanguageModel(Learner):
    """Asks a language model about each step, at any OpenAI-compatible endpoint.

    Each precondition that the model names weighs 1; a step without any needs only START. The
    recordings only say which steps there are.

    Parameters
    ----------
    base_url
        The address of the endpoint; if empty, STEPGRAPH_LLM_URL or OPENAI_BASE_URL.
    model
        The model's name there; if empty, STEPGRAPH_LLM_MODEL.
    key
        The key; if empty, STEPGRAPH_LLM_KEY or OPENAI_API_KEY. Prefer these, because other users
        can see a command line. stepgraph never writes the key.
    parallel
        Maximum number of open questions.
    timeout
        Maximum seconds for one attempt as a whole.
    retries
        Maximum number of retries after a temporary fault.
    temperature
        The sampling temperature of the model.
    cache
        The folder that keeps the answers; if empty, STEPGRAPH_CACHE or ~/.cache/stepgraph/llm.
    """

    name: ClassVar[str] = "llm"

    base_url: str = ""
    model: str = ""
    key: str = field(default="", repr=False, metadata={"secret": True})
    parallel: int = 4
    timeout: float = 60.0
    retries: int = 4
    temperature: float = 0.0
    cache: str | Path = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        for setting in ("base_url", "model", "cache"):
            value = getattr(self, setting)
            kinds = (str, Path) if setting == "cache" else (str,)
            if not isinstance(value, kinds) or "\0" in str(value):
                raise SettingError(f"{setting} is {value!r}; expected a text")
        if not isinstance(self.key, str):
            raise SettingError(f"key is of the type {type(self.key).__name__}; expected a text")
        check_whole("parallel", self.parallel, low=1)
        check_number("timeout", self.timeout, low=0, above=True)
        if self.timeout > LONGEST_TIMEOUT:
            raise SettingError(
                f"timeout is {self.timeout!r}; expected at most {LONGEST_TIMEOUT:g} seconds"
            )
        check_whole("retries", self.retries, low=0)
        check_number("temperature", self.temperature, low=0)

    def learn(self, demonstrations: Demonstrations, *, seed: int = 0) -> Learned:  # noqa: ARG002
        """Ask about the steps of one procedure; the seed changes nothing."""
        return self.learn_many([demonstrations])[0][0]

    def learn_many(
        self,
        procedures: Sequence[Demonstrations],
        *,
        seeds: Sequence[int] = (0,),
        progress: Progress = no_progress,
    ) -> list[list[Learned]]:
        """Ask about the steps of all procedures at once.

        Raises
        ------
        SettingError
            If no endpoint or model is given, or the endpoint refuses the key.
        FileError
            If an answer cannot be saved.
        InputError
            If the endpoint does not reply, or no reply about a procedure is usable.
        """
        endpoint = find_endpoint(self.base_url, self.model, self.key)
        cache = Cache(find_cache(self.cache), endpoint.model, float(self.temperature))
        client = Client(
            endpoint.base_url,
            endpoint.model,
            endpoint.key,
            temperature=cache.temperature,
            timeout=self.timeout,
            retries=self.retries,
        )
        questions_of = [_questions(demonstrations) for demonstrations in procedures]
        replies = _Replies(client, cache)
        replies.collect(
            [q for questions in questions_of for q in questions], self.parallel, progress
        )
        return [
            [_learned(demonstrations, replies.report(questions), cache)] * len(seeds)
            for demonstrations, questions in zip(procedures, questions_of, strict=True)
        ]


class _Replies:
    """The replies to all questions of a run, from the cache or from the endpoint."""

    def __init__(self, client: Client, cache: Cache) -> None:
        self._client = client
        self._cache = cache
        self._replies: dict[Question, Reply] = {}
        self._from_cache: set[Question] = set()
        self._damaged: dict[Question, str] = {}

    def collect(self, questions: Sequence[Question], parallel: int, progress: Progress) -> None:
        """Get a reply to each question; ask only those that the cache cannot answer."""
        different = list(dict.fromkeys(questions))
        total = len(different)
        if total:
            self._cache.open()
        for question in different:
            self._look_up(question)
        missing = [question for question in different if question not in self._replies]
        progress(len(self._replies), total, f"asking {self._client.model}")
        if missing:
            self._ask_all(missing, total, parallel, progress)
        progress(total, total, "learned")

    def report(self, questions: Sequence[Question]) -> Report:
        """Return a report about some of the questions."""
        answers = {}
        for question in questions:
            reply = self._replies[question]
            answers[question.step] = read_answer(reply.text, question, refused=reply.refused)
        return Report(
            self._client.model,
            answers,
            sum(question in self._from_cache for question in questions),
            tuple(self._damaged[question] for question in questions if question in self._damaged),
        )

    def _look_up(self, question: Question) -> None:
        try:
            reply = self._cache.load(question.messages)
        except DamagedError as error:
            self._damaged[question] = str(error)
            return
        if reply is not None:
            self._replies[question] = reply
            self._from_cache.add(question)

    def _ask_all(
        self, missing: Sequence[Question], total: int, parallel: int, progress: Progress
    ) -> None:
        pool = ThreadPoolExecutor(min(parallel, len(missing)), thread_name_prefix="stepgraph-llm")
        try:
            pending = {pool.submit(self._ask, question): question for question in missing}
            for future in as_completed(pending):
                question = pending[future]
                self._replies[question] = future.result()
                progress(len(self._replies), total, f"asked about {question.step}")
        except BaseException:
            # Also on Ctrl-C, which would otherwise wait for the requests under way.
            self._client.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _ask(self, question: Question) -> Reply:
        messages = question.messages
        reply = self._client.ask(messages)
        # Saves at once, so that an interrupted run loses no answer.
        self._cache.save(messages, reply)
        return reply


def _questions(demonstrations: Demonstrations) -> list[Question]:
    """Return a question for each step that some recording shows.

    Steps that no recording shows are no options either, because the graph leaves them out. A single
    step needs nothing, so there is no question about it.
    """
    words = demonstrations.vocabulary
    steps = [words.name(node) for node in sorted(demonstrations.seen)]
    if len(steps) < 2:
        return []
    return [Question(step, tuple(name for name in steps if name != step)) for step in steps]


def _learned(demonstrations: Demonstrations, report: Report, cache: Cache) -> Learned:
    """Return the weights that follow from the answers about a procedure."""
    if report.answers and not report.count(Outcome.USABLE):
        about = f"procedure {demonstrations.procedure!r}: " if demonstrations.procedure else ""
        raise InputError(
            f"{about}{report.model} gave no usable answer about any of {len(report.answers)} "
            f"steps ({_unusable(report)}); try another model, or delete its answers in "
            f"{cache.folder} to ask again"
        )
    words = demonstrations.vocabulary
    matrix = np.zeros((len(words) + 2, len(words) + 2))
    for step, answer in report.answers.items():
        for precondition in answer.preconditions:
            matrix[words.node(step), words.node(precondition)] = 1.0
    steps = slice(1, words.end)
    matrix[steps, 0] = ~matrix[steps].any(axis=1)
    return Learned(WeightedAdjacency(words, matrix), report.notes, report.facts)


def _unusable(report: Report) -> str:
    outcomes = (Outcome.REFUSED, Outcome.RUBBISH)
    return ", ".join(f"{report.count(o)} {o}" for o in outcomes if report.count(o))


MOST_SHOWN = 12
LONGEST_NAME = 60


@dataclass(frozen=True)
class Report:
    """The answers about one procedure.

    Parameters
    ----------
    model
        The model's name.
    answers
        The answer about each step.
    from_cache
        Number of answers that came from the cache.
    damaged
        Damaged files of the cache, whose questions were asked again.
    """

    model: str
    answers: Mapping[str, Answer]
    from_cache: int = 0
    damaged: tuple[str, ...] = ()

    def count(self, outcome: Outcome) -> int:
        """Return the number of answers with an outcome."""
        return sum(answer.outcome is outcome for answer in self.answers.values())

    @property
    def facts(self) -> dict[str, float]:
        """The counts as figures."""
        answers = self.answers.values()
        return {
            "questions": len(self.answers),
            "answers_usable": self.count(Outcome.USABLE),
            "answers_refused": self.count(Outcome.REFUSED),
            "answers_rubbish": self.count(Outcome.RUBBISH),
            "answers_from_cache": self.from_cache,
            "answers_dug_out_of_prose": sum(answer.dug_out for answer in answers),
            "names_corrected": sum(len(answer.corrected) for answer in answers),
            "names_unknown": sum(len(answer.unknown) for answer in answers),
            "names_of_the_step_itself": sum(answer.itself for answer in answers),
            "cache_files_damaged": len(self.damaged),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """The counts in words, with the names they are about.

        The number of answers from the cache is among the facts instead, so that the same recordings
        and settings always give the same notes.
        """
        if not self.answers:
            return ()
        answers = self.answers.items()
        notes = [self._summary()]
        dug_out = sum(answer.dug_out for _, answer in answers)
        if dug_out:
            notes.append(f"answers whose JSON was dug out of prose: {dug_out}")
        corrected = [
            f"{_shown(name)} -> {_shown(meant)}"
            for _, answer in answers
            for name, meant in answer.corrected
        ]
        notes += _about("names corrected", dict.fromkeys(corrected))
        unknown = [
            f"{_shown(name)} (asked about {_shown(step)})"
            for step, answer in answers
            for name in answer.unknown
        ]
        notes += _about("unknown names dropped", unknown)
        itself = [_shown(step) for step, answer in answers if answer.itself]
        notes += _about("steps named as their own precondition, which was dropped", itself)
        lost = [_shown(step) for step, answer in answers if answer.outcome is not Outcome.USABLE]
        notes += _about("steps without a usable answer, taken to need nothing", lost)
        notes += _about("damaged files of the cache, asked again", self.damaged)
        return tuple(notes)

    def _summary(self) -> str:
        counts = ", ".join(f"{self.count(outcome)} {outcome}" for outcome in Outcome)
        return f"{self.model} was asked about {len(self.answers)} steps; answers: {counts}"


def _about(what: str, names: Iterable[str]) -> list[str]:
    """Return a note that lists names; no note for no names."""
    names = list(names)
    if not names:
        return []
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return [f"{what}: {', '.join(names[:MOST_SHOWN])}{more}"]


def _shown(name: str) -> str:
    return repr(name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}...")
