from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run, files_in

ROWS = ("--methods", "no-order,intersection", "--parts", "table-1", "--seeds", "1")


@pytest.fixture
def data(small: Path) -> str:
    return str(small)


def _finished(folder: Path) -> list[Path]:
    return sorted((folder / "out" / "paper" / "finished").iterdir())


def test_it_says_what_it_will_compute_and_writes_four_forms(
    bench: Run, data: str, folder: Path
) -> None:
    result = bench("paper", "--data", data, "-o", "out", *ROWS)
    assert result.code == 0, result.err
    plan, _, written = result.out.partition("to compute; expected on two cores:")
    assert "table-1" in plan
    assert "table-1: ready, 1 of 1" in written
    for ending in ("html", "md", "tex", "json"):
        assert (folder / "out" / f"paper.{ending}").stat().st_size > 0
    content = json.loads((folder / "out" / "paper.json").read_text(encoding="utf-8"))
    assert [row["method"] for row in content["rows"]] == ["intersection", "no-order"]
    names = [path.name for path in _finished(folder)]
    assert names == ["captaincook4d-intersection.json", "captaincook4d-no-order.json"]


def test_a_second_run_computes_nothing_and_gives_the_same_tables(
    bench: Run, data: str, folder: Path
) -> None:
    bench("paper", "--data", data, "-o", "out", *ROWS)
    before = (folder / "out" / "paper.json").read_text(encoding="utf-8")
    times = [path.stat().st_mtime_ns for path in _finished(folder)]
    result = bench("paper", "--data", data, "-o", "out", *ROWS)
    assert "0 rows to compute; expected on two cores: a moment" in result.out
    assert (folder / "out" / "paper.json").read_text(encoding="utf-8") == before
    assert [path.stat().st_mtime_ns for path in _finished(folder)] == times


def test_fresh_computes_everything_again(bench: Run, data: str, folder: Path) -> None:
    bench("paper", "--data", data, "-o", "out", *ROWS)
    times = [path.stat().st_mtime_ns for path in _finished(folder)]
    result = bench("paper", "--data", data, "-o", "out", *ROWS, "--fresh")
    assert "2 rows to compute" in result.out
    assert all(
        path.stat().st_mtime_ns > time for path, time in zip(_finished(folder), times, strict=True)
    )


def test_an_interrupted_run_goes_on_where_it_stopped(bench: Run, data: str, folder: Path) -> None:
    bench("paper", "--data", data, "-o", "out", *ROWS)
    _finished(folder)[0].unlink()
    result = bench("paper", "--data", data, "-o", "out", *ROWS)
    assert "1 row to compute" in result.out
    assert len(_finished(folder)) == 2


def test_a_broken_finished_part_is_noted_and_computed_again(
    bench: Run, data: str, folder: Path
) -> None:
    bench("paper", "--data", data, "-o", "out", *ROWS)
    _finished(folder)[0].write_text('{"half', encoding="utf-8")
    result = bench("paper", "--data", data, "-o", "out", *ROWS)
    assert result.code == 0
    assert "1 row to compute" in result.out
    assert any("computed again" in note for note in result.notes)
    json.loads(_finished(folder)[0].read_text(encoding="utf-8"))


def test_rows_that_cannot_be_computed_are_counted(bench: Run, data: str, folder: Path) -> None:
    arguments = ("--methods", "always-before", "--parts", "table-3", "--seeds", "1")
    result = bench("paper", "--data", data, "-o", "out", *arguments)
    assert result.code == 0
    assert "not computed, the page says why" in result.out
    page = (folder / "out" / "paper.md").read_text(encoding="utf-8")
    assert "Synchronised_action_label.txt is missing" in page


def test_json_is_all_that_is_printed_where_machines_read(
    bench: Run, data: str, folder: Path
) -> None:
    result = bench("paper", "--data", data, "-o", "out", *ROWS, "--json")
    kept = json.loads((folder / "out" / "paper.json").read_text(encoding="utf-8"))
    assert result.json["rows"] == kept["rows"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--parts tabel-1", "unknown part 'tabel-1'; did you mean 'table-1'"),
        ("--parts ,", "--parts ',': expected one or more names"),
        ("--methods intersektion", "unknown method 'intersektion'; did you mean 'intersection'?"),
        ("--parts table-2 --methods msgi", "none of the parts table-2 has a row msgi"),
        ("--quik", "no such option: --quik"),
        ("--seeds 0", "--seeds"),
        ("-o paper.json", "expected a folder"),
        ("-o taken/below", "taken is a file, expected a folder"),
        ("--data nowhere", "nowhere: no such data directory"),
        ("twice", "(see 'python -m benchmarks paper --help')"),
    ],
)
def test_bad_input_gives_one_message_and_no_output(
    bench: Run, folder: Path, data: str, arguments: str, says: str
) -> None:
    (folder / "taken").write_text("mine", encoding="utf-8")
    before = files_in(folder)
    result = bench("paper", "--data", data, *arguments.split())
    assert (result.code, result.out) == (2, "")
    (message,) = result.notes
    assert says in message
    assert files_in(folder) == before
