from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import (
    FileError,
    InputError,
    MissingExtraError,
    SettingError,
    UnavailableError,
    UnknownNameError,
)
from stepgraph.logs import ProcedureSize
from stepgraph.pipeline import learn
from stepgraph.pipeline import procedures as running
from stepgraph.pipeline.outcomes import Checkpoint, Outcome
from stepgraph.pipeline.procedures import LearningReport, cut_batches, learn_procedures
from stepgraph.pipeline.workers import Workers
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary
from tests.learning import options
from tests.pipeline.killing import deadly, deadly_once

pytest.importorskip("joblib")


def many(number: int = 12) -> list[Demonstrations]:
    orders = ["abcd", "bacd", "abdc", "abc"]
    return [
        Demonstrations.from_steps(
            [orders[(place + shift) % 4] for shift in range(1 + place % 3)],
            procedure=f"p{place:02d}",
        )
        for place in range(number)
    ]


MARKED = KeyStepSequence("1", (1,), mistakes=("wrong",))
BROKEN = Demonstrations(Vocabulary(("a",)), (MARKED,), "broken")
"""All its recordings have mistakes, so it cannot be learned from."""


def as_bytes(report: LearningReport) -> bytes:
    return json.dumps([outcome.to_json() for outcome in report.outcomes]).encode()


@pytest.mark.parametrize("method", ["do", "intersection"])
def test_the_bytes_do_not_depend_on_the_number_of_workers(method: str) -> None:
    one, two = (
        as_bytes(learn_procedures(many(), options(method), workers=Workers(number), most=3))
        for number in (1, 2)
    )
    assert one == two


def test_a_run_gives_the_graph_of_each_procedure_alone() -> None:
    report = learn_procedures(many(), options("intersection"), workers=Workers(1), most=5)
    for one, outcome in zip(many(), report.outcomes, strict=True):
        assert outcome.graph == learn(one, "intersection")
        assert outcome.procedure == one.procedure
    assert report.batches == 5  # two, then five, and five as one, one and three


def test_a_procedure_that_fails_stops_nothing_else() -> None:
    report = learn_procedures(
        [*many(5), BROKEN], options("intersection"), workers=Workers(2), most=3
    )
    assert [outcome.procedure for outcome in report.failed] == ["broken"]
    assert "all 1 recordings have marked mistakes" in report.failed[0].error
    assert len(report.learned) == 5


def test_an_error_nobody_thought_of_is_of_its_procedure_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(self: object, given: Demonstrations, *, seed: int = 0) -> Any:  # noqa: ARG001
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("stepgraph.learners.intersection.Intersection.learn", fail)
    report = learn_procedures(many(2), options("intersection"), workers=Workers(1))
    assert [outcome.error for outcome in report.outcomes] == ["ZeroDivisionError: oh"] * 2


def test_progress_is_told_over_the_whole_run() -> None:
    told: list[tuple[int, int]] = []
    learn_procedures(
        many(7),
        options("intersection"),
        workers=Workers(1),
        most=3,
        progress=lambda done, total, what: told.append((done, total)),  # noqa: ARG005
    )
    assert told == [(0, 7), (1, 7), (4, 7), (6, 7), (7, 7)]  # what is cut last is done first


def test_what_is_wrong_with_the_run_as_a_whole_is_raised() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'intersection'"):
        learn_procedures(many(2), options("intersectoin"))
    with pytest.raises(UnknownNameError, match="setting 'beta'"):
        learn_procedures(many(2), options("intersection", beta=1))
    with pytest.raises(SettingError, match="the seed is -1"):
        learn_procedures(many(2), options("intersection", seed=-1), workers=Workers(1))
    with pytest.raises(SettingError, match="workers is 0"):
        Workers(0)
    with pytest.raises(InputError, match="two procedures are called 'p00'"):
        learn_procedures([many(1)[0], many(1)[0]], options("intersection"))


