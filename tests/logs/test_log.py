from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stepgraph
from stepgraph.errors import FileError, FormatError, SettingError, UnknownNameError
from stepgraph.logs import is_log, open_log, read_log
from tests.logs.conftest import TEA, Put, variants
from tests.logs.tables import table

BOTH = {("boil", "pour"): 2.0, ("pour", "boil"): 1.0}


@pytest.mark.parametrize("name", ["tea.csv", "tea.csv.gz", "tea.tsv"])
def test_a_table_is_sorted_and_equal_recordings_are_counted_once(name: str, put: Put) -> None:
    content = TEA.replace(",", "\t") if name.endswith(".tsv") else TEA
    reading = read_log(put(name, content), order="start")
    assert variants(reading.only()) == BOTH
    assert reading.only().procedure == "tea"


def test_json_lines_give_the_same(put: Put) -> None:
    header, *rows = [line.split(",") for line in TEA.splitlines()]
    lines = [json.dumps(dict(zip(header, row, strict=True))) for row in rows]
    path = put("tea.jsonl", "\n".join(lines))
    assert variants(read_log(path, order="start").only()) == BOTH


@pytest.mark.parametrize("step", ["fill", " fill", "fill\u3000", "\tfill "])
def test_blanks_around_the_names_of_a_typed_log_are_no_part_of_them(
    step: str, tmp_path: Path
) -> None:
    import duckdb

    path = str(tmp_path / "tea.parquet")
    with duckdb.connect() as engine:
        engine.execute("CREATE TABLE rows (recording VARCHAR, step VARCHAR)")
        engine.executemany("INSERT INTO rows VALUES (?, ?)", [["a", step], ["a", "boil"]])
        engine.execute(f"COPY rows TO '{path}'")
    assert read_log(path).only().vocabulary.steps == ("fill", "boil")


