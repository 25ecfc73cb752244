"""The page's view of a session: plain JSON values, and the drawing as SVG."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from stepgraph.drawing.graph_svg import measure, measure_word, paint
from stepgraph.drawing.picture import Arrow, Picture, picture_of_graph
from stepgraph.drawing.placement import Placement, place_parts
from stepgraph.drawing.themes import get_theme
from stepgraph.errors import InputError, UnknownNameError
from stepgraph.formats.drawn_rules import DrawnRule
from stepgraph.graph import Edge, TaskGraph
from stepgraph.monitoring import Monitor, explain
from stepgraph.sequences import END, START, Demonstrations
from stepgraph.web.studio.edits import path_between
from stepgraph.web.studio.files import SaveTarget
from stepgraph.web.studio.graph_source import evidence_for
from stepgraph.web.studio.history import State, sentence
from stepgraph.web.studio.session import StudioSession

MOST_HISTORY = 200
"""Maximum number of history entries to show, the last ones."""
_PAGE_WORDS = (
    (r"(--with-mistakes|with_mistakes=True)", "the box 'Learn also from marked mistakes'"),
    (r"name (it|them) with (--column|columns=).*?(?= \(the first line)", r"rename \1 in the file"),
    (r" \((--order start|order='start') sorts\)", ""),
    (r" \(repetitions=\w+ changes that\)", ""),
    (
        r"least_probable=.*? than not; never=.*? one of them",
        "the slider hides the least probable edges; 'Forbid' rules out one of them",
    ),
    (r"; with time_format=.*", ""),
    (r"read the steps in the order of the file \(order='file'\) or ", ""),
    (r"; 'stepgraph show'.*", "; start the studio with it to see it"),
    (r", or say (--format csv|format='csv')", ""),
    (r"; name the format with (--format|format=).*", "; expected CSV, JSON Lines, JSON or text"),
)
"""Fields of the page that replace the library's parameters in messages."""


def page_words(message: str) -> str:
    """Return a message of the library in the words of the page.

    Examples
    --------
    >>> page_words("2 recordings were left out (with_mistakes=True keeps them)")
    "2 recordings were left out (the box 'Learn also from marked mistakes' keeps them)"
    """
    for pattern, words in _PAGE_WORDS:
        message = re.sub(pattern, words, message, flags=re.DOTALL)
    return message


def session_view(session: StudioSession, target: SaveTarget) -> dict[str, Any]:
    """Return the whole state of the page: the drawing, steps, edges, edits, recordings."""
    state, graph = session.state, session.graph
    source, stated = state.source, graph.constraints.among(graph.steps)
    undo, redo = session.undoable, session.redoable
    return {
        "version": session.version,
        "procedure": graph.procedure,
        "source": source.file_name,
        "file": target.path.name,
        "saved": session.is_saved,
        "svg": draw_state(state),
        "steps": [_step(graph, step) for step in graph.steps],
        "edges": [_edge(session, edge) for edge in graph.edges],
        "pinned": [
            _constraint(graph, edge) for edge in graph.constraints.among(graph.steps).required
        ],
        "forbidden": [list(edge) for edge in stated.never],
        "threshold": {
            "value": session.threshold,
            "default": source.default_threshold,
            "possible": source.adjacency is not None,
        },
        "recordings": _recordings(session),
        "learned": source.confidence is not None,
        "history": [
            {"at": str(entry.get("at", "")), "sentence": sentence(entry)}
            for entry in state.history[-MOST_HISTORY:]
        ],
        "edited": len(state.history),
        "undo": None if undo is None else sentence(undo),
        "redo": None if redo is None else sentence(redo),
        "notes": [page_words(note) for note in (*session.notes, *source.notes)],
    }


def step_view(session: StudioSession, step: str) -> dict[str, Any]:
    """Return a step as the page shows it: its preconditions and the recordings that do it.

    Raises
    ------
    UnknownNameError
        If there is no such step.
    """
    graph = session.graph
    if step not in graph.vocabulary:
        raise UnknownNameError("step", step, graph.steps)
    demonstrations = session.state.source.demonstrations
    done, left_out = [], []
    if demonstrations is not None:
        node = demonstrations.vocabulary.node(step) if step in demonstrations.vocabulary else -1
        for recording in demonstrations:
            places = [at for at, other in enumerate(recording.steps, start=1) if other == node]
            if places:
                done.append({"id": recording.id, "places": places[:20]})
            else:
                left_out.append(recording.id)
    known = graph.attributes.get(step)
    return {
        **_step(graph, step),
        "needs": [_edge(session, (step, other)) for other in graph.preconditions_of(step)],
        "needed_by": [_edge(session, (other, step)) for other in graph.dependents_of(step)],
        "attributes": None if known is None else dataclasses.asdict(known),
        "done_in": done,
        "left_out_in": left_out,
    }


