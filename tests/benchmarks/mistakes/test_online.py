from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import run_benchmark
from benchmarks.harness import MissingDataError
from benchmarks.mistakes.online import NOTES, PUBLISHED
from benchmarks.mistakes.online_methods import METHODS, read_split, seen_only
from stepgraph.errors import UnknownNameError

ACTIONS = {"a": "attach-a", "b": "attach-b", "c": "attach-c", "x": "detach-a"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base = tmp_path / "assembly101"
    (base / "annotations").mkdir(parents=True)
    (base / "Assembly101-O_action_dict.json").write_text(
        json.dumps({str(number): name for number, name in enumerate(ACTIONS.values())})
    )
    recordings = {"one": "abc", "two": "abc", "three": "abca", "four": "abX", "five": "aC"}
    for name, steps in recordings.items():
        lines = [
            "0,1,{},{},that,{},".format(
                *ACTIONS[step.lower()].split("-"), "mistake" if step.isupper() else "correct"
            )
            for step in steps
        ]
        (base / "annotations" / f"{name}.csv").write_text("\n".join(lines))
    (base / "train_split.txt").write_text("one\ntwo\nthree\n")
    (base / "test_split.txt").write_text("four\nfive\n")
    (tmp_path / "recognition").mkdir()
    (tmp_path / "recognition" / "output_miniROAD_Assembly101-O.json").write_text(
        json.dumps({"four": {"pred": [0, 2], "gt": [0, 1, 3]}})
    )
    return tmp_path


def test_rows_are_methods_by_segments_with_every_figure(folder: Path) -> None:
    result = run_benchmark("assembly101-o", data=folder, seeds=2)
    rows = {(row["method"], row["segments"]): row for row in result.rows}
    assert {segments for _, segments in rows} == {"true", "miniroad"}
    assert rows["always-before", "true"]["f1_average"] == 1.0
    assert rows["do", "true"]["f1_average"] == 1.0
    assert rows["do", "true"]["runs"] == 2
    assert rows["unseen-step", "true"]["recall_mistake"] == 0.5
    assert rows["always-mistake", "true"]["precision_mistake"] == 0.4
    assert rows["always-correct", "true"]["f1_mistake"] == 0.0
    assert rows["unseen-step", "miniroad"]["f1_mistake"] == 0.0
    assert rows["do", "true"]["paper"]["f1_average"] == 0.759
    assert rows["prego (paper)", "true"]["source"] == "published"
    assert rows["position", "true"]["source"] == "control"
    assert rows["at-random", "true"]["source"] == "control"
    assert rows["at-random", "true"]["runs"] == 2 * METHODS["at-random"].draws
    for row in result.rows:
        for kind in ("correct", "mistake"):
            for measure in ("f1", "precision", "recall"):
                assert 0 <= row[f"{measure}_{kind}"] <= 1
    assert result.table()


def test_what_cannot_run_or_is_missing_is_noted(folder: Path) -> None:
    notes = "\n".join(run_benchmark("assembly101-o", data=folder, seeds=1).notes)
    assert "llm was left out: no endpoint to ask" in notes
    assert "oadtr was left out" in notes
    assert "miniroad's file has 1 of the 2 recordings" in notes


def test_what_was_recognised_is_judged_by_the_ids_of_the_test_half(folder: Path) -> None:
    path = folder / "recognition" / "output_miniROAD_Assembly101-O.json"
    seen = json.loads(path.read_text())
    path.write_text(json.dumps({**seen, "one": seen["four"], "nobody": seen["four"]}))
    result = run_benchmark("assembly101-o", data=folder, methods=["unseen-step"])
    assert "2 by miniroad" in result.title
    assert any(
        "miniroad's file has 2 recordings that are not of the test" in n for n in result.notes
    )
    path.write_text(json.dumps({"nobody": seen["four"]}))
    result = run_benchmark("assembly101-o", data=folder, methods=["unseen-step"])
    assert {row["segments"] for row in result.rows} == {"true"}
    assert any("has no recording of the test half" in note for note in result.notes)
    assert "published figures are of 135 recordings for training and 182 for test" in result.notes


def test_notes_are_of_the_rows_shown(folder: Path) -> None:
    few = run_benchmark("assembly101-o", data=folder, methods=["position"])
    assert not any(name in note for note in few.notes for name in ("weighed", "do has", "paper"))
    assert any(note.startswith("position chooses") for note in few.notes)
    every = run_benchmark("assembly101-o", data=folder, seeds=1)
    slow = {name for name, method in METHODS.items() if method.slow}
    assert slow, "rows that are run when asked for have no note unasked"
    assert {note for rows, note in NOTES if rows not in slow} <= set(every.notes)


def test_only_the_methods_asked_for_are_run(folder: Path) -> None:
    result = run_benchmark("assembly101-o", data=folder, methods=["always-before"])
    assert [row["method"] for row in result.rows] == ["always-before", "always-before"]
    with pytest.raises(UnknownNameError, match="unknown method 'alway-before'"):
        run_benchmark("assembly101-o", data=folder, methods=["alway-before"])


def test_missing_annotations_are_named(tmp_path: Path) -> None:
    (tmp_path / "epic-tent").mkdir()
    with pytest.raises(MissingDataError, match="Synchronised_action_label"):
        run_benchmark("epic-tent-o", data=tmp_path)


def test_steps_that_nobody_did_leave_the_vocabulary(folder: Path) -> None:
    train = read_split("assembly101-o", folder).train
    assert "detach-a" in train.vocabulary
    assert seen_only(train).vocabulary.steps == ("attach-a", "attach-b", "attach-c")


def test_a_row_of_the_preset_has_each_seed_and_the_papers_own(folder: Path) -> None:
    result = run_benchmark("assembly101-o", data=folder, methods=["do-paper"], seeds=3)
    for row in result.rows:
        runs = row["f1_average_by_seed"]
        assert len(runs) == 3
        assert row["f1_average"] == pytest.approx(sum(runs) / 3)
        assert set(row["papers_seed"]) >= {"f1_average", "precision_mistake", "recall_correct"}


@pytest.mark.parametrize("segments", ["true", "miniroad"])
def test_the_papers_two_graphs_stand_beside_its_two_rows(folder: Path, segments: str) -> None:
    methods = ["do-paper", "do-paper-1200"]
    result = run_benchmark("assembly101-o", data=folder, methods=methods, seeds=1)
    beside = [
        row["method"] for row in result.rows if row["segments"] == segments and "paper" in row
    ]
    assert beside == ["do-paper-1200" if segments == "true" else "do-paper"]


def test_the_published_figures_are_copied_without_a_slip() -> None:
    for place, rows in PUBLISHED.items():
        for name, row in rows.items():
            if (*place, name) == ("assembly101-o", "miniroad", "llm"):
                continue  # the paper's own figures do not fit each other here
            for f1, first, second in (row.correct, row.mistake):
                assert f1 == pytest.approx(2 * first * second / (first + second), abs=0.3)
            assert row.average == pytest.approx((row.correct[0] + row.mistake[0]) / 2, abs=0.11)


def test_perturbing_the_true_segments_is_drawn_and_said(folder: Path) -> None:
    result = run_benchmark(
        "perturbation", data=folder, methods=["always-before", "unseen-step"], seeds=3
    )
    assert [row["rate"] for row in result.rows[:6]] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    assert result.rows[0]["f1_average_lost"] == 0.0
    assert result.rows[0]["f1_average"] == 1.0
    assert result.charts["perturbation-assembly101-o"].startswith("<svg")
    assert len(result.parts) == 1
    assert result.parts[0].table()[0][0] == "always-before"
    again = run_benchmark("perturbation", data=folder, methods=["always-before"], seeds=3)
    assert [r["f1_average"] for r in again.rows] == [r["f1_average"] for r in result.rows[:6]]
