from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from stepgraph.cli import judging
from stepgraph.formats import read_graph
from stepgraph.monitoring import Confusion
from tests.cli.running import Put, Result, Run


@pytest.fixture
def alarm(stepgraph: Run, graph: str, demos: str) -> str:
    """A calibration for the sandwich."""
    assert stepgraph("calibrate", graph, demos, "--error-rate", "0.2", "-o", "alarm.json").code == 0
    return "alarm.json"


def watch(stepgraph: Run, monkeypatch: pytest.MonkeyPatch, steps: str, *arguments: str) -> Result:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(steps.encode())))
    return stepgraph("watch", *arguments)


def test_it_writes_a_threshold_within_the_budget_and_says_so(
    stepgraph: Run, graph: str, demos: str
) -> None:
    result = stepgraph(
        *("calibrate", graph, demos, "--error-rate", "0.2", "--budget", "0.1"),
        *("-o", "alarm.json", "--json"),
    )
    assert (result.code, result.err) == (0, "")
    assert 0 < result.json["threshold"] < 1
    assert result.json["false_alarms"] <= 0.1
    assert json.loads(Path("alarm.json").read_text())["threshold"] == result.json["threshold"]


def test_errors_are_estimated_from_what_the_recogniser_saw(
    stepgraph: Run, graph: str, demos: str
) -> None:
    result = stepgraph("calibrate", graph, demos, "--recognised", demos, "-o", "alarm.json")
    assert result.code == 0
    assert "on 2 recordings that the recogniser saw" in result.out