def edge_view(session: StudioSession, step: str, needed: str) -> dict[str, Any]:
    """Return a pair of steps as the page shows it, whether it is an edge or not.

    Raises
    ------
    InputError
        If there is no such step, or both are the same.
    """
    graph, source = session.graph, session.state.source
    for name in (step, needed):
        if name not in graph.vocabulary and name not in (START, END):
            raise UnknownNameError("step", name, graph.steps)
    if step == needed:
        raise InputError(f"{step!r} and {needed!r} are one step; choose two")
    edge = (step, needed)
    path = path_between(graph, step, needed)
    back = path_between(graph, needed, step)
    found = _edge(session, edge)
    demonstrations = source.demonstrations
    if found["evidence"] is None and demonstrations is not None:
        found["evidence"] = _plain_evidence(evidence_for(demonstrations, [edge]).get(edge))
    return {
        **found,
        "is_edge": edge in graph.edges,
        "path": path if path and len(path) > 2 else None,
        "back": back,
        "probability": source.probability(step, needed),
        **_witnesses(demonstrations, step, needed),
    }


def replay_view(session: StudioSession, name: str) -> dict[str, Any]:
    """Return the monitor's verdict on each step of a recording, by the current graph.

    Raises
    ------
    UnknownNameError
        If there is no such recording.
    """
    demonstrations = session.state.source.demonstrations
    known = [] if demonstrations is None else [recording.id for recording in demonstrations]
    if demonstrations is None or name not in known:
        raise UnknownNameError("recording", name, known)
    recording = demonstrations.sequences[known.index(name)]
    monitor = Monitor(session.graph)
    verdicts = []
    for place, node in enumerate(recording.steps):
        verdict = monitor.observe(demonstrations.vocabulary.name(node))
        content = verdict.to_json()
        content["sentence"] = explain(verdict, session.graph)
        marks = recording.mistakes
        content["mark"] = marks[place] if marks is not None else None
        verdicts.append(content)
    report = monitor.finish()
    return {
        "recording": name,
        "verdicts": verdicts,
        "mistakes": report.mistakes,
        "open": [
            {"step": verdict.step, "sentence": explain(verdict, session.graph)}
            for verdict in report.verdicts
        ],
    }


def _step(graph: TaskGraph, step: str) -> dict[str, Any]:
    known = graph.attributes.get(step)
    return {
        "name": step,
        "optional": bool(known and known.optional),
        "repeatable": bool(known and known.repeatable),
    }


def _edge(session: StudioSession, edge: Edge) -> dict[str, Any]:
    graph, edits = session.graph, session.state.edits
    said = next(
        (
            word
            for word, edges in (
                ("pinned", edits.constraints.required),
                ("forbidden", edits.constraints.never),
                ("added", edits.added),
            )
            if edge in edges
        ),
        "",
    )
    return {
        "step": edge[0],
        "needs": edge[1],
        "outer": edge[0] == END or edge[1] == START,
        "weight": graph.weights.get(edge),
        "said": said,
        "evidence": _plain_evidence(graph.evidence.get(edge)),
    }


def _plain_evidence(found: Any) -> dict[str, float] | None:
    if found is None:
        return None
    return {"held": found.held, "broken": found.broken, "silent": found.silent}


def _constraint(graph: TaskGraph, edge: Edge) -> dict[str, Any]:
    return {"step": edge[0], "needs": edge[1], "drawn": edge in graph.edges}


def _recordings(session: StudioSession) -> list[dict[str, Any]]:
    source = session.state.source
    if source.demonstrations is None:
        return []
    return [
        {
            "id": recording.id,
            "steps": len(recording.steps),
            "trust": source.trust.get(recording.id),
            "marked": recording.has_mistakes,
        }
        for recording in source.demonstrations
    ]


def _witnesses(
    demonstrations: Demonstrations | None, step: str, needed: str
) -> dict[str, list[str]]:
    """Return the recordings that show one order of two steps, the other order, or neither."""
    found: dict[str, list[str]] = {"held_in": [], "broken_in": [], "silent_in": []}
    if (
        demonstrations is None
        or step not in demonstrations.vocabulary
        or needed not in demonstrations.vocabulary
    ):
        return found
    row, column = demonstrations.vocabulary.node(step), demonstrations.vocabulary.node(needed)
    for recording in demonstrations:
        steps = list(recording.steps)
        if row not in steps or column not in steps:
            found["silent_in"].append(recording.id)
        elif steps.index(column) < steps.index(row):
            found["held_in"].append(recording.id)
        else:
            found["broken_in"].append(recording.id)
    return found


# The page allows only the styles of its own files, which have the same colours.
_THEME = replace(get_theme("auto"), style="")


def draw_state(state: State) -> str:
    """Return the drawing of a graph as SVG.

    Each box has the attribute ``data-node``, its place among START, the steps and END; each
    arrow ``data-edge``, the places of the step and of its precondition.
    """
    shown = picture_of_graph(state.graph)
    # The page shows the title and the legend beside the drawing.
    picture = Picture("", shown.boxes, shown.arrows, (), shown.summary, rules=shown.rules)
    labels = [measure(box) for box in picture.boxes]
    sizes = tuple((label.width, label.height) for label in labels)
    ends = tuple((arrow.step, arrow.precondition) for arrow in picture.arrows)
    placement = _placed(sizes, ends, picture.rules)
    return paint(picture, labels, placement, _THEME)


@lru_cache(maxsize=64)
def _placed(
    sizes: tuple[tuple[float, float], ...],
    ends: tuple[tuple[int, int], ...],
    rules: tuple[DrawnRule, ...],
) -> Placement:
    """Return a placement, cached because undo and redo return to earlier graphs."""
    words = [measure_word(rule) for rule in rules]
    return place_parts(sizes, [Arrow(*pair) for pair in ends], rules=rules, word_sizes=words)
