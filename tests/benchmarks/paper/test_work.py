from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.harness import BenchmarkResult, Column, MissingDataError, Request
from benchmarks.paper.work import Outcome, Store, Task, compute, remarks


def _run(request: Request) -> BenchmarkResult:
    (method,) = request.methods or [""]
    columns = (Column("method", lambda row: str(row["method"])),)
    rows = [{"method": method, "f1": 0.5}]
    return BenchmarkResult("toy", "Toys", rows, columns, ["a note"], charts={"c": "<svg/>"})


def _lacking(request: Request) -> BenchmarkResult:  # noqa: ARG001 - the type of a benchmark
    raise MissingDataError("no toys; put them there")


TASK = Task("toy", _run, "a", ("toys",))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "data" / "toys").mkdir(parents=True)
    (tmp_path / "data" / "toys" / "one.txt").write_text("one")
    return Store(tmp_path / "finished", tmp_path / "data", 5)


def _fresh(store: Store, **changes: object) -> Store:
    """Return a store of another run, which looks at the data anew."""
    return replace(store, _digests={}, **changes)  # type: ignore[arg-type]


def test_a_finished_task_comes_back_as_it_was(store: Store) -> None:
    outcome = compute(TASK, Request())
    store.save(outcome)
    loaded, note = _fresh(store).load(TASK)
    assert (loaded, note) == (outcome, "")
    assert loaded is not None
    assert loaded.result().table() == [["a"]]
    assert loaded.result().charts == {"c": "<svg/>"}


def test_what_was_computed_otherwise_is_not_reused(store: Store) -> None:
    store.save(compute(TASK, Request()))
    assert _fresh(store, seeds=6).load(TASK) == (None, "")
    assert store.load(replace(TASK, method="b")) == (None, "")
    (store.data / "toys" / "one.txt").write_text("two")
    assert _fresh(store).load(TASK) == (None, "")


def test_data_of_other_folders_does_not_matter(store: Store) -> None:
    store.save(compute(TASK, Request()))
    (store.data / "other").mkdir()
    (store.data / "other" / "new.txt").write_text("new")
    assert _fresh(store).load(TASK)[0] is not None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"fingerprint": 1, "nonsense": 2}', "\ufeff"]
)
def test_a_broken_file_is_named_and_computed_again(store: Store, text: str) -> None:
    store.save(compute(TASK, Request()))
    path = store.folder / "toy-a.json"
    path.write_text(text, encoding="utf-8")
    loaded, note = store.load(TASK)
    assert loaded is None
    assert str(path) in note
    assert note.endswith("computed again")


def test_cells_that_do_not_fit_their_titles_make_a_file_broken(store: Store) -> None:
    store.save(compute(TASK, Request()))
    path = store.folder / "toy-a.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, "cells": [[]]}), encoding="utf-8")
    assert "computed again" in store.load(TASK)[1]


def test_a_task_that_lacks_something_says_why() -> None:
    outcome = compute(replace(TASK, run=_lacking), Request())
    assert outcome.reason == "no toys; put them there"
    assert outcome.rows == ()


def test_a_long_reason_of_several_rows_is_told_once() -> None:
    why = "the folder of toys is missing; it belongs to the data set of toys: put it there"
    lacking = [Outcome(replace(TASK, method=name), reason=why) for name in "ab"]
    said, notes = remarks([Outcome(replace(TASK, method="done")), *lacking])
    assert said == dict.fromkeys(("toy-a", "toy-b"), "not computed, see the notes")
    assert notes == [f"not computed, 2 rows: {why}"]


def test_other_reasons_stand_with_their_rows() -> None:
    names = {"a": "short", "b": "short", "c": "x" * 100}
    lacking = [Outcome(replace(TASK, method=n), reason=why) for n, why in names.items()]
    said, notes = remarks(lacking)
    assert notes == []
    assert said == {f"toy-{name}": f"not computed: {why}" for name, why in names.items()}
