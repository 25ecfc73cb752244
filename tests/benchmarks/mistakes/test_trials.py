from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import run_benchmark
from benchmarks.harness import BenchmarkResult, MissingDataError, Row
from benchmarks.mistakes.trials import CONTROLS, RULES
from stepgraph.errors import UnknownNameError
from stepgraph.graph import TaskGraph
from tests.benchmarks.graphs.test_captaincook4d import _write_recipe

CHAIN = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]
GRAPH = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": ["c"]})


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """Return a data directory with a chain a b c d, and two recordings with mistakes of it.

    In the first b is skipped, in the second a and b are swapped, each with its tags.
    """
    _write_recipe(tmp_path, "chain", ["abcd", "abcd"], CHAIN)
    takes = {"bad_1": ("acd", {"b": "Missing Step"}), "bad_2": ("bacd", {"a": "Order Error"})}
    takes["bad_2"][1]["b"] = "Order Error"
    takes["chain_0"] = ("abcd", {})
    steps, errors = {}, []
    for id_, (order, tags) in takes.items():
        rows = [
            {
                "step_id": ord(letter),
                "description": letter,
                "start_time": 60.0 * order.index(letter) if letter in order else -1.0,
                "end_time": 60.0 * order.index(letter) + 60 if letter in order else -1.0,
                "errors": [{"tag": tags[letter]}] if letter in tags else [],
            }
            for letter in "abcd"
        ]
        steps[id_] = {"recording_id": id_, "activity_name": "Chain", "steps": rows}
        errors.append({"recording_id": id_, "activity_id": 1, "step_annotations": rows})
    folder = tmp_path / "captaincook4d"
    (folder / "complete_step_annotations.dev.json").write_text(json.dumps(steps))
    (folder / "error_annotations.dev.json").write_text(json.dumps(errors))
    return tmp_path


def by_rule(result: BenchmarkResult, method: str) -> dict[str, Row]:
    return {row["rule"]: row for row in result.rows if row["method"] == method}


def test_rules_flag_what_they_say() -> None:
    flagged = {
        name: [
            [s >= rule.threshold for s in rule.judge(GRAPH, steps, {})] for steps in ("acd", "bacd")
        ]
        for name, rule in RULES.items()
    }
    none, both = [False] * 3, [True, True, False, False]
    assert flagged["direct"] == [[False, True, False], [True, False, False, False]]
    assert flagged["too-early"] == [[False, True, True], [True, False, False, False]]
    assert flagged["too-late"] == [none, [False, True, False, False]]
    assert flagged["early-or-late"] == [[False, True, True], both]
    assert flagged["order-end"] == [none, both]
    assert sum(flagged["moved-end"][1]) == 1


def test_only_recordings_outside_the_clean_split_are_judged_in_the_order_of_time(
    recipe: Path,
) -> None:
    result = run_benchmark("captaincook4d-trials", data=recipe, methods=["intersection"])
    assert "7 steps of 2 whole recordings, 2 tagged Order Error" in result.title
    rows = by_rule(result, "intersection")
    assert rows["order-end"]["f1"] == 1
    assert rows["order-end"]["knows"] == "end"
    assert rows["early-or-late"]["precision"] == pytest.approx(2 / 4)
    # Two false alarms in the 3 and 4 minutes of the two recordings.
    assert rows["early-or-late"]["false_alarms_per_minute"] == pytest.approx(2 / 7)
    assert rows["direct"]["false_alarms_per_minute_at_recall_80"] is None


def test_skipped_steps_are_inferred_from_what_was_done_without_them(recipe: Path) -> None:
    result = run_benchmark("captaincook4d-trials", data=recipe, methods=["annotated-graph"])
    rows = by_rule(result, "annotated-graph")
    assert rows["skipped: passed-over"]["f1"] == 1
    # In the second recording a is reported missing as well, and comes after all.
    assert rows["skipped: reported"]["precision"] == pytest.approx(1 / 2)


