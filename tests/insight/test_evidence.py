"""Edge evidence: counts that add up, recordings by name."""

from __future__ import annotations

import itertools
from unittest import mock

from hypothesis import given

from stepgraph.formats.stepgraph_json import graph_from_json, graph_to_json
from stepgraph.graph.evidence import EXAMPLES
from stepgraph.insight import edge_evidence
from stepgraph.insight import evidence as evidence_module
from stepgraph.pipeline import learn
from stepgraph.sequences import END, START, Demonstrations, KeyStepSequence, Vocabulary
from tests.strategies import demonstrations


@given(demonstrations())
def test_each_recording_is_for_against_or_silent(given_ones: Demonstrations) -> None:
    steps = given_ones.vocabulary.steps
    edges = [(one, other) for one in steps for other in steps if one != other]
    found = edge_evidence(given_ones, edges)
    assert list(found) == edges
    for (one, other), evidence in found.items():
        assert evidence.held + evidence.broken + evidence.silent == len(given_ones)
        turned = found[other, one]
        assert (evidence.held, evidence.held_in) == (turned.broken, turned.broken_in)
        assert len(evidence.held_in) == evidence.held


def test_the_first_time_a_step_is_done_counts() -> None:
    recording = Demonstrations.from_steps({"r": ["a", "b", "a"]})
    assert edge_evidence(recording, [("b", "a")])["b", "a"].held_in == ("r",)


def test_recordings_count_as_many_as_they_stand_for_and_few_are_named() -> None:
    words = Vocabulary(("a", "b"))
    many = [KeyStepSequence(str(number), (1, 2), weight=2.5) for number in range(30)]
    found = edge_evidence(Demonstrations(words, tuple(many)), [("b", "a")])["b", "a"]
    assert (found.held, found.broken, found.silent) == (75, 0, 0)
    assert len(found.held_in) == EXAMPLES


def test_start_and_end_are_passed_over() -> None:
    recording = Demonstrations.from_steps([["a"]])
    assert edge_evidence(recording, [("a", START), (END, "a")]) == {}


def test_every_method_attaches_it_and_files_keep_it() -> None:
    recordings = Demonstrations.from_steps([["a", "b", "c"]] * 9 + [["a", "c"]])
    for method in ("intersection", "robust", "count-based", "msg2"):
        graph = learn(recordings, method)
        between = [edge for edge in graph.edges if START not in edge and END not in edge]
        assert list(graph.evidence) == between
        assert graph.evidence["b", "a"].silent == 1
        kept = graph_from_json(graph_to_json(graph))
        assert kept.evidence == graph.evidence
        assert kept.attributes == graph.attributes


@given(demonstrations())
def test_the_evidence_is_the_same_however_many_recordings_are_looked_at_at_once(
    recordings: Demonstrations,
) -> None:
    edges = list(itertools.permutations(recordings.vocabulary.steps, 2))
    whole = edge_evidence(recordings, edges)
    with mock.patch.object(evidence_module, "ENTRIES", 1):
        assert edge_evidence(recordings, edges) == whole