def test_parquet_and_globs_give_the_same(tea: str, tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect() as connection:
        for number in (1, 2, 3):
            connection.execute(  # the paths are the test's own
                f"COPY (SELECT * FROM '{tea}' WHERE \"case id\" = {number}) "
                f"TO '{tmp_path / f'part-{number}.parquet'}'"
            )
    reading = read_log(str(tmp_path / "part-*.parquet"))
    assert variants(reading.only()) == BOTH
    assert reading.only().procedure == "part"


def columns_of(path: str) -> dict[str, list[str]]:
    """Return a CSV file as columns of text."""
    header, *rows = [line.split(",") for line in Path(path).read_text().splitlines()]
    return {name: [row[place] for row in rows] for place, name in enumerate(header)}


@pytest.mark.parametrize("library", ["nanoarrow", "pandas", "polars", "pyarrow", "reader"])
def test_tables_in_memory_give_the_same(library: str, tea: str) -> None:
    log: Any
    if library == "nanoarrow":
        log = table(columns_of(tea))
    elif library == "pandas":
        pytest.importorskip("pyarrow")
        log = pytest.importorskip("pandas").read_csv(tea)
    elif library == "polars":
        log = pytest.importorskip("polars").read_csv(tea)
    else:
        log = pytest.importorskip("pyarrow.csv").read_csv(tea)
        if library == "reader":  # can be read once only
            log = log.to_reader()
    assert variants(read_log(log).only()) == BOTH


def test_learning_takes_a_table(tea: str) -> None:
    columns = {name: values[:4] for name, values in columns_of(tea).items()}
    graph = stepgraph.learn(table(columns), "intersection")
    assert graph.preconditions_of("pour") == ("boil",)
    assert graph.provenance.recordings == 2


def test_the_columns_that_were_guessed_are_reported(tea: str) -> None:
    assert read_log(tea).notes[0] == (
        "columns guessed: recording = 'case id', step = 'activity', start = 'timestamp'"
    )


def test_named_columns_win(put: Put) -> None:
    path = put("x.csv", "who,what,activity\nann,a,x\nann,b,y\n")
    reading = read_log(path, columns={"recording": "who", "step": "what"})
    assert variants(reading.only()) == {("a", "b"): 1.0}
    assert "columns not used: 'activity'" in reading.notes


def test_marks_and_weights_survive(put: Put) -> None:
    path = put(
        "x.csv",
        "recording,step,mistake,weight\nann,a,,2\nann,b,spilled,2\nann,c,skipped,\nbo,a,,\n"
        "bo,b,spilled,\nbo,c,omitted,\n",
    )
    found = read_log(path).only()
    (variant,) = found
    assert found.names(variant) == ("a", "b")
    assert variant.mistakes == (None, "spilled")
    assert [found.vocabulary.name(node) for node in variant.skipped] == ["c"]
    assert (variant.id, variant.weight) == ("ann", 3.0)


def test_the_start_of_a_step_is_taken_for_its_time(put: Put) -> None:
    path = put("x.csv", "recording,step,end,start\nann,a,5,1\nann,b,4,2\n")
    assert variants(read_log(path, order="start").only()) == {("a", "b"): 1.0}
    assert variants(read_log(path, order="end").only()) == {("b", "a"): 1.0}
    assert variants(read_log(path, columns={"time": "end"}, order="start").only()) == {
        ("b", "a"): 1.0
    }
    with pytest.raises(SettingError, match="the column of the start time is given twice"):
        read_log(path, columns={"time": "end", "start": "start"})


def test_a_missing_column_names_what_is_there_and_what_was_guessed(put: Put) -> None:
    path = put("x.csv", "case,what\n1,a\n")
    with pytest.raises(FormatError) as caught:
        read_log(path)
    assert "no column looks like the step; the columns are 'case', 'what'" in str(caught.value)
    assert "(recording = 'case'); name it with columns={'step': NAME}" in str(caught.value)


def test_an_unknown_column_is_answered_with_the_nearest(tea: str) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'activity'"):
        read_log(tea, columns={"step": "activty"})


def test_each_procedure_has_its_own_graph(put: Put) -> None:
    path = put("x.csv", "case,activity,procedure\n1,a,one\n1,b,one\n2,b,two\n2,a,two\n")
    with open_log(path) as log:
        assert [size.name for size in log.procedures] == ["one", "two"]
        (two,) = log.demonstrations(["two"])
        assert variants(two) == {("b", "a"): 1.0}
        with pytest.raises(UnknownNameError, match="unknown procedure 'tow'; did you mean 'two'"):
            log.demonstrations(["tow"])


def test_a_recording_under_two_procedures_is_split_and_noted(put: Put) -> None:
    path = put("x.csv", "case,activity,procedure\n1,a,one\n1,b,two\n1,c,one\n2,a,one\n")
    reading = read_log(path)
    assert variants(reading.procedures["one"]) == {("a", "c"): 1.0, ("a",): 1.0}
    assert variants(reading.procedures["two"]) == {("b",): 1.0}
    assert any("a recording is listed under more than one procedure" in n for n in reading.notes)
    assert any("'1' under 'one' and 'two'" in note for note in reading.notes)


def test_rows_without_names_are_left_out_of_typed_logs_and_noted() -> None:
    names = ["a", None, "b", " ", "c", "START"]
    reading = read_log(table({"case": ["1", "1", None, "1", "1", "1"], "activity": names}))
    assert variants(reading.only()) == {("a", "c"): 1.0}
    assert "2 of 6 rows have no step and were left out" in reading.notes
    assert "1 of 6 rows have no recording and were left out" in reading.notes
    assert "1 rows of 'START' were left out: stepgraph adds it itself" in reading.notes


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,a\n1,\n", "the step is missing in 1 of 2 rows"),
        ("1,a\n,b\n", "the recording is missing in 1 of 2 rows"),
        ("1,a\n1,START\n", "START"),
    ],
)
def test_rows_without_names_are_refused_in_tables(rows: str, message: str, put: Put) -> None:
    with pytest.raises(FormatError, match=message):
        read_log(put("x.csv", f"case,activity\n{rows}"))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,\n2,\n", "no row has a step"),
        (",a\n,b\n", r"no row has a recording; name its column \(columns=\{'recording': NAME\}\)"),
        ("", "no rows"),
    ],
)
def test_a_log_without_names_is_refused(rows: str, message: str, put: Put) -> None:
    with pytest.raises(FormatError, match=message):
        read_log(put("x.csv", f"case,activity\n{rows}"))


def test_rows_of_the_same_time_keep_their_order(put: Put) -> None:
    rows = "".join(f"1,step {number},2024-01-01\n" for number in range(50))
    reading = read_log(put("x.csv", f"case,activity,time\n{rows}"), order="start")
    assert variants(reading.only()) == {tuple(f"step {number}" for number in range(50)): 1.0}


