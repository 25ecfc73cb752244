"""What the studio does in another process: learn from a file, learn anew, give advice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stepgraph.errors import InputError
from stepgraph.graph import Edge
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
    return _learned(report, given, name, reading.notes, with_mistakes, (), ())


def relearn(
    report: Report,
    demonstrations: Demonstrations,
    source: str,
    must: tuple[Edge, ...],
    never: tuple[Edge, ...],
    with_mistakes: bool,
) -> Basis:
    """Return the basis that recordings give, told what a person insists on and rules out.

    Parameters
    ----------
    report
        Told how far it is.
    demonstrations, source
        The recordings, and the name of their file.
    must, never
        Edges that the graph has to imply, and may not imply.
    with_mistakes
        Whether to learn also from recordings with marked mistakes.

    Raises
    ------
    InputError
        If the recordings do not know a step of these edges, or the edges contradict each other.
    """
    return _learned(report, demonstrations, source, (), with_mistakes, must, never)


def give_advice(report: Report, demonstrations: Demonstrations) -> Advice:
    """Return what to record next."""
    report(0.2, "comparing all pairs of steps")
    return advise(demonstrations)


def _learned(
    report: Report,
    given: Demonstrations,
    name: str,
    notes: tuple[str, ...],
    with_mistakes: bool,
    must: tuple[Edge, ...],
    never: tuple[Edge, ...],
) -> Basis:
    steps = len(given.vocabulary)
    about = f"learning from {len(given)} recordings of {steps} steps"

    def tell(done: int, total: int, what: str) -> None:  # noqa: ARG001 - what the learner calls it
        report(0.25 + 0.65 * done / total, about)

    report(0.25, about)
    told: dict[str, Any] = {
        name: edges for name, edges in (("must", must), ("never", never)) if edges
    }
    (learning,) = learn_all([given], METHOD, with_mistakes=with_mistakes, progress=tell, **told)
    report(0.9, f"counting evidence in {len(given)} recordings")
    return Basis.of_learning(learning, given, name, notes)
