"""What came of all questions about one procedure, in words and in figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stepgraph.learners.llm.answers import Answer, Outcome

MOST_SHOWN = 12
LONGEST_NAME = 60


@dataclass(frozen=True)
class Report:
    """The answers about one procedure.

    Parameters
    ----------
    model
        Who was asked.
    answers
        The answer about each step that was asked about.
    from_cache
        How many of them were on disk already.
    damaged
        Files of the cache that could not be used, so that their questions were asked again.
    """

    model: str
    answers: Mapping[str, Answer]
    from_cache: int = 0
    damaged: tuple[str, ...] = ()

    def count(self, outcome: Outcome) -> int:
        """Return how many answers ended so."""
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

        How many answers came from the cache is left to the facts: the same recordings and
        settings give the same notes, whether or not somebody has asked before.
        """
        if not self.answers:
            return ()
        answers = self.answers.items()
        notes = [self._summary()]
        dug_out = sum(answer.dug_out for _, answer in answers)
        if dug_out:
            notes.append(f"answers whose JSON was dug out of prose: {dug_out}")
        corrected = [
            f"{_shown(came)} -> {_shown(meant)}"
            for _, answer in answers
            for came, meant in answer.corrected
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
    """Return a note that lists names, or none if there are none."""
    names = list(names)
    if not names:
        return []
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return [f"{what}: {', '.join(names[:MOST_SHOWN])}{more}"]


def _shown(name: str) -> str:
    return repr(name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}...")