def test_the_order_of_the_rows_counts_unless_times_are_to_sort(tea: str, put: Put) -> None:
    untimed = "\n".join(line.rpartition(",")[0] for line in TEA.splitlines())
    expected = {("boil", "pour"): 1.0, ("pour", "boil"): 2.0}
    assert variants(read_log(put("u.csv", untimed)).only()) == expected
    assert variants(read_log(tea).only()) == expected
    assert any("1 of 3 recordings is not in the order" in note for note in read_log(tea).notes)
    assert variants(read_log(tea, order="start").only()) == BOTH
    with pytest.raises(SettingError, match="the order is 'time'"):
        read_log(tea, order="time")


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (
            ("2024-01-01T10:00:00Z", "2024-01-01 10:00:00"),
            "recording '1' mixes timestamps with a time zone and timestamps without a time zone",
        ),
        (("2024-01-01", "17"), "recording '1' mixes seconds and timestamps without a time zone"),
        (("01/02/2024 10:00", "2024-01-01"), "time is '01/02/2024 10:00'; expected seconds, HH"),
        (("nan", "2"), "recording '1': the start time is 'nan'"),
        (("infinity", "2024-01-01"), "the start time is 'infinity'"),
    ],
)
def test_mixed_times_are_refused(times: tuple[str, str], message: str, put: Put) -> None:
    rows = "".join(f"1,a,{time}\n" for time in times)
    with pytest.raises(FormatError, match=message):
        read_log(put("x.csv", f"case,activity,time\n{rows}"))


def test_time_zones_are_taken_into_account(put: Put) -> None:
    rows = "1,later,2024-01-01T10:00:00+01:00\n1,first,2024-01-01T10:00:00+02:00\n"
    reading = read_log(put("x.csv", f"case,activity,time\n{rows}"), order="start")
    assert variants(reading.only()) == {("first", "later"): 1.0}


def test_a_time_format_says_what_cannot_be_guessed(put: Put) -> None:
    rows = "1,later,02/01/2024 10:00\n1,first,01/02/2024 10:00\n"
    path = put("x.csv", f"case,activity,time\n{rows}")
    found = {day: variants(read_log(path, time_format=day, order="start").only()) for day in
             ("%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M")}  # fmt: skip
    assert found["%d/%m/%Y %H:%M"] == {("later", "first"): 1.0}
    assert found["%m/%d/%Y %H:%M"] == {("first", "later"): 1.0}
    with pytest.raises(FormatError, match="2 times, such as '01/02/2024 10:00', are not written"):
        read_log(path, time_format="%Y")


def test_recordings_that_lack_a_time_are_left_out_of_typed_logs_and_noted() -> None:
    rows: dict[str, list[Any]] = {
        "case": ["1", "1", "2"],
        "activity": ["a", "b", "a"],
        "time": [1, None, 1],
    }
    reading = read_log(table(rows))
    assert variants(reading.only()) == {("a",): 1.0}
    assert any("1 recordings, such as '1', lack the time" in note for note in reading.notes)
    with pytest.raises(FormatError, match="every recording lacks the time"):
        read_log(table({name: values[:2] for name, values in rows.items()}))


def test_recordings_that_lack_a_time_cannot_be_sorted(put: Put) -> None:
    path = put("x.csv", "case,activity,time\n1,a,2024-01-01\n1,b,\n2,a,2024-01-01\n")
    assert variants(read_log(path).only()) == {("a", "b"): 1.0, ("a",): 1.0}
    with pytest.raises(FormatError, match="recording '1' lacks start times"):
        read_log(path, order="start")
    with pytest.raises(FormatError, match="no column has end times"):
        read_log(path, order="end")


def test_the_start_and_the_completion_of_a_step_are_one(put: Put) -> None:
    rows = (
        "1,a,1,start\n1,b,2,START\n1,b,3,complete\n1,a,4,complete\n"
        "1,c,5,schedule\n1,c,6,complete\n1,a,7,start\n"
    )
    path = put("x.csv", f"case,activity,time,lifecycle:transition\n{rows}")
    reading = read_log(path)
    assert variants(reading.only()) == {("a", "b", "c", "a"): 1.0}
    assert variants(read_log(path, order="end").only()) == {("b", "a", "c", "a"): 1.0}
    assert "lifecycle: the start and the completion of a step are one" in reading.notes
    assert "lifecycle: left out were 1 'schedule'" in reading.notes


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,a,1\n1,b\n", "line 3: Expected Number of Columns: 3 Found: 2"),
        ('1,"a,1\n1,b,2\n', "unterminated quote"),
        (f"1,{'x' * 300},1\n", "line size"),
    ],
)
def test_a_broken_line_is_named(rows: str, message: str, put: Put) -> None:
    path = put("x.csv", f"case,activity,time\n{rows}")
    with pytest.raises(FormatError, match=message) as caught:
        read_log(path, longest_line=200)
    assert str(caught.value).startswith(f"{path}: ")
    assert len(str(caught.value)) < 400


def test_a_first_line_that_holds_no_columns_is_refused(put: Put) -> None:
    path = put("x.csv", f"case,{'x' * 200_000}\n1,a\n")
    with pytest.raises(FormatError, match=r"x\.csv: line 1: no row of a table"):
        read_log(path)