def test_watch_uses_the_calibration_and_gives_probabilities(
    stepgraph: Run, graph: str, alarm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = "slice bread\nstack\nwash lettuce\neat\nfly\n"
    result = watch(stepgraph, monkeypatch, steps, graph, "--calibration", alarm, "--json")
    entries: list[dict[str, Any]] = [json.loads(line) for line in result.lines]
    assert [entry["step"] for entry in entries[:-1]] == steps.splitlines()
    assert 0 < entries[1]["probability"] < 1
    assert entries[1]["revised"][-1][0] == 2
    assert entries[4]["kind"] == "unknown-step"
    assert entries[-1]["finished"]
    assert set(entries[-1]["done"]) == {"slice bread", "wash lettuce", "stack", "eat"}


def test_watch_with_an_error_rate_bears_a_missed_step(
    stepgraph: Run, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = watch(
        stepgraph, monkeypatch, "slice bread\nstack\neat\n", graph, "--error-rate", "0.3"
    )
    assert result.code == 0
    assert result.lines[-1] == (
        "3 steps observed: no step called a mistake, everything was probably done"
    )
    assert result.lines[-2].startswith("less than 90 % sure to be done: ")
    assert "'wash lettuce' (" in result.lines[-2]


def test_a_confusion_matrix_of_the_wrong_size_is_refused_before_any_step(
    stepgraph: Run, graph: str, demos: str, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = Confusion.even(read_graph(graph).steps, 0.1).to_json()
    small = put("small.json", json.dumps(content | {"seen": [[1.0]]}))
    foreign = put("foreign.json", json.dumps(Confusion.even(["fly"], 0.1).to_json()))
    for arguments in (("watch", graph), ("calibrate", graph, demos, "-o", "alarm.json")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        result = stepgraph(*arguments, "--confusion", small)
        assert (result.code, result.out) == (2, "")
        assert "expected 4 rows of 4" in result.err
        result = stepgraph(*arguments, "--confusion", foreign)
        assert (result.code, result.out) == (2, "")
        assert "expected the same steps" in result.err
    assert not Path("alarm.json").exists()


def test_a_calibration_for_another_graph_is_refused(
    stepgraph: Run, alarm: str, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = {"format": "stepgraph-graph", "version": 1, "steps": ["a"], "edges": []}
    name = put("other.json", json.dumps(other))
    result = watch(stepgraph, monkeypatch, "a\n", name, "--calibration", alarm)
    assert result.code == 2
    assert "calibrate again with this one" in result.err


def test_ways_to_give_the_errors_exclude_each_other(
    stepgraph: Run, graph: str, demos: str, alarm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = ("--error-rate", "0.1", "--confusion", alarm)
    for result in (
        stepgraph("calibrate", graph, demos, "-o", "x.json", *both),
        watch(stepgraph, monkeypatch, "", graph, *both),
    ):
        assert result.code == 2
        assert "exclude each other" in result.err


def test_recordings_of_other_names_cannot_be_paired(
    stepgraph: Run, graph: str, demos: str, put: Put
) -> None:
    other = put("other.csv", "recording,step\nnobody,stack\n")
    result = stepgraph("calibrate", graph, demos, "--recognised", other, "-o", "alarm.json")
    assert result.code == 2
    assert "expected the same names in both files" in result.err
    assert not Path("alarm.json").exists()


def test_a_step_that_the_graph_does_not_know_is_refused(
    stepgraph: Run, graph: str, put: Put
) -> None:
    odd = put("odd.csv", "recording,step\n1,slice bread\n1,fly\n")
    result = stepgraph("calibrate", graph, odd, "--error-rate", "0.1", "-o", "alarm.json")
    assert result.code == 2
    assert "odd.csv: recording '1': unknown step 'fly'" in result.err


def test_a_step_made_up_is_revised_when_it_comes_at_its_own_place(
    stepgraph: Run, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges = [{"step": b, "needs": a} for a, b in zip("abcde", "bcdef", strict=True)]
    chain = {"format": "stepgraph-graph", "version": 1, "steps": list("abcdef"), "edges": edges}
    name = put("chain.json", json.dumps(chain))
    steps = "\n".join("abfcdef")
    result = watch(stepgraph, monkeypatch, steps, name, "--error-rate", "0.05")
    assert any(
        line.startswith("   step 3 was probably a mistake after all (") for line in result.lines
    )
    assert result.lines[-2].startswith("   step 3 was probably no mistake after all (a mistake ")


@pytest.mark.parametrize(
    ("probability", "alarm", "said"),
    [
        (0.6, True, "was probably a mistake after all (60.0%)"),
        (0.4, True, "may have been a mistake after all (40.0%)"),
        (0.6, False, "was probably a mistake, but not surely enough for an alarm (60.0%)"),
        (0.4, False, "was probably no mistake after all (a mistake with 40.0%)"),
    ],
)
def test_what_is_thought_otherwise_is_no_surer_than_its_probability(
    probability: float, alarm: bool, said: str
) -> None:
    assert judging.revision(probability, alarm=alarm) == said


def test_recordings_with_mistakes_by_the_graph_are_named(stepgraph: Run, put: Put) -> None:
    edges = [{"step": "b", "needs": "a"}]
    graph = {"format": "stepgraph-graph", "version": 1, "steps": ["a", "b"], "edges": edges}
    table = "".join(
        f"{name},{step}\n" for name in "12345" for step in "ab"[:: 2 * (name < "2") - 1]
    )
    call = ("--error-rate", "0.1", "-o", "alarm.json")
    result = stepgraph(
        "calibrate",
        put("t.json", json.dumps(graph)),
        put("t.csv", f"recording,step\n{table}"),
        *call,
    )
    assert "'2', '3', '4' and 1 more: mistakes by this graph, which count as false" in result.err


def test_marks_from_another_file_leave_recordings_out(stepgraph: Run, put: Put) -> None:
    takes: dict[str, dict[str, Any]] = {}
    errors = []
    for number, tag in enumerate([None, None, "Order Error"]):
        rows = [
            {
                "step_id": place,
                "description": name,
                "start_time": 10.0 * place,
                "end_time": 10.0 * place + 5,
                "errors": [{"tag": tag}] if tag and place == 1 else [],
            }
            for place, name in enumerate("ab")
        ]
        id_ = f"1_{number}"
        takes[id_] = {"recording_id": id_, "activity_name": "Tea", "steps": rows}
        errors.append({"recording_id": id_, "activity_id": 1, "step_annotations": rows})
    given = {
        take: entry | {"steps": [{**row, "errors": []} for row in entry["steps"]]}
        for take, entry in takes.items()
    }
    edges = [{"step": "b", "needs": "a"}]
    graph = {"format": "stepgraph-graph", "version": 1, "steps": ["a", "b"], "edges": edges}
    call = [
        *("calibrate", put("tea.json", json.dumps(graph)), put("steps.json", json.dumps(given))),
        *("--error-rate", "0.1", "-o", "alarm.json"),
    ]
    assert "on 3 recordings" in stepgraph(*call).out
    result = stepgraph(*call, "--errors", put("errors.json", json.dumps(errors)))
    assert "on 2 recordings" in result.out
    assert "1 recording with marked mistakes left out" in result.err


def test_sessions_mixed_in_one_input_are_kept_apart_also_behind_a_recogniser(
    stepgraph: Run, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = ("slice bread", "wash lettuce", "stack", "eat")
    lines = [json.dumps({"step": s, "session": who}) for s in order for who in ("anna", "ben")]
    result = watch(stepgraph, monkeypatch, "\n".join(lines), graph, "--error-rate", "0.05")
    assert result.code == 0
    assert [line for line in result.lines if "observed" in line] == [
        f"[{who}] 4 steps observed: no step called a mistake, everything was probably done"
        for who in ("anna", "ben")
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "bad.csv: "),
        ("recording,step\n", "bad.csv: "),
        ("nothing,of,use\n1,2,3\n", "bad.csv"),
        ("recording,step\n1,fly\n1,swim\n", "another procedure"),
        ("recording,step,mistake\n1,slice bread,1\n", "every recording has a marked mistake"),
    ],
)
def test_recordings_of_no_use_give_one_message_and_leave_no_file(
    content: str, said: str, stepgraph: Run, graph: str, put: Put
) -> None:
    bad = put("bad.csv", content)
    result = stepgraph("calibrate", graph, bad, "--error-rate", "0.1", "-o", "alarm.json")
    assert (result.code, result.out) == (2, "")
    (message,) = result.notes
    assert message.startswith("error: ")
    assert said in message
    assert not Path("alarm.json").exists()


def test_a_calibration_that_was_there_is_left_alone_by_a_failure(
    stepgraph: Run, graph: str, alarm: str, put: Put
) -> None:
    before = Path(alarm).read_bytes()
    result = stepgraph("calibrate", graph, put("bad.csv", "recording\n"), "-o", alarm)
    assert result.code == 2
    assert Path(alarm).read_bytes() == before


def test_errors_of_the_recogniser_have_to_be_given(stepgraph: Run, graph: str, demos: str) -> None:
    result = stepgraph("calibrate", graph, demos, "-o", "alarm.json")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "error: the recogniser's errors are unknown; give --error-rate R, --confusion FILE or "
        "--recognised FILE\n"
    )
