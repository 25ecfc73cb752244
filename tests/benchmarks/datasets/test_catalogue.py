"""The catalogue is complete, well-formed, and true of the files that benchmarks read."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest

from benchmarks.datasets import (
    DATASETS,
    DataSet,
    Evidence,
    State,
    data_directory,
    examine,
    get_dataset,
)
from benchmarks.datasets.catalogue import SOURCES
from benchmarks.datasets.directory import data_file, inside
from benchmarks.harness import MissingDataError
from stepgraph.errors import UnknownNameError

ALL = list(DATASETS.values())
FILES = [file for dataset in ALL for file in dataset.files]


def test_an_unknown_data_set_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown data set 'epic'; did you mean 'epic-tent'"):
        get_dataset("epic")


def test_every_file_is_listed_once_and_belongs_below_the_folder_of_its_data_set() -> None:
    assert len({file.path for file in FILES}) == len(FILES)
    for dataset in ALL:
        assert dataset.files
        for file in dataset.files:
            assert inside(Path("data"), file.path).is_relative_to(Path("data", dataset.name))


def test_every_file_has_a_size_a_checksum_and_a_pinned_commit() -> None:
    for file in FILES:
        assert file.size > 0
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
    for source in SOURCES.values():
        assert re.fullmatch(r"[0-9a-f]{40}", source.commit)
        assert re.fullmatch(r"[\w-]+/[\w-]+", source.repository)


def test_every_source_is_used() -> None:
    assert {file.source for file in FILES} == set(SOURCES.values())


def test_a_file_that_is_only_listed_has_one_beside_it_that_was_compared_whole() -> None:
    compared = {file.source for file in FILES if file.evidence is Evidence.WHOLE}
    assert {file.source for file in FILES if file.evidence is Evidence.LISTED} <= compared


def test_a_file_is_either_offered_or_says_what_to_do() -> None:
    for file in FILES:
        assert file.downloadable == (file.by_hand == "")
        assert (PurePosixPath(file.path).name in file.published) or ".dev." in file.path


def test_a_part_of_a_published_file_is_not_offered() -> None:
    excerpts = [file for file in FILES if ".dev." in file.path]
    assert len(excerpts) == 2
    assert not any(file.downloadable for file in excerpts)
    assert "annotation_json/error_annotations.json in CaptainCook4D" in excerpts[1].by_hand


def test_licences_that_forbid_commercial_use_say_so() -> None:
    assert [dataset.name for dataset in ALL if "non-commercial" in dataset.terms] == [
        "assembly101",
        "epic-tent",
        "llm-graphs",
    ]


@pytest.mark.real_data
@pytest.mark.parametrize("dataset", ALL, ids=lambda dataset: dataset.name)
def test_every_checksum_is_that_of_the_file_that_benchmarks_read(
    dataset: DataSet, data: Path
) -> None:
    status = examine(dataset, data)
    assert status.files(State.DIFFERENT) == ()
    assert status.files(State.MISSING) == ()


@pytest.mark.real_data
@pytest.mark.parametrize("dataset", ALL, ids=lambda dataset: dataset.name)
def test_every_file_of_a_data_set_is_in_the_catalogue(dataset: DataSet, data: Path) -> None:
    there = {
        path.relative_to(data).as_posix()
        for path in (data / dataset.name).rglob("*")
        if path.is_file()
    }
    assert there == {file.path for file in dataset.files}


def test_a_benchmark_without_a_file_says_what_it_is_and_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError) as raised:
        data_file(tmp_path, "captaincook4d", "ground_truth_task_graphs")
    message = str(raised.value)
    assert "ground_truth_task_graphs (24 files) is missing" in message
    assert "licence MIT" in message
    assert "fpv-iplab/Differentiable-Task-Graph-Learning" in message
    assert f"python -m benchmarks data fetch captaincook4d --data {tmp_path}" in message
    assert "STEPGRAPH_DATA" in message


def test_a_file_that_cannot_be_fetched_is_not_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError) as raised:
        data_file(tmp_path, "recognition", "output_OadTR_Assembly101-O.json")
    assert "python -m benchmarks data fetch" not in str(raised.value)
    assert "aleflabo/PREGO" in str(raised.value)


def test_without_a_data_directory_the_message_says_what_it_would_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("STEPGRAPH_DATA", raising=False)
    with pytest.raises(
        MissingDataError, match=r"STEPGRAPH_DATA, or use --data DIR; .*assembly101 \(.*"
    ):
        data_directory(None, needs=("assembly101",))


def test_a_directory_that_is_to_be_made_need_not_be_there_but_a_file_will_not_do(
    tmp_path: Path,
) -> None:
    assert data_directory(tmp_path / "new", create=True) == tmp_path / "new"
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "other"):
        with pytest.raises(MissingDataError, match="no such data directory"):
            data_directory(path, create=path.name == "file")
