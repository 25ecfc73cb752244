"""What a report tells, as plain values: whoever has them can have a page of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Need:
    """A precondition of a step.

    Parameters
    ----------
    name
        The precondition.
    facts
        What speaks for the edge, in words; empty where nothing is known.
    """

    name: str
    facts: str = ""


@dataclass(frozen=True)
class StepEntry:
    """A step of the procedure.

    Parameters
    ----------
    name
        Its name.
    needs
        Its direct preconditions, START aside.
    marks
        Words such as ``"optional"``.
    facts
        What else is known of it.
    """

    name: str
    needs: tuple[Need, ...] = ()
    marks: tuple[str, ...] = ()
    facts: str = ""


@dataclass(frozen=True)
class DoneStep:
    """A step of a recording, and what is to be said of it.

    Parameters
    ----------
    name
        The step.
    verdict
        What it is, in a word or two.
    sentence
        Why, as a sentence; empty where there is nothing to explain.
    is_mistake
        Whether it is a mistake of its own.
    deviates
        Whether it departs from the graph at all, such as by following from a mistake.
    """

    name: str
    verdict: str
    sentence: str = ""
    is_mistake: bool = False
    deviates: bool = False


@dataclass(frozen=True)
class RecordingEntry:
    """A recording held against the graph.

    Parameters
    ----------
    id
        What it is called.
    steps
        Its steps in order.
    never_done
        A sentence for each step that was never done.
    mistakes
        How many mistakes of their own there are, steps never done included.
    explanation
        The smallest set of changes that would make it valid, a line each.
    fitness
        How well it fits the graph as a whole, from 0 to 1, where that is known.
    marks
        What its annotator marked, with how often.
    """

    id: str
    steps: tuple[DoneStep, ...]
    never_done: tuple[str, ...] = ()
    mistakes: int = 0
    explanation: tuple[str, ...] = ()
    fitness: float | None = None
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScoreEntry:
    """How some graph agrees with the known one.

    Parameters
    ----------
    name
        Which graph: this one, or a control.
    precision, recall, f1
        Over edges, from 0 to 1.
    intervals
        Of precision, recall and F1 in turn, the lower and upper end of each; empty where they are
        not known.
    """

    name: str
    precision: float
    recall: float
    f1: float
    intervals: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Report:
    """Everything on the page; parts without content are left out.

    Parameters
    ----------
    title
        The heading.
    facts
        Names and values of what is known of the graph as a whole.
    drawing
        The graph as SVG; empty where it cannot be drawn.
    text
        The graph as text, for where there is no drawing.
    steps
        All steps, in an order that is valid.
    recordings
        Recordings held against the graph.
    training
        How the training of the graph's method went, as SVG.
    training_about
        What was trained, in words.
    scores
        This graph first, then controls.
    comparison
        The graph against the known one, as SVG.
    charts
        More pictures, as SVG.
    notes
        What a reader must know.
    """

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    drawing: str = ""
    text: str = ""
    steps: tuple[StepEntry, ...] = ()
    recordings: tuple[RecordingEntry, ...] = ()
    training: str = ""
    training_about: str = ""
    scores: tuple[ScoreEntry, ...] = ()
    comparison: str = ""
    charts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
