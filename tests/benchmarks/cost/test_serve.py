from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import run_benchmark
from benchmarks.cost.serve import load_row
from benchmarks.cost.service_client import count_wrong, make_sessions
from benchmarks.harness import MissingDataError
from stepgraph.errors import UnknownNameError
from stepgraph.graph import TaskGraph

TEA = TaskGraph.from_preconditions({"pour": ["boil"], "drink": ["pour"]})


def test_every_answer_under_load_equals_offline_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    row = load_row(50, 1500)
    assert (row["wrong"], row["lost_or_twice"], row["exit_code"]) == (0, 0, 0)
    assert row["answered"] == row["sent"] > row["observations"] == 1500
    assert row["per_second"] > 0
    assert list(tmp_path.iterdir()) == []


def test_the_judge_sees_a_wrong_verdict() -> None:
    import json

    from benchmarks.cost.service_client import expected_answers

    sessions = make_sessions({"tea": TEA}, 2, 10)
    results: list[dict[str, list[list[Any]]]] = []
    for session in sessions:
        seen: set[str] = set()
        answers: list[list[Any]] = []
        for verdict in expected_answers(TEA, session):
            answers.append([200 if verdict["event"] in seen else 201, 0.1, json.dumps(verdict)])
            seen.add(verdict["event"])
        results.append({"answers": answers})
    assert count_wrong({"tea": TEA}, sessions, results) == 0
    results[0]["answers"][3][2] = results[0]["answers"][3][2].replace(
        '"position": ', '"position": 1'
    )
    results[1]["answers"][0][0] = 200
    assert count_wrong({"tea": TEA}, sessions, results) == 2


def test_an_unknown_measure_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="sqlite-steady"):
        run_benchmark("serve", methods=["sqlite-stedy"])


def test_postgres_needs_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEPGRAPH_BENCH_POSTGRES", raising=False)
    with pytest.raises(MissingDataError, match="STEPGRAPH_BENCH_POSTGRES"):
        run_benchmark("serve", methods=["postgres"])
