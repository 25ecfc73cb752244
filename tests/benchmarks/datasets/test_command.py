"""`python -m benchmarks data` lists and `python -m benchmarks data fetch` downloads, with the "
"licence first."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.datasets import DataFile, DataSet
from benchmarks.datasets.download import DownloadSettings
from tests.benchmarks.datasets import server as answers
from tests.benchmarks.datasets.conftest import CONTENT
from tests.benchmarks.datasets.server import Server
from tests.cli.conftest import stepgraph as stepgraph  # the fixture that runs the program
from tests.cli.running import Run


@pytest.fixture(autouse=True)
def _without_a_data_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEPGRAPH_DATA", raising=False)
    monkeypatch.setenv("COLUMNS", "100")


def test_the_list_shows_licence_and_source_of_every_data_set_without_a_directory(
    bench: Run,
) -> None:
    result = bench("data")
    assert result.code == 0
    for word in ("captaincook4d", "EPIC-Tent-O", "MIT", "CC BY-NC 4.0", "aleflabo/PREGO"):
        assert word in result.out
    assert "? of 331" in result.out
    assert max(map(len, result.lines)) <= 100
    assert result.err.startswith("note: no data directory: set STEPGRAPH_DATA, or use --data DIR")


@pytest.mark.usefixtures("toys")
def test_the_list_says_what_is_present_different_and_missing(bench: Run, target: Path) -> None:
    target.write_bytes(b"mine")
    result = bench("data", "--data", str(target.parent.parent))
    assert result.code == 0
    assert "0 of 3" in result.out
    assert result.notes[0] == "note: toys: not the pinned files: toys/large.bin"
    assert "python -m benchmarks data fetch toys downloads 1 file" in result.notes[1]
    assert "non-commercial use only" in result.notes[1]
    assert "toys/private.txt comes from owner/name" in result.notes[2]


def test_the_list_for_machines_names_every_file(
    bench: Run, toys: DataSet, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target.write_bytes(CONTENT)
    monkeypatch.setenv("STEPGRAPH_DATA", str(target.parent.parent))
    result = bench("data", "--json")
    assert (result.code, result.err) == (0, "")
    (row,) = result.json["datasets"]
    assert (row["name"], row["licence"], row["non_commercial"]) == ("toys", "CC BY-NC 4.0", True)
    assert [file["state"] for file in row["files"]] == ["present", "missing", "missing"]
    assert [file["downloadable"] for file in row["files"]] == [True, True, False]
    assert row["files"][0]["sha256"] == toys.files[0].sha256


def test_a_directory_that_is_not_there_is_an_error(bench: Run) -> None:
    result = bench("data", "--data", "nowhere")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: nowhere: no such data directory")


@pytest.mark.usefixtures("toys")
def test_fetching_shows_the_licence_and_then_what_came(
    bench: Run, server: Server, tmp_path: Path
) -> None:
    result = bench("data", "fetch", "toys", "--data", str(tmp_path), "--mirror", server.base_url)
    assert result.code == 0
    assert "licence CC BY-NC 4.0; non-commercial use only, from owner/name" in result.lines[0]
    assert result.lines[-1] == (
        f"2 files fetched (0.0 MB), 0 present before, 1 not offered, in {tmp_path / 'toys'}"
    )
    assert (tmp_path / "toys" / "large.bin").read_bytes() == CONTENT
    assert "toys/private.txt comes from owner/name" in result.err


def test_a_refused_download_is_one_line_and_exit_code_2(
    bench: Run, server: Server, toys: DataSet, tmp_path: Path
) -> None:
    server.script.append(answers.instead(b"?" * len(CONTENT)))
    result = bench("data", "fetch", "toys", "--data", str(tmp_path), "--mirror", server.base_url)
    assert result.code == 2
    (message,) = result.notes
    assert message.startswith("error: ")
    assert toys.files[0].sha256 in message
    assert "non-commercial" in result.out


@pytest.mark.usefixtures("toys")
def test_an_interrupted_fetch_ends_with_one_line(
    bench: Run, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("benchmarks.datasets.download._append", interrupt)
    result = bench("data", "fetch", "toys", "--data", str(tmp_path), "--mirror", server.base_url)
    assert (result.code, result.err) == (130, "error: interrupted\n")
    assert [path.name for path in (tmp_path / "toys").iterdir()] == ["large.bin.part"]


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fetch", "toy", "--data", "."], "unknown data set 'toy'; did you mean 'toys'?"),
        (["fetch", "toys"], "no data directory: set the environment variable STEPGRAPH_DATA"),
        (["fetch", "toys", "--data", ".", "--mirror", "http://x"], "begins with https://"),
        (["fetch"], "missing argument"),
        (
            ["--data", ".", "fetch", "toys"],
            "options come last: python -m benchmarks data fetch NAME --data DIR",
        ),
    ],
    ids=["unknown", "no directory", "plain HTTP", "no name", "options first"],
)
def test_bad_input_is_one_line_and_nothing_is_asked_for(
    bench: Run, server: Server, arguments: list[str], message: str
) -> None:
    result = bench("data", *arguments)
    assert (result.code, result.out) == (2, "")
    (line,) = result.notes
    assert message in line
    assert server.requests == []


def test_the_help_of_fetch_has_an_example(bench: Run) -> None:
    assert (
        "Example: python -m benchmarks data fetch captaincook4d"
        in bench("data", "fetch", "--help").out
    )


def test_by_default_files_come_from_github(
    bench: Run, toys: DataSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request: list[str] = []

    def note(file: DataFile, _target: Path, settings: DownloadSettings, _told: object) -> None:
        request.append(settings.url(file))

    monkeypatch.setattr(sys.modules["benchmarks.datasets.download"], "download", note)
    assert bench("data", "fetch", "toys", "--data", str(tmp_path)).code == 0
    assert request == [DownloadSettings().url(file) for file in toys.files[:2]]
