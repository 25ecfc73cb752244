"""What is printed fits the terminal, the pipe and the encoding that it goes to."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from stepgraph.cli import output
from stepgraph.cli.output import table_lines
from tests.cli.running import Put, Run, in_a_process
from tests.cli.samples import table


@pytest.mark.parametrize("command", ["show", "check", "example", "--help"])
def test_a_reader_who_leaves_early_hears_no_complaint(command: str, graph: str, put: Put) -> None:
    wrong = put("wrong.csv", table({str(number): ["eat"] for number in range(3000)}))
    arguments = {"show": [graph], "check": [graph, wrong]}.get(command, [])
    with subprocess.Popen(
        [sys.executable, "-m", "stepgraph.cli.main", command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        code = process.wait(timeout=60)
    if command == "check":
        assert code == 1  # there are violations, whoever reads of them


def test_no_output_stream_at_all_is_fine(graph: str) -> None:
    code = "import sys\nsys.stdout = None\nfrom stepgraph.cli.main import run\nrun()"
    for arguments in (["show", graph], ["show", graph, "--json"], ["example"]):
        ended = in_a_process(*arguments, code=code)
        assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("variables", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C"}])
def test_names_of_any_script_are_printed_whatever_the_encoding(
    variables: dict[str, str], graph: str, put: Put
) -> None:
    odd = put("odd.csv", table({"anna": ["slice bread", "切る"]}))
    ended = in_a_process("check", graph, odd, **variables)
    assert ended.returncode == 1
    assert ended.stderr == ""
    assert "切る" in ended.stdout or "\\u5207\\u308b" in ended.stdout


def test_json_is_json_whatever_the_encoding(graph: str, put: Put) -> None:
    odd = put("odd.csv", table({"anna": ["slice bread", "切る"]}))
    ended = in_a_process("check", graph, odd, "--json", PYTHONIOENCODING="ascii")
    assert json.loads(ended.stdout)[0]["violations"][0]["step"] == "切る"


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
@pytest.mark.parametrize("arguments", ["example", "methods", "methods do"])
def test_tables_fit_the_terminal(
    arguments: str, columns: int, stepgraph: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = stepgraph(*arguments.split()).lines
    assert max(map(len, lines)) <= columns
    assert all(line == line.rstrip() for line in lines)


def test_progress_is_silent_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with output.progress_bar() as progress:
        progress(1, 2, "half")
    assert capsys.readouterr() == ("", "")


def test_progress_is_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with output.progress_bar() as progress:
        progress(1, 2, "half way")
    assert "half way" in screen.getvalue()


TITLES = ["method", "F1", "about"]
ROWS = [
    ["do", "89.7", "gradient descent on the weights of all edges"],
    ["no-order", "5.0", "nothing needs anything"],
]


def test_figures_stand_to_the_right_and_texts_to_the_left() -> None:
    assert table_lines(["name", "F1"], [["do", "89.7"], ["no-order", "5.0"]], width=40) == [
        "name        F1",
        "────────  ────",
        "do        89.7",
        "no-order   5.0",
    ]


def test_the_widest_text_is_wrapped_at_blanks() -> None:
    assert table_lines(TITLES, ROWS, width=40) == [
        "method      F1  about",
        "────────  ────  ────────────────────────",
        "do        89.7  gradient descent on the",
        "                weights of all edges",
        "no-order   5.0  nothing needs anything",
    ]


@pytest.mark.parametrize("width", [27, 40, 60, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, table_lines(TITLES, ROWS, width=width))) <= width


def test_a_terminal_too_narrow_for_columns_gets_blocks() -> None:
    assert table_lines(TITLES, ROWS[1:], width=20) == [
        "method: no-order",
        "F1: 5.0",
        "about: nothing needs",
        "anything",
    ]


def test_characters_of_two_columns_keep_the_columns_straight() -> None:
    lines = table_lines(["name", "n"], [["卵", "1"], ["egg", "2"]], width=40)
    assert lines[2:] == ["卵     1", "egg    2"]


def test_ascii_is_enough_where_nothing_else_can_be_shown() -> None:
    lines = table_lines(["name"], [["sauté"]], width=40, unicode=False)
    assert "".join(lines).isascii()


def test_a_table_without_rows_is_its_heading() -> None:
    assert table_lines(["name", "F1"], [], width=40) == ["name  F1", "────  ──"]
