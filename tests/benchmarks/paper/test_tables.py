from __future__ import annotations

from typing import Any

import pytest

from benchmarks.mistakes.online import PUBLISHED
from benchmarks.mistakes.perturbation import RATES
from benchmarks.paper.graph_tables import INTERVALS, TABLE_1, scalability, table_1, table_2
from benchmarks.paper.hyper_parameters import TABLES, hyper_parameters
from benchmarks.paper.mistake_tables import figure_5, mistake_methods, table_3
from benchmarks.paper.parts import PARTS
from benchmarks.paper.work import Outcome, Task


def _outcome(name: str, *rows: dict[str, Any], reason: str = "") -> Outcome:
    (task,) = {
        task.name: task for part in PARTS.values() for task in part.tasks if task.name == name
    }.values()
    return Outcome(task, rows=[{"method": task.method, **row} for row in rows], reason=reason)


def _edges(f1: float) -> dict[str, Any]:
    return {"precision": f1, "recall": f1, "f1": f1, "runs": 5, "f1_interval90": 0.01}


def _cells(result: Any, title: str) -> list[str]:
    place = [column.title for column in result.columns].index(title)
    return [line[place] for line in result.table()]


def test_table_1_has_the_papers_figures_beside_ours_and_both_intervals() -> None:
    row = {**_edges(0.877), "f1_interval_paper": 0.014, "f1_low90": 0.8, "f1_high90": 0.9}
    result = table_1(
        [_outcome("captaincook4d-do-paper", row), _outcome("captaincook4d-do", _edges(0.9))]
    )
    assert _cells(result, "paper's name") == ["DO", ""]
    assert _cells(result, "protocol") == ["paper's", "ours"]
    assert _cells(result, "over seeds") == ["± 1.0", "± 1.0"]
    assert _cells(result, "over recipes") == ["80.0 to 90.0", ""]
    assert _cells(result, "paper's ±") == ["± 1.4", ""]
    assert _cells(result, "paper's F1") == ["87.8 ± 1.5", ""]


def test_rows_that_were_not_computed_stand_with_the_published_figure_and_the_reason() -> None:
    outcomes = [
        _outcome("captaincook4d-msgi", _edges(0.128)),
        _outcome("captaincook4d-tgt-text-paper", reason="torch is missing"),
    ]
    result = table_1(outcomes)
    assert _cells(result, "paper's F1") == ["12.8", "80.8 ± 8.0"]
    assert _cells(result, "remark") == ["", "not computed: torch is missing"]


def test_every_line_of_table_1_is_a_row_to_compute() -> None:
    tasks = [task.method for task in PARTS["table-1"].tasks]
    assert tasks[: len(TABLE_1)] == [line.method for line in TABLE_1]
    assert set(INTERVALS) == {"do", "tgt-text", "tgt-text-unified"}


def test_scalability_has_one_network_for_each_recipe_and_one_for_all() -> None:
    outcomes = [
        _outcome("captaincook4d-tgt-text-paper", _edges(0.8)),
        _outcome("captaincook4d-tgt-text-paper-unified", _edges(0.6)),
    ]
    result = scalability(outcomes)
    assert _cells(result, "paper's name") == ["TGT-text (single)", "TGT-text (unified)"]
    assert _cells(result, "paper's P") == ["79.9 ± 8.8", "61.5 ± 12.0"]


def test_table_2_names_what_cannot_be_computed() -> None:
    result = table_2(
        [_outcome("understanding-majority-order", {"ordering": 0.864, "future": 0.874})]
    )
    assert _cells(result, "method") == ["Random", "TGT-video", "majority-order"]
    assert _cells(result, "paper's ordering") == ["50.0", "77.3", ""]
    assert "features" in _cells(result, "remark")[1]


def _mistakes(segments: str, value: float, **more: Any) -> dict[str, Any]:
    names = [
        f"{measure}_{kind}"
        for kind in ("correct", "mistake")
        for measure in ("f1", "precision", "recall")
    ]
    return {
        "segments": segments,
        "f1_average": value,
        **dict.fromkeys(names, value),
        "precision_correct": 0.25,
        **more,
    }


def test_table_3_prints_precision_and_recall_both_ways_round() -> None:
    result = table_3(
        [_outcome("epic-tent-o-msg2", _mistakes("true", 0.5), _mistakes("miniroad", 0.5))]
    )
    right, printed = result.parts[:2]
    assert _cells(right, "correct F1 (P / R)") == ["50.0 (25.0 / 50.0)"]
    assert _cells(right, "paper's correct F1 (P / R)") == ["92.9 (91.7 / 94.1)"]
    assert _cells(printed, "correct F1 (Prec / Rec)") == ["50.0 (50.0 / 25.0)"]
    assert _cells(printed, "paper's correct F1 (Prec / Rec)") == ["92.9 (94.1 / 91.7)"]


