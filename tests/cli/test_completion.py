"""What a shell asks `tgml` when somebody presses the tab key."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import in_a_process

# Otherwise the shell that the tests were started from would decide.
NAMED = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}


def test_bash_is_told_the_commands_that_begin_so() -> None:
    asked = in_a_process(
        code="from tgml.cli.main import run; run()",
        _TGML_COMPLETE="complete_bash",
        COMP_WORDS="tgml ev",
        COMP_CWORD="1",
    )
    assert asked.stdout.split() == ["evaluate"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_of_its_own(shell: str) -> None:
    shown = in_a_process("--show-completion", shell, **NAMED)
    assert shown.returncode == 0, shown.stderr
    assert f"complete_{shell}" in shown.stdout


def test_completion_is_installed_into_the_home_folder(tmp_path: Path) -> None:
    done = in_a_process("--install-completion", "bash", HOME=str(tmp_path), **NAMED)
    assert done.returncode == 0, done.stderr
    script = tmp_path / ".bash_completions" / "tgml.sh"
    assert "complete" in script.read_text()
    assert str(script) in (tmp_path / ".bashrc").read_text()