def test_a_skipped_step_is_one_that_its_annotator_tagged(recipe: Path) -> None:
    path = recipe / "captaincook4d" / "error_annotations.dev.json"
    errors = json.loads(path.read_text())
    (skipped,) = [step for step in errors[0]["step_annotations"] if step["errors"]]
    done = errors[1]["step_annotations"][3]
    skipped["errors"], done["errors"] = [], [{"tag": "Missing Step"}]
    path.write_text(json.dumps(errors))
    result = run_benchmark("captaincook4d-trials", data=recipe, methods=["annotated-graph"])
    assert result.parts[1].title == (
        "the same recordings: 1 steps tagged Missing Step, 1 of which were done all the same"
    )
    rows = by_rule(result, "annotated-graph")
    assert rows["skipped: never-done"]["precision"] == 0
    assert rows["skipped: never-done"]["recall"] == 0


def test_controls_stand_in_the_same_table_with_what_readers_of_the_json_rely_on(
    recipe: Path,
) -> None:
    result = run_benchmark("captaincook4d-trials", data=recipe, methods=list(CONTROLS))
    rows = {row["method"]: row for row in json.loads(result.to_json())["rows"]}
    assert list(rows) == list(CONTROLS)
    for row in rows.values():
        for figure in ("precision", "recall", "f1", "average_precision"):
            assert 0 <= row[figure] <= 1
    assert rows["always-mistake"]["recall"] == 1
    assert rows["always-mistake"]["precision"] == pytest.approx(2 / 7)
    assert rows["always-correct"]["f1"] == rows["unseen-step"]["f1"] == 0


def test_data_without_recordings_to_judge_is_said(recipe: Path) -> None:
    path = recipe / "captaincook4d" / "complete_step_annotations.dev.json"
    path.unlink()
    with pytest.raises(MissingDataError, match="complete_step_annotations"):
        run_benchmark("captaincook4d-trials", data=recipe)


def _change(recipe: Path, name: str, change: Callable[[Any], Any]) -> None:
    path = recipe / "captaincook4d" / f"{name}.dev.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))


def test_recordings_of_a_recipe_may_lie_in_several_files(recipe: Path) -> None:
    whole = run_benchmark("captaincook4d-trials", data=recipe, methods=["intersection"])
    folder = recipe / "captaincook4d"
    for name, own in (("complete_step_annotations", dict), ("error_annotations", list)):
        content = json.loads((folder / f"{name}.dev.json").read_text())
        first = {"bad_1": content["bad_1"]} if own is dict else content[:1]
        rest = {k: v for k, v in content.items() if k != "bad_1"} if own is dict else content[1:]
        (folder / f"{name}.dev.json").write_text(json.dumps(first))
        (folder / f"{name}.test.json").write_text(json.dumps(rest))
    parts = run_benchmark("captaincook4d-trials", data=recipe, methods=["intersection"])
    assert parts.title == whole.title
    assert [row["f1"] for row in parts.rows] == [row["f1"] for row in whole.rows]
    unfiltered = run_benchmark("captaincook4d-unfiltered", data=recipe, methods=["intersection"])
    assert "1 recipes, all 3 recordings" in unfiltered.title
    assert "1 procedures, 3 recordings" in (
        run_benchmark("audit", data=recipe, methods=["random"], seeds=1).parts[0].title
    )


def test_a_tagged_step_is_known_by_its_id_where_nothing_is_called_so(recipe: Path) -> None:
    def respelt(errors: list[Any]) -> list[Any]:
        for recording in errors:
            for step in recording["step_annotations"]:
                step["description"] += " (as annotated)"
        return errors

    _change(recipe, "error_annotations", respelt)
    result = run_benchmark("captaincook4d-trials", data=recipe, methods=["annotated-graph"])
    assert "1 steps tagged Missing Step" in result.parts[1].title


def test_recordings_without_error_annotations_are_left_out_and_counted(recipe: Path) -> None:
    _change(recipe, "error_annotations", lambda errors: errors[1:])
    result = run_benchmark("captaincook4d-trials", data=recipe, methods=["intersection"])
    assert "4 steps of 1 whole recordings" in result.title
    assert "Chain: 1 of 3 recordings have no error annotations and were left out" in result.notes
    _change(recipe, "error_annotations", lambda _: [])
    with pytest.raises(MissingDataError, match="3 of 3 recordings have no error annotations"):
        run_benchmark("captaincook4d-trials", data=recipe, methods=["intersection"])


