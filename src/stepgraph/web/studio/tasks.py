"""What the studio does in another process: learn from a file, learn anew, give advice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stepgraph.errors import InputError
from stepgraph.graph import NO_CONSTRAINTS, Constraints
from stepgraph.insight import Advice, advise
from stepgraph.pipeline import learn_all
from stepgraph.sequences import Demonstrations
from stepgraph.web.studio.basis import METHOD, Basis
from stepgraph.web.studio.limits import StudioLimits
from stepgraph.web.studio.upload import read_upload
from stepgraph.web.studio.work import Report


class SeveralProceduresError(InputError):
    """A file holds several procedures, and none is chosen."""

    def __init__(self, name: str, choices: Iterable[str]) -> None:
        self.choices = tuple(choices)
        super().__init__(f"{name}: {len(self.choices)} procedures; choose one of them")


def learn_upload(
    report: Report,
    content: bytes,
    name: str,
    procedure: str | None,
    keep: Basis | None,
    with_mistakes: bool,
    limits: StudioLimits,
) -> Basis:
    """Return the basis of an uploaded file.

    Parameters
    ----------
    report
        Told how far it is.
    content, name, procedure, limits
        As for `read_upload`.
    keep
        A basis whose graph stays, the recordings being its evidence; None to learn from them.
    with_mistakes
        Whether to learn also from recordings with marked mistakes.

    Raises
    ------
    InputError
        If it cannot be read, or is of several procedures or another one than the graph.
    """
    report(0.1, f"reading {name}")
    reading = read_upload(content, name, limits, procedure)
    if len(reading.procedures) > 1:
        raise SeveralProceduresError(name, reading.procedures)
    (given,) = reading.procedures.values()
    if keep is not None:
        if not set(keep.graph.steps) & set(given.vocabulary.steps):
            raise InputError(f"{name}: none of its steps is in the graph; is it another procedure?")
        report(0.6, f"counting evidence in {len(given)} recordings")
        return keep.with_recordings(given, name, reading.notes)
    return _learned(report, given, name, reading.notes, with_mistakes, NO_CONSTRAINTS)


def relearn(
    report: Report,
    demonstrations: Demonstrations,
    source: str,
    constraints: Constraints,
    with_mistakes: bool,
) -> Basis:
    """Return the basis that recordings give under the constraints of a graph.

    Parameters
    ----------
    report
        Told how far it is.
    demonstrations, source
        The recordings, and the name of their file.
    constraints
        What the graph obeys; steps that the recordings do not know are passed over.
    with_mistakes
        Whether to learn also from recordings with marked mistakes.

    Raises
    ------
    InputError
        If the constraints contradict each other.
    """
    return _learned(report, demonstrations, source, (), with_mistakes, constraints)


def give_advice(report: Report, demonstrations: Demonstrations, constraints: Constraints) -> Advice:
    """Return what to record next; the constraints of a graph need no question."""
    report(0.2, "comparing all pairs of steps")
    return advise(demonstrations, constraints=constraints)


def _learned(
    report: Report,
    given: Demonstrations,
    name: str,
    notes: tuple[str, ...],
    with_mistakes: bool,
    constraints: Constraints,
) -> Basis:
    steps = len(given.vocabulary)
    about = f"learning from {len(given)} recordings of {steps} steps"

    def tell(done: int, total: int, what: str) -> None:  # noqa: ARG001 - what the learner calls it
        report(0.25 + 0.65 * done / total, about)

    report(0.25, about)
    known = constraints.among(given.vocabulary.steps)
    told: dict[str, Any] = {"constraints": known} if known else {}
    (learning,) = learn_all([given], METHOD, with_mistakes=with_mistakes, progress=tell, **told)
    report(0.9, f"counting evidence in {len(given)} recordings")
    return Basis.of_learning(learning, given, name, notes)