def test_table_3_compares_digits_with_the_papers_seed() -> None:
    own = {**_mistakes("true", 0.6), "f1_average_by_seed": [0.5, 0.7]}
    own["papers_seed"] = {**_mistakes("true", 0.7)}
    right, printed = table_3([_outcome("epic-tent-o-do-paper", own)]).parts[:2]
    assert _cells(right, "over seeds") == ["50.0 to 70.0"]
    assert _cells(right, "seed 42") == ["70.0 / 70.0 / 70.0"]
    assert _cells(printed, "average F1") == ["70.0"]


def test_both_graphs_of_assembly101_stand_on_both_kinds_of_segments() -> None:
    rows = [_mistakes(segments, 0.5) for segments in ("true", "miniroad")]
    names = ("assembly101-o-do-paper", "assembly101-o-do-paper-1200")
    result = table_3([_outcome(name, *rows) for name in names])
    true, _, recognised, _ = result.parts
    assert _cells(true, "paper's average F1") == ["", "75.9"]
    assert _cells(recognised, "paper's average F1") == ["53.5", ""]
    assert any("two graphs" in note for note in result.notes)
    assert "do-paper-1200" not in mistake_methods("epic-tent-o")


def test_prego_stands_in_its_place_with_the_published_figure_and_the_reason() -> None:
    names = ("count-based", "llm", "msgi", "msg2")
    outcomes = [_outcome(f"assembly101-o-{name}", _mistakes("true", 0.5)) for name in names]
    table = table_3(outcomes).parts[0]
    assert _cells(table, "row") == ["count-based", "llm", "msgi", "prego", "msg2"]
    assert _cells(table, "paper's average F1")[3] == "39.4"
    assert "language model" in _cells(table, "remark")[3]


@pytest.mark.parametrize("place", list(PUBLISHED))
def test_every_published_row_of_table_3_has_a_line(place: tuple[str, str]) -> None:
    shown = {method.partition("-paper")[0] for method in mistake_methods(place[0])} | {"prego"}
    assert set(PUBLISHED[place]) <= shown


def _points(dataset: str) -> list[dict[str, Any]]:
    names = ("f1_average", "f1_correct", "f1_mistake")
    return [
        {
            "dataset": dataset,
            "rate": rate,
            **dict.fromkeys(names, 0.8 - rate),
            **dict.fromkeys((f"{name}_interval90" for name in names), 0.01),
        }
        for rate in RATES
    ]


def test_figure_5_has_three_curves_on_both_data_sets_and_controls_apart() -> None:
    points = _points("assembly101-o") + _points("epic-tent-o")
    outcomes = [_outcome(f"perturbation-{name}", *points) for name in ("do-paper", "unseen-step")]
    result = figure_5(outcomes)
    assert [part.benchmark for part in result.parts] == ["Assembly101-O", "EPIC-Tent-O"]
    for part in result.parts:
        curves, controls = part.charts.values()
        assert all(f">{name}</text>" in curves for name in ("average", "correct", "mistake"))
        assert "unseen-step" in controls
        assert _cells(part, "F1 of")[:3] == ["average", "correct", "mistake"]
        assert _cells(part, "lost at 20%")[0] == "20.0"


def test_figure_5_says_what_could_not_be_computed() -> None:
    result = figure_5([_outcome("perturbation-do-paper", reason="no data")])
    assert result.parts == []
    assert "perturbation-do-paper: not computed: no data" in result.notes


def test_the_presets_have_the_hyper_parameters_of_the_appendix() -> None:
    result = hyper_parameters([])
    assert [part.benchmark for part in result.parts[:2]] == list(TABLES)
    first, second = result.parts[:2]
    assert {row["preset"] for row in first.rows} == {"paper"}
    assert all(row["agrees"] for row in first.rows)
    other = [row for row in second.rows if not row["agrees"]]
    # The released configuration of EPIC-Tent-O has another learning rate than the appendix.
    assert [(row["preset"], row["hyper_parameter"]) for row in other] == [
        ("paper-epic-tent-o", "learning rate")
    ]


def test_what_else_the_presets_set_is_listed_once_for_each_setting() -> None:
    others = hyper_parameters([]).parts[2]
    settings = [(line[0], line[1]) for line in others.table()]
    assert len(settings) == len(set(settings))
    assert ("DO", "target") in settings


def test_tasks_are_known_by_their_names() -> None:
    tasks = {task for part in PARTS.values() for task in part.tasks}
    assert len({task.name for task in tasks}) == len({(t.benchmark, t.method) for t in tasks})
    assert all(isinstance(task, Task) for task in tasks)
