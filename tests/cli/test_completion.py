"""What a shell asks `stepgraph` when somebody presses the tab key."""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.cli.running import in_a_process

# Otherwise the shell that the tests were started from would decide.
NAMED = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}


def test_bash_is_told_the_commands_that_begin_so() -> None:
    asked = in_a_process(
        code="from stepgraph.cli.main import run; run()",
        _STEPGRAPH_COMPLETE="complete_bash",
        COMP_WORDS="stepgraph ev",
        COMP_CWORD="1",
    )
    assert asked.stdout.split() == ["evaluate"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("stepgraph learn --method inter", ["intersection"]),
        ("stepgraph methods count", ["count-based"]),
        ("stepgraph example pan", ["pancakes"]),
    ],
)
def test_bash_is_told_the_names_that_a_command_takes(words: str, expected: list[str]) -> None:
    asked = in_a_process(
        code="from stepgraph.cli.main import run; run()",
        _STEPGRAPH_COMPLETE="complete_bash",
        COMP_WORDS=words,
        COMP_CWORD=str(len(words.split()) - 1),
    )
    assert asked.stdout.split() == expected, asked.stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_tab_key_completes_in_a_real_bash(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty", reason="needs a terminal to press keys in")
    variables = {"HOME": str(tmp_path), "TERM": "dumb", "PS1": "> "}
    variables["PATH"] = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    done = in_a_process("--install-completion", "bash", **variables, **NAMED)
    assert done.returncode == 0, done.stderr
    process, terminal = pty.fork()
    if process == 0:
        os.execvpe("bash", ["bash", "--rcfile", f"{tmp_path}/.bashrc", "-i"], variables)  # noqa: S606, S607
    try:
        os.write(terminal, b"stepgraph lea\t--meth\tcount-b\t")
        written, until = b"", time.monotonic() + 60
        while b"learn --method count-based" not in written and time.monotonic() < until:
            if select.select([terminal], [], [], 0.1)[0]:
                written += os.read(terminal, 4096)
        assert b"stepgraph learn --method count-based" in written
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_of_its_own(shell: str) -> None:
    shown = in_a_process("--show-completion", shell, **NAMED)
    assert shown.returncode == 0, shown.stderr
    assert f"complete_{shell}" in shown.stdout


def test_completion_is_installed_into_the_home_folder(tmp_path: Path) -> None:
    done = in_a_process("--install-completion", "bash", HOME=str(tmp_path), **NAMED)
    assert done.returncode == 0, done.stderr
    script = tmp_path / ".bash_completions" / "stepgraph.sh"
    assert "complete" in script.read_text()
    assert str(script) in (tmp_path / ".bashrc").read_text()