def test_why_no_recipe_can_be_judged_is_said(recipe: Path) -> None:
    def foreign(recordings: dict[str, Any]) -> dict[str, Any]:
        for recording in recordings.values():
            recording["steps"][0]["description"] = "sing"
        return recordings

    def clean(recordings: dict[str, Any]) -> dict[str, Any]:
        return {"chain_0": recordings["chain_0"]}

    kept = (recipe / "captaincook4d" / "complete_step_annotations.dev.json").read_text()
    _change(recipe, "complete_step_annotations", foreign)
    for name in ("captaincook4d-trials", "captaincook4d-unfiltered"):
        with pytest.raises(MissingDataError, match="its known graph lacks the step 'sing'"):
            run_benchmark(name, data=recipe, methods=["intersection"])
    _change(recipe, "complete_step_annotations", lambda _: clean(json.loads(kept)))
    with pytest.raises(MissingDataError, match="chain has no recording outside the clean split"):
        run_benchmark("captaincook4d-trials", data=recipe, methods=["intersection"])


def test_where_nothing_is_tagged_or_takes_time_that_is_no_crash(recipe: Path) -> None:
    def plain(errors: list[Any]) -> list[Any]:
        for recording in errors:
            for step in recording["step_annotations"]:
                step["errors"] = []
        return errors

    def timeless(recordings: dict[str, Any]) -> dict[str, Any]:
        for recording in recordings.values():
            for step in recording["steps"]:
                step["start_time"] = step["end_time"] = 0.0
        return recordings

    _change(recipe, "error_annotations", plain)
    _change(recipe, "complete_step_annotations", timeless)
    result = run_benchmark("captaincook4d-trials", data=recipe, methods=["intersection"])
    assert any(note.startswith("no step is tagged Order Error") for note in result.notes)
    assert "false_alarms_per_minute" not in result.rows[0]


def test_an_unknown_method_is_said() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'intersection'"):
        run_benchmark("synthetic-trials", methods=["intersectoin"])


def test_on_random_procedures_the_known_graph_is_right_at_the_end_by_definition() -> None:
    result = run_benchmark("synthetic-trials", methods=["annotated-graph", "intersection"], seeds=1)
    known, learned = by_rule(result, "annotated-graph"), by_rule(result, "intersection")
    assert known["order-end"]["f1"] == 1
    assert known["order-online"]["f1"] > known["early-or-late"]["f1"]
    assert learned["order-online"]["f1"] > learned["early-or-late"]["f1"]


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    """Return a data directory with five people who build a toy, one of them with a detour."""
    folder = tmp_path / "assembly101" / "annotations"
    folder.mkdir(parents=True)
    right = [("attach", "bed"), ("attach", "cabin"), ("attach", "roof")]
    wrong = [("attach", "cabin", "mistake"), ("detach", "cabin", "correction")]
    for person in range(9001, 9006):
        rows = [*(wrong if person == 9005 else []), *right]
        text = "".join(
            f"{n},{n + 1},{row[0]},{row[1]},x,{row[2] if len(row) > 2 else 'correct'},\n"
            for n, row in enumerate(rows)
        )
        name = f"nusar-2021_action_both_{person}-b01a_{person}_user_id_2021-02-01_1542"
        (folder / f"{name}.csv").write_text(text)
        split = tmp_path / "assembly101" / f"{'test' if person == 9005 else 'train'}_split.txt"
        split.write_text(f"{name}\n")
    return tmp_path


@pytest.mark.parametrize("method", ["always-before", "position", "intersection"])
def test_whoever_cannot_be_judged_by_others_is_said(toys: Path, method: str) -> None:
    for path in sorted((toys / "assembly101" / "annotations").iterdir())[1:]:
        path.unlink()
    with pytest.raises(MissingDataError, match="at least two people"):
        run_benchmark("assembly101-trials", data=toys, methods=[method])


def test_whole_assemblies_are_judged_by_what_other_people_did(toys: Path) -> None:
    result = run_benchmark("assembly101-trials", data=toys, methods=["intersection", "unseen-step"])
    assert "5 whole recordings of 1 kinds of toys: 17 segments, 1 mistakes, 1 corrections" in (
        result.title
    )
    own = {(row["rule"], row.get("scope")): row for row in result.rows}
    assert own["reversals", "toy-own"]["f1"] == 1
    # Nobody else detached anything, so a rule that knows no reversals flags the correction.
    assert own["direct", "toy-own"]["precision"] == pytest.approx(1 / 2)
    assert own["direct", "toy-own"]["corrections_flagged"] == 1
    assert "the published split has 0 of 2 people (0%) on both sides; here nobody is" in (
        result.notes
    )
