"""What is printed fits the terminal, the pipe and the encoding that it goes to."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command

import stepgraph
from stepgraph.cli import output
from stepgraph.cli.main import app
from stepgraph.cli.output import FLAGS, MANY, in_flags, merge_notes, table_lines
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


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("use with_mistakes=True", "use --with-mistakes"),
        ("(order='start' sorts)", "(--order start sorts)"),
        ("choose one with procedure=NAME", "choose one with --procedure NAME"),
        ("such as memory='4GB'", "such as --memory 4GB"),
        ("with time_format='%d/%m/%Y %H:%M' or", "with --time-format '%d/%m/%Y %H:%M' or"),
        ("name it with columns={'step': NAME} (", "name it with --column step=NAME ("),
        ("method='robust' or method='fusion'", "--method robust or --method fusion"),
        ("model=NAME or", "--set model=NAME or"),
        ("unified=True and", "--set unified=true and"),
        ("a step called 'order=1' is", "a step called 'order=1' is"),
        ("--set model=x is given", "--set model=x is given"),
        ("the border=2 of", "the border=2 of"),
    ],
)
def test_parameters_become_options(said: str, shown: str) -> None:
    assert in_flags(said) == shown
    assert in_flags(shown) == shown


def test_every_option_exists() -> None:
    known = {
        name
        for command in get_command(app).commands.values()  # type: ignore[attr-defined]
        for parameter in command.params
        for name in parameter.opts
    }
    assert set(FLAGS.values()) <= known


def test_outside_the_command_line_and_its_servers_no_message_names_an_option() -> None:
    package = Path(stepgraph.__file__).parent
    named = {
        f"{path.relative_to(package)}: {found}"
        for path in package.rglob("*.py")
        if path.relative_to(package).parts[0] not in ("cli", "web", "drawing", "report")
        for found in OPTION.findall(path.read_text(encoding="utf-8"))
    }
    assert named == {"learners/transformer/minilm.py: --force-reinstall"}  # pip's own


NAMES = ["tea", "soup", "tea: green", "rice"]
TEXTS = st.sampled_from(["2 steps", "10 steps", "'step 2' is odd", "'step 10' is odd", "odd"])


def test_each_number_becomes_its_range() -> None:
    notes = ["tea: 1 of 9 left out (1.5 %)", "soup: 10 of 9 left out (0.25 %)", "a note"]
    notes.append("rice: 2 of 9 left out (7 %)")
    assert merge_notes(NAMES, notes) == [
        "a note",
        "3 procedures (tea, soup, rice): 1 to 10 of 9 left out (0.25 to 7 %)",
    ]


def test_numbers_in_names_make_different_notes() -> None:
    notes = [f"{name}: 'step {number}' is odd" for number, name in enumerate(NAMES)]
    assert merge_notes(NAMES, notes) == notes


def test_the_longest_name_is_the_procedure() -> None:
    notes = [f"{name}: odd" for name in NAMES]
    assert merge_notes(NAMES, notes) == ["4 procedures (tea, soup, tea: green, ...): odd"]


@given(st.lists(st.tuples(st.sampled_from(["", *NAMES]), TEXTS), max_size=12))
def test_what_few_have_stays_and_no_note_is_lost(pairs: list[tuple[str, str]]) -> None:
    notes = [f"{name}: {text}" if name else text for name, text in pairs]
    said = merge_notes(NAMES, notes)
    kinds = {(bool(name), re.sub(r"^\d+", "#", text)) for name, text in pairs}
    assert {text for one, text in kinds if not one} <= {re.sub(r"^\d+", "#", one) for one in said}
    for one, kind in kinds:
        of = {name for name, text in pairs if re.sub(r"^\d+", "#", text) == kind and name}
        if one and len(of) >= MANY:
            assert any(line.startswith(f"{len(of)} procedures (") for line in said)
        elif one:
            mine = [f"{a}: {b}" for a, b in pairs if a and re.sub(r"^\d+", "#", b) == kind]
            assert [line for line in said if line in mine] == mine


@pytest.mark.parametrize("command", [["audit"], ["advise"], ["learn", "--method", "intersection"]])
def test_commands_say_once_what_they_note_of_many(
    stepgraph: Run, put: Put, command: list[str]
) -> None:
    text = table({"anna": ["mix", "Mix"], "ben": ["mix", "Mix"]}).splitlines()
    lines = [f"procedure,{text[0]}"]
    lines += [f"{name},{row}" for name in ("tea", "soup", "rice") for row in text[1:]]
    name, *more = command
    result = stepgraph(
        name, put("three.csv", "\n".join(lines)), *more, *(["--json"] if more else [])
    )
    assert result.code == 0
    assert result.notes[0].startswith(
        "note: 3 procedures (tea, soup, rice): the steps 'mix', 'Mix' differ only"
    )
