from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.harness import Request
from benchmarks.mistakes import tent_cases
from benchmarks.mistakes.online_methods import MistakeSplit
from benchmarks.mistakes.tent_cases import show_cases
from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.graph import TaskGraph
from stepgraph.sequences import Demonstrations

STAKES, COVER = tent_cases.PAPERS_OWN["success"]
SUPPORT, SPREAD = tent_cases.PAPERS_OWN["failure"]
TRAIN = Demonstrations.from_steps([[SPREAD, SUPPORT, COVER, STAKES], [COVER, SPREAD, SUPPORT]])
GRAPH = TaskGraph.from_preconditions({STAKES: [COVER], SUPPORT: [SPREAD]})


def _split(*watched: tuple[str, ...]) -> MistakeSplit:
    return MistakeSplit("epic-tent-o", "EPIC-Tent-O", TRAIN, {"true": watched})


def test_the_papers_own_examples_are_preferred() -> None:
    plain = TaskGraph.from_preconditions({STAKES: [COVER], SUPPORT: [SPREAD], "tie": [SPREAD]})
    result = show_cases("do", plain, _split(("tie",), (SUPPORT, COVER, "tie"), (SPREAD, STAKES)))
    success, failure = result.rows
    assert (success["step"], success["missing"]) == (STAKES, [COVER])
    assert (failure["step"], failure["missing"]) == (SUPPORT, [SPREAD])
    assert success["papers_own"]
    assert failure["papers_own"]
    assert not any("does not occur" in note for note in result.notes)


def test_other_cases_are_shown_for_want_of_the_papers_and_the_page_says_so() -> None:
    graph = TaskGraph.from_preconditions({"tie": [COVER, SPREAD], "peg": [SPREAD]})
    result = show_cases("do", graph, _split((COVER, "tie"), (COVER, "peg"), ("peg", SPREAD)))
    success, failure = result.rows
    assert (success["recording"], success["done"]) == (1, [COVER])
    assert failure["step"] == "peg"
    assert sum("does not occur with this graph" in note for note in result.notes) == 2


def test_the_sentence_says_what_the_training_recordings_show() -> None:
    (success,) = show_cases("do", GRAPH, _split((SPREAD, STAKES))).rows
    assert success["sentence"] == (
        f"'{STAKES}' is a mistake and is flagged, because '{COVER}' has not been done. Of the 1 "
        f"training recordings with '{STAKES}', so many have it after: '{COVER}' 1."
    )


def test_a_graph_without_any_case_leaves_notes_and_no_picture() -> None:
    result = show_cases("do", GRAPH, _split((SPREAD, SUPPORT)))
    assert (result.rows, result.charts) == ([], {})
    assert any("no success" in note for note in result.notes)
    assert any("no failure" in note for note in result.notes)


def test_methods_without_a_graph_and_several_methods_are_refused() -> None:
    with pytest.raises(SettingError, match="expected one"):
        tent_cases.run(Request(methods=["do", "msg2"]))
    with pytest.raises(UnknownNameError, match="did you mean"):
        tent_cases.run(Request(methods=["do-papr"]))


@pytest.mark.real_data
def test_the_tent_recordings_have_a_success_and_a_failure(data: Path) -> None:
    result = tent_cases.run(Request(data))
    assert [row["case"] for row in result.rows] == ["success", "failure"]
    assert result.charts["tent-cases"].startswith("<svg")
    with pytest.raises(SettingError, match="learns none"):
        tent_cases.run(Request(data, ["unseen-step"]))
