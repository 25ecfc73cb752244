from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import BENCHMARKS, run_benchmark
from benchmarks.graphs.captaincook4d import LEFT_OUT_AS_SLOW, VARIANTS
from benchmarks.harness import MissingDataError
from stepgraph.errors import UnknownNameError


def _write_recipe(folder: Path, name: str, orders: list[str], edges: list[list[int]]) -> None:
    """Write recordings and a known graph in the authors' formats; steps are single letters."""
    letters = sorted(set("".join(orders)))
    path = folder / "captaincook4d" / "task_graph_generation_annotations.json"
    truths = folder / "captaincook4d" / "ground_truth_task_graphs"
    truths.mkdir(parents=True, exist_ok=True)
    content = json.loads(path.read_text()) if path.exists() else {"annotations": {}, "taxonomy": {}}
    ids = {letter: number for number, letter in enumerate(letters, start=1)}
    content["taxonomy"][name] = {str(i): {"name": letter, "id": i} for letter, i in ids.items()}
    for number, order in enumerate(orders):
        content["annotations"][f"{name}_{number}"] = {
            "recording_id": f"{name}_{number}",
            "scenario": name,
            "segments": [
                {"step_id": ids[letter], "step_name": letter, "start_time": t, "end_time": t + 1}
                for t, letter in enumerate(order)
            ],
        }
    path.write_text(json.dumps(content))
    labels = ["START", *letters, "END"]
    truth = {"steps": {str(i): label for i, label in enumerate(labels)}, "edges": edges}
    (truths / f"{name}.json").write_text(json.dumps(truth))


@pytest.fixture
def two_recipes(tmp_path: Path) -> Path:
    chain = [[0, 1], [1, 2], [2, 3], [3, 4]]
    _write_recipe(tmp_path, "chain", ["abc", "abc"], chain)
    _write_recipe(tmp_path, "free", ["ab", "ba"], [[0, 1], [0, 2], [1, 3], [2, 3]])
    return tmp_path


def test_it_uses_whichever_recipes_the_data_directory_holds(two_recipes: Path) -> None:
    result = run_benchmark("captaincook4d", data=two_recipes, methods=["intersection"])
    (row,) = result.rows
    assert [entry["procedure"] for entry in row["procedures"]] == ["chain", "free"]
    assert row["f1"] == 1.0
    assert "2 recipes, 4 recordings" in result.title


def test_controls_score_what_can_be_worked_out_by_hand(two_recipes: Path) -> None:
    methods = ["no-order", "first-recording"]
    no_order, chain = run_benchmark("captaincook4d", data=two_recipes, methods=methods).rows
    # 'chain' without order has 6 edges, 2 of them right of 4; 'free' is free.
    assert no_order["precision"] == pytest.approx((2 / 6 + 1) / 2)
    assert no_order["recall"] == pytest.approx((2 / 4 + 1) / 2)
    # The first recording of 'free' is a chain of 3 edges, 2 of them right of 4.
    assert chain["precision"] == pytest.approx((1 + 2 / 3) / 2)


def test_rows_carry_the_figures_that_readers_of_the_json_rely_on(two_recipes: Path) -> None:
    result = run_benchmark("captaincook4d", data=two_recipes, seeds=2)
    content = json.loads(result.to_json())
    assert content["benchmark"] == "captaincook4d"
    assert content["environment"]["python"]
    for row in content["rows"]:
        for figure in ("precision", "recall", "f1", "f1_interval90"):
            assert 0 <= row[figure] <= 1
        assert row["seconds"] >= 0
    runs = {row["method"]: row["runs"] for row in content["rows"]}
    assert runs["do"] == 2
    assert runs["intersection"] == 1


def test_a_recipe_without_known_graph_is_left_out_and_named(two_recipes: Path) -> None:
    (two_recipes / "captaincook4d" / "ground_truth_task_graphs" / "free.json").unlink()
    result = run_benchmark("captaincook4d", data=two_recipes, methods=["intersection"])
    assert "free has no known graph and was left out" in result.notes
    assert len(result.rows[0]["procedures"]) == 1


def test_a_language_models_answer_that_cannot_be_used_costs_only_itself(two_recipes: Path) -> None:
    answers = two_recipes / "llm-graphs"
    answers.mkdir()
    names = sorted(path.stem for path in (two_recipes / "captaincook4d").glob("*/*.json"))
    (answers / f"graph_{names[0]}.adjlist").write_text("no list")
    (answers / f"graph_{names[1]}.adjlist").write_text("START\nsing;START\nEND;sing\n")
    result = run_benchmark("captaincook4d", data=two_recipes, methods=["no-order"])
    said = [note for note in result.notes if "answer cannot be used" in note]
    assert len(said) == 2
    assert names[0] in said[0]
    assert "the paper's figures" not in " ".join(result.notes)
    with_paper = run_benchmark("captaincook4d", data=two_recipes, methods=["msgi"])
    assert "the paper's figures are of 24 recipes and 194 recordings" in with_paper.notes