class _StoppedError(Exception):
    """Somebody pressed Ctrl-C."""


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    def stop(done: int, total: int, what: str) -> None:  # noqa: ARG001
        if done >= 6:
            raise _StoppedError

    with pytest.raises(_StoppedError):
        learn_procedures(
            many(),
            options("intersection"),
            workers=Workers(1),
            most=3,
            checkpoint=tmp_path,
            progress=stop,
        )
    kept = len(list(tmp_path.iterdir()))
    assert 1 <= kept < 4
    resumed = learn_procedures(
        many(), options("intersection"), workers=Workers(1), most=3, checkpoint=tmp_path
    )
    assert resumed.resumed == kept
    assert as_bytes(resumed) == as_bytes(
        learn_procedures(many(), options("intersection"), workers=Workers(1))
    )


def test_other_settings_recordings_or_broken_files_are_not_taken_for_finished(
    tmp_path: Path,
) -> None:
    def run(given: list[Demonstrations], **settings: Any) -> int:
        return learn_procedures(
            given,
            options("intersection", **settings),
            workers=Workers(1),
            checkpoint=tmp_path,
        ).resumed

    assert run(many()) == 0
    assert run(many()) == 1
    assert run(many(), repetitions="last") == 0
    heavier = [replace(many()[0], sequences=(replace(many()[0].sequences[0], weight=2.0),))]
    assert run([*heavier, *many()[1:]]) == 0
    for path in tmp_path.iterdir():
        path.write_text(path.read_text()[:-20])
    assert run(many()) == 0
    for path in tmp_path.iterdir():
        path.write_text("[" * 100_000)
    assert run(many()) == 0


def test_a_full_disk_ends_the_run_and_keeps_what_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Path] = []

    def full(path: Path, text: str) -> None:
        if len(written) == 2:
            raise FileError(f"{path}: cannot be written (No space left on device)")
        written.append(Path(path))
        Path(path).write_text(text)

    monkeypatch.setattr("stepgraph.pipeline.outcomes.write_text", full)
    with pytest.raises(FileError, match=r"No space left on device.*the same command goes on"):
        learn_procedures(
            many(), options("intersection"), workers=Workers(2), most=3, checkpoint=tmp_path
        )
    monkeypatch.undo()
    report = learn_procedures(
        many(), options("intersection"), workers=Workers(1), most=3, checkpoint=tmp_path
    )
    assert report.resumed == 2
    assert not report.failed


@dataclass(frozen=True, eq=False)
class _Deadly(running._Work):
    """Work whose worker dies at one procedure."""

    mark: str = ""

    def __call__(self, task: Any) -> tuple[int, str, list[Outcome]]:
        given = (task.procedures, self.options)
        outcomes = deadly_once(*given, self.mark) if self.mark else deadly(*given)
        return task.batch.number, task.fingerprint, outcomes


@pytest.mark.filterwarnings("ignore:.*A worker stopped:UserWarning")
@pytest.mark.parametrize("once", [True, False])
def test_a_worker_that_dies_costs_at_most_the_procedure_that_killed_it(
    once: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = str(tmp_path / "mark") if once else ""
    given = [*many(5), replace(many(1)[0], procedure="deadly")]
    monkeypatch.setattr(running, "_Work", lambda options: _Deadly(options, mark=mark))
    report = learn_procedures(given, options("intersection"), workers=Workers(2), most=2)
    failed = [] if once else ["deadly"]
    assert [outcome.procedure for outcome in report.failed] == failed
    assert len(report.outcomes) == 6
    assert any("a worker died" in note for note in report.notes)
    if not once:
        assert "its worker died" in report.failed[0].error


def test_a_scheduler_that_does_not_answer_is_refused_without_a_hang() -> None:
    pytest.importorskip("distributed")
    workers = Workers(scheduler="tcp://127.0.0.1:9", patience=0.5)
    with pytest.raises(UnavailableError, match=r"'tcp://127.0.0.1:9' did not answer within 0.5 s"):
        learn_procedures(many(2), options("intersection"), workers=workers)
    with pytest.raises(UnavailableError, match="did not answer"):
        learn_procedures(
            many(2), options("intersection"), workers=Workers(scheduler="nonsense://", patience=0.5)
        )


def test_the_backend_that_joblib_was_configured_to_is_used() -> None:
    import joblib

    with joblib.parallel_config(backend="threading", n_jobs=2):
        report = learn_procedures(many(), options("intersection"), most=3)
    assert as_bytes(report) == as_bytes(
        learn_procedures(many(), options("intersection"), workers=Workers(1))
    )


@pytest.mark.parametrize("number", [None, 2])
def test_a_backend_that_gives_all_results_at_once_is_asked_in_rounds(
    number: int | None, tmp_path: Path
) -> None:
    import joblib
    from joblib.parallel import BACKENDS, ThreadingBackend

    class AllAtOnce(ThreadingBackend):  # type: ignore[misc] # as Ray's
        supports_return_generator = False
        default_n_jobs = 1

    joblib.register_parallel_backend("all-at-once", AllAtOnce)
    told: list[int] = []
    try:
        with joblib.parallel_config(backend="all-at-once", n_jobs=number):
            report = learn_procedures(
                many(30),
                options("intersection"),
                most=1,
                checkpoint=tmp_path / "kept",
                progress=lambda done, *_: told.append(done),
            )
    finally:
        BACKENDS.pop("all-at-once")
    assert as_bytes(report) == as_bytes(
        learn_procedures(many(30), options("intersection"), workers=Workers(1))
    )
    assert told == list(range(31))


@pytest.mark.parametrize(
    ("package", "workers"),
    [("joblib", Workers(2)), ("distributed", Workers(scheduler="tcp://127.0.0.1:9"))],
)
def test_without_the_extra_the_message_says_what_to_install(
    package: str, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "dask.distributed", raising=False)
    with pytest.raises(MissingExtraError, match=r"pip install 'stepgraph\[cluster\]'"):
        learn_procedures(many(), options("intersection"), workers=workers, most=3)


def test_without_joblib_a_run_that_asks_for_no_workers_goes_on_in_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "joblib", None)
    assert not learn_procedures(many(), options("intersection"), most=3).failed