@pytest.mark.parametrize("ending", [".csv", ".xes", "[0-9].csv"])
def test_a_name_too_long_for_a_file_is_no_file(ending: str) -> None:
    with pytest.raises(FileError, match=r"no such file|no file matches"):
        read_log("x" * 300 + ending)


def test_an_endless_first_line_is_refused(put: Put) -> None:
    with pytest.raises(FormatError, match="line 1 is longer than 200 bytes"):
        read_log(put("x.csv", "x" * 1000), longest_line=200)


def test_an_endless_line_of_json_is_refused(put: Put) -> None:
    content = '{"case": 1, "activity": "a"}\n{"case": 1, "activity": "' + "x" * 40_000_000 + '"}\n'
    with pytest.raises(FormatError, match="a line is longer than 32 MB"):
        read_log(put("x.jsonl", content))


@pytest.mark.parametrize(
    ("name", "content", "kind", "message"),
    [
        ("a.parquet", "no parquet", FormatError, "."),
        ("a.csv.gz", "", FormatError, "no line holds a value"),
        ("a.jsonl", '{"case": 1, "activity": "a"}\n{"case":\n', FormatError, "Malformed JSON"),
        ("a.csv", "\n", FormatError, "no line holds a value"),
        ("a.jsonl", '{"case": 1, "activity": "a"}\n5\n', FormatError, "row 2 is no object"),
        ("a.jsonl", '{"case": 1, "case": 2}\n', FormatError, "row 1 has a key twice"),
        ("a.jsonl", '{"case": 1, "steps": ["a"]}\n', FormatError, "is a whole recording"),
        ("a.jsonl", '{"case": 1, "step": ["a"]}\n', FormatError, "holds a list or an object"),
    ],
)
def test_a_file_that_is_something_else_is_refused(
    name: str, content: str, kind: type[Exception], message: str, put: Put
) -> None:
    path = put(name, content)
    with pytest.raises(kind, match=message) as caught:
        read_log(path)
    assert path in str(caught.value)


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl", "xes"])
def test_an_empty_file_is_said_to_be_empty(ending: str, put: Put) -> None:
    with pytest.raises(FormatError, match=r"the file is empty; was it saved"):
        read_log(put(f"x.{ending}", ""))


def test_an_empty_file_among_others_is_named(put: Put, tmp_path: Path) -> None:
    put("a.csv", "case,activity\n1,a\n")
    put("b.csv", "")
    with pytest.raises(FormatError, match=r"b\.csv: the file is empty"):
        read_log(tmp_path / "*.csv")


def test_paths_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_log(tmp_path / "missing.csv")
    with pytest.raises(FileError, match="no file matches"):
        read_log(str(tmp_path / "*.csv"))
    with pytest.raises(FormatError, match="does not tell the format"):
        read_log(tmp_path / "log.docx")


def test_json_is_said_to_be_no_log_but_what_learn_reads(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="'stepgraph learn' reads recordings in JSON"):
        read_log(tmp_path / "pancakes.json")


def test_files_of_a_glob_must_have_the_same_columns(put: Put, tmp_path: Path) -> None:
    put("a.csv", TEA)
    put("b.csv", "case,activity\n1,a\n")
    with pytest.raises(FormatError, match=r"b\.csv: its columns are 'case', 'activity'; expected"):
        read_log(str(tmp_path / "*.csv"))


def test_what_can_only_be_a_log_is_known(tmp_path: Path) -> None:
    assert all(map(is_log, ("a.parquet", "a.xes.gz", "s3://bucket/a.csv")))
    assert not any(map(is_log, ("a.csv", "a.json")))
    strange = tmp_path / "a[1].csv"
    strange.write_text("x")
    assert not is_log(strange)


def test_parts_change_no_count(tea: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepgraph.logs.filters.ROWS_AT_ONCE", 2)
    assert variants(read_log(tea, order="start").only()) == BOTH


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("xyz"), st.sampled_from("abc"), st.integers(0, 3)),
        min_size=1,
        max_size=12,
    )
)
def test_the_engine_counts_as_a_plain_loop_does(rows: list[tuple[str, str, int]]) -> None:
    columns = [list(column) for column in zip(*rows, strict=True)]
    log = table(dict(zip(("case", "activity", "time"), columns, strict=True)))
    expected: dict[tuple[str, ...], float] = {}
    for case in sorted({row[0] for row in rows}):
        own = sorted((row for row in rows if row[0] == case), key=lambda row: row[2])
        steps = tuple(row[1] for row in own)
        expected[steps] = expected.get(steps, 0) + 1
    assert variants(read_log(log).only()) == expected


def test_a_folder_is_called_one_whatever_its_name(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="a folder, expected a file or a glob"):
        read_log(tmp_path)
