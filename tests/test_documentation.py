"""What the documents tell people to type must work."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").rglob("*.md"))


def _blocks(page: Path, language: str) -> list[str]:
    fence = re.compile(rf"^ *```{language}\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
    return fence.findall(page.read_text())


def _dedent(block: str) -> str:
    margin = min(len(line) - len(line.lstrip()) for line in block.splitlines() if line.strip())
    return "\n".join(line[margin:] for line in block.splitlines()) + "\n"


def test_the_readmes_commands_and_python_work_in_an_empty_folder(tmp_path: Path) -> None:
    commands = [
        line.split("#")[0].strip()
        for block in _blocks(ROOT / "README.md", "sh")
        for line in block.splitlines()
        if line.startswith("tgml")
    ]
    assert len(commands) >= 6
    program = [sys.executable, "-m", "tgml.cli.main"]
    for command in commands:
        words = shlex.split(command)[1:]
        done = subprocess.run([*program, *words], cwd=tmp_path, capture_output=True, text=True)
        expected = 1 if words[0] == "check" else 0  # the example holds faulty recordings
        assert done.returncode == expected, f"{command}: {done.stderr}"
        if words[0] == "show":
            assert done.stdout in (ROOT / "README.md").read_text()
    (script,) = _blocks(ROOT / "README.md", "python")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "step 2, 'whisk the batter': done before" in done.stdout


def test_the_tutorials_commands_answer_as_it_says(tmp_path: Path) -> None:
    page = ROOT / "docs" / "tutorial.md"
    (recordings,) = _blocks(page, "csv")
    (tmp_path / "tea.csv").write_text(recordings)
    program = tmp_path / "bin" / "tgml"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tgml.cli.main "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    sessions = [
        part.partition("\n")
        for block in _blocks(page, "console")
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    ]
    assert len(sessions) >= 9
    for command, _, answer in sessions:
        done = subprocess.run(
            ["bash", "-c", command],  # noqa: S607 - people have their bash where it is
            cwd=tmp_path,
            env={**os.environ, "PATH": path, "COLUMNS": "90"},
            capture_output=True,
            text=True,
        )
        assert done.stdout + done.stderr == answer, command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_python_on_each_page_runs(page: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}  # a page is read from top to bottom
    for block in _blocks(page, "python"):
        exec(compile(_dedent(block), str(page), "exec"), names)  # noqa: S102


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