@pytest.mark.parametrize("sign", ["\u2028", "\x85", "\x0c", "\r", "\n"])
def test_a_kept_batch_is_found_whatever_its_names_hold(sign: str, tmp_path: Path) -> None:
    kept = Checkpoint(tmp_path)
    outcomes = [Outcome(f"tea{sign}", error=f"a{sign}b"), Outcome("b", explanations=(sign,))]
    kept.keep("abc", outcomes)
    assert kept.find("abc") == outcomes


SIZES = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 40)), min_size=0, max_size=60).map(
    lambda pairs: [
        ProcedureSize(f"p{number}", variants, variants, longest)
        for number, (variants, longest) in enumerate(pairs)
    ]
)


@given(SIZES, st.integers(1, 9), st.integers(1, 30_000))
def test_every_procedure_is_in_one_batch_and_none_is_too_large(
    sizes: list[ProcedureSize], most: int, most_pairs: int
) -> None:
    batches = cut_batches(sizes, most=most, most_pairs=most_pairs)
    assert sorted(name for batch in batches for name in batch.procedures) == sorted(
        size.name for size in sizes
    )
    assert [batch.number for batch in batches] == list(range(len(batches)))
    pairs = {size.name: size.variants * (size.longest + 2) ** 2 for size in sizes}
    for batch in batches:
        assert len(batch.procedures) <= most
        total = sum(pairs[name] for name in batch.procedures)
        assert total <= most_pairs or len(batch.procedures) == 1


@given(SIZES, st.randoms())
def test_the_order_of_the_procedures_changes_no_batch(
    sizes: list[ProcedureSize], rng: object
) -> None:
    shuffled = sizes.copy()
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert cut_batches(shuffled, most=4) == cut_batches(sizes, most=4)


@given(SIZES)
def test_a_batch_holds_procedures_of_similar_length(sizes: list[ProcedureSize]) -> None:
    longest = {size.name: size.longest for size in sizes}
    lengths = [longest[name] for batch in cut_batches(sizes, most=5) for name in batch.procedures]
    assert lengths == sorted(lengths)


def test_the_batch_that_is_done_last_is_small_and_one_batch_alone_stays_whole() -> None:
    sizes = [ProcedureSize(f"p{number:03}", 3, 9, 10) for number in range(240)]
    assert [len(batch.procedures) for batch in cut_batches(sizes, most=80)] == [
        10,
        10,
        20,
        40,
        80,
        80,
    ]
    assert [len(batch.procedures) for batch in cut_batches(sizes, most=240)] == [240]
