"""The program starts at once, and what it loads is what a command needs."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from stepgraph import __version__
from tests.cli.running import COMMANDS, Run, in_a_process

HEAVY = {"torch", "numpy", "networkx", "scipy", "rich"}

LIST_MODULES = """
import sys
from stepgraph.cli.main import run
try:
    run()
finally:
    print(*{name.split(".")[0] for name in sys.modules}, file=sys.stderr)
"""


@pytest.mark.parametrize("command", ["--help", "show", "check"])
def test_quick_commands_load_neither_torch_nor_numpy(command: str, demos: str, graph: str) -> None:
    arguments = {"--help": [], "show": [graph], "check": [graph, demos]}[command]
    ended = in_a_process(command, *arguments, code=LIST_MODULES)
    assert ended.returncode == 0
    loaded = set(ended.stderr.split())
    assert "stepgraph" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize("command", ["--help", "show", "check"])
def test_quick_commands_answer_at_once(command: str, demos: str, graph: str) -> None:
    arguments = {"--help": [], "show": [graph], "check": [graph, demos]}[command]
    times = []
    for _ in range(3):
        # The time of its own, as machines that run tests are seldom quiet.
        started = _seconds_of_children()
        subprocess.run(
            [sys.executable, "-m", "stepgraph.cli.main", command, *arguments],
            check=True,
            capture_output=True,
        )
        times.append(_seconds_of_children() - started)
    assert min(times) < 0.6


def _seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_no_arguments_show_the_help(stepgraph: Run) -> None:
    result = stepgraph()
    assert (result.code, result.err) == (0, "")
    assert result.out.strip() == stepgraph("--help").out.strip()
    assert "stepgraph example pancakes" in result.out


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_help_lists_every_command_with_a_whole_sentence(
    option: str, stepgraph: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = stepgraph(option)
    listed = result.out.split("Commands:\n")[1].splitlines()
    assert [line.split()[0] for line in listed if line] == list(COMMANDS)
    assert all(line.endswith(".") and not line.endswith("...") for line in listed if line)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_has_an_example(command: str, stepgraph: Run) -> None:
    result = stepgraph(command, "--help")
    assert (result.code, result.err) == (0, "")
    assert f"Example: stepgraph {command}" in result.out


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_fits_the_terminal(
    command: str, columns: int, stepgraph: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert max(map(len, stepgraph(command, "--help").lines)) <= columns


def test_the_version_is_the_packages(stepgraph: Run) -> None:
    assert stepgraph("--version").out == f"stepgraph {__version__}\n"


def test_an_interrupt_ends_with_one_line_and_the_code_of_an_interrupt(
    stepgraph: Run, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("stepgraph.formats.read_graph", interrupt)
    result = stepgraph("show", graph)
    assert (result.code, result.out, result.err) == (130, "", "error: interrupted\n")