def test_missing_files_are_named_with_where_they_belong(tmp_path: Path) -> None:
    with pytest.raises(
        MissingDataError, match=r"task_graph_generation_annotations.*STEPGRAPH_DATA"
    ):
        run_benchmark("captaincook4d", data=tmp_path)


def test_without_a_data_directory_the_message_says_how_to_give_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("STEPGRAPH_DATA", raising=False)
    with pytest.raises(MissingDataError, match="--data DIR"):
        run_benchmark("captaincook4d")


def test_unknown_names_are_answered_with_the_nearest(two_recipes: Path) -> None:
    with pytest.raises(UnknownNameError, match="'captaincook4d'"):
        run_benchmark("captaincook")
    with pytest.raises(UnknownNameError, match="'intersection'"):
        run_benchmark("captaincook4d", data=two_recipes, methods=["intersetion"])


def test_every_benchmark_has_a_summary_and_a_module_that_runs_it() -> None:
    import importlib

    for entry in BENCHMARKS.values():
        assert entry.summary
        assert callable(getattr(importlib.import_module(entry.module), entry.function))


def test_a_known_graph_over_other_steps_costs_its_recipe_only_and_is_named(
    two_recipes: Path,
) -> None:
    path = two_recipes / "captaincook4d" / "ground_truth_task_graphs" / "free.json"
    path.write_text(path.read_text().replace('"b"', '"z"'))
    result = run_benchmark("captaincook4d", data=two_recipes, methods=["intersection"])
    assert [entry["procedure"] for entry in result.rows[0]["procedures"]] == ["chain"]
    assert any("free was left out" in note and "'b'" in note for note in result.notes)


def test_without_published_answers_no_endpoint_is_asked_and_the_note_says_what_is_missing(
    two_recipes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPGRAPH_LLM_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("STEPGRAPH_LLM_MODEL", "any")
    result = run_benchmark("captaincook4d", data=two_recipes, seeds=1)
    labels = [row["method"] for row in result.rows]
    assert "llm" not in labels
    assert "intersection" in labels
    assert any(
        note.startswith("llm was left out") and "llm-graphs" in note for note in result.notes
    )


def test_speed_leaves_out_what_it_has_no_data_for(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="assembly101"):
        run_benchmark("speed", data=tmp_path, methods=["do-assembly101"])


def test_rows_that_take_hours_run_only_if_they_are_named(two_recipes: Path) -> None:
    result = run_benchmark("captaincook4d", data=two_recipes, seeds=1)
    slow = [label for label, variant in VARIANTS.items() if variant.slow]
    assert f"{LEFT_OUT_AS_SLOW}{', '.join(slow)}" in result.notes
    assert not {row["method"] for row in result.rows} & set(slow)


def test_the_control_without_text_reads_no_name_and_draws_the_same_vectors_again(
    two_recipes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stepgraph.learners.transformer import learner

    def refuse(*_: object) -> None:
        raise AssertionError("a name was embedded")

    monkeypatch.setattr(learner, "embed_names", refuse)
    methods = ["tgt-text-random"]
    ((first,), (again,)) = (
        run_benchmark("captaincook4d", data=two_recipes, methods=methods, seeds=2).rows
        for _ in range(2)
    )
    assert first["runs"] == 2
    assert first["procedures"] == again["procedures"]
    with pytest.raises(AssertionError, match="a name was embedded"):
        run_benchmark("captaincook4d", data=two_recipes, methods=["tgt-text"], seeds=1)


def test_rows_trained_as_the_papers_have_its_seeds() -> None:
    assert VARIANTS["do-paper"].seeds(2) == [42, 1337]
    assert VARIANTS["do-paper"].seeds(7) == [42, 1337, 2024, 2025, 2026, 0, 1]
    assert VARIANTS["do-protected"].seeds(2) == [0, 1]


def test_settings_of_a_row_overrule_its_preset() -> None:
    variant = replace(VARIANTS["do-paper"], settings={"patience": 3})
    assert variant.learner().patience == 3  # type: ignore[attr-defined]
    assert VARIANTS["do-paper"].learner().patience == 25  # type: ignore[attr-defined]


def test_the_terminal_tables_are_by_falling_f1_and_say_p(two_recipes: Path) -> None:
    methods = ["no-order", "intersection"]
    result = run_benchmark("captaincook4d", data=two_recipes, methods=methods)
    figures, differences = result.parts
    assert [cells[0] for cells in figures.table()] == ["intersection", "no-order"]
    titles = [column.title for column in differences.columns]
    first, second = (dict(zip(titles, cells, strict=True)) for cells in differences.table())
    # One recipe of two differs, so both patterns of its sign are as far from 0.
    assert first["to the next below"] == "no-order: +30.0, p = 1"
    assert second["to intersection"] == "-30.0, p = 1"
