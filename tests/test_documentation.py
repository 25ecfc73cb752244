"""What the documents tell people to type must work."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
import typer

from stepgraph.cli.main import app

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").rglob("*.md"))


def _blocks(page: Path, language: str) -> list[str]:
    fence = re.compile(rf"^ *```{language}\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
    return fence.findall(page.read_text())


def _dedent(block: str) -> str:
    margin = min(len(line) - len(line.lstrip()) for line in block.splitlines() if line.strip())
    return "\n".join(line[margin:] for line in block.splitlines()) + "\n"


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment in which `stepgraph` is this one, wherever Python was started from."""
    program = folder / "bin" / "stepgraph"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stepgraph.cli.main "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "COLUMNS": "90", "PYTHONUNBUFFERED": "1"}


def _run(command: str, folder: Path, environment: dict[str, str]) -> CompletedProcess[str]:
    """Run a command; notes stand among what it prints, where a terminal shows them."""
    return subprocess.run(
        ["bash", "-c", command],  # noqa: S607 - people have their bash where it is
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_the_readmes_commands_and_python_work_in_an_empty_folder(tmp_path: Path) -> None:
    commands = [
        line.split("#")[0].strip()
        for block in _blocks(ROOT / "README.md", "sh")
        for line in block.splitlines()
        if not line.startswith(("make", "pip"))
    ]
    assert 6 <= len(commands) <= 10
    environment = _environment(tmp_path)
    for command, answer in _sessions(ROOT / "README.md"):
        assert _run(command, tmp_path, environment).stdout == answer
    for command in commands:
        done = _run(command, tmp_path, environment)
        # Hugo did not let the tea steep, and water is poured before it is boiled.
        expected = 1 if "stepgraph check" in command or "stepgraph watch" in command else 0
        assert done.returncode == expected, f"{command}: {done.stdout}"
    (script,) = _blocks(ROOT / "README.md", "python")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == re.findall(r"^print.*  # (.*)$", script, re.MULTILINE)


def test_the_readme_fits_three_screens() -> None:
    text = re.sub(r"<!--.*?-->", "", (ROOT / "README.md").read_text())
    assert len([line for line in text.splitlines() if line.strip()]) <= 100


def _sessions(page: Path) -> list[tuple[str, str]]:
    """Return the commands of a page that show their answers, and the answers."""
    parts = [
        part.partition("\n")
        for block in _blocks(page, "console")
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    ]
    return [(command, answer) for command, _, answer in parts]


def _prepare(page: Path, folder: Path, environment: dict[str, str]) -> None:
    """Put there what the page starts from, unless it begins with an example of its own."""
    if any(command.startswith("stepgraph example") for command, _ in _sessions(page)):
        return
    for graph in _blocks(page, "json"):
        (folder / "batter.json").write_text(graph)
    learn = "stepgraph learn my-recordings/pancakes.csv -o pancakes.json"
    done = _run(f"stepgraph example pancakes -o my-recordings && {learn}", folder, environment)
    assert done.returncode == 0, done.stdout


ANSWERING = [page for page in PAGES if _sessions(page)]


def test_the_tutorial_is_among_the_pages_that_show_answers() -> None:
    assert len(_sessions(ROOT / "docs" / "tutorial.md")) >= 9
    assert len(ANSWERING) >= 4


@pytest.mark.parametrize("page", ANSWERING, ids=lambda page: page.stem)
def test_commands_answer_as_the_page_says(page: Path, tmp_path: Path) -> None:
    environment = _environment(tmp_path)
    _prepare(page, tmp_path, environment)
    for command, answer in _sessions(page):
        done = _run(command, tmp_path, environment)
        assert done.stdout == answer, command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_python_on_each_page_runs(page: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}  # a page is read from top to bottom
    for block in _blocks(page, "python"):
        exec(compile(_dedent(block), str(page), "exec"), names)  # noqa: S102


def _mentioned(page: Path) -> Iterator[str]:
    """Return the commands of stepgraph that a page tells people to type, wherever it does."""
    text = page.read_text().replace("\\\n", " ")
    code = [*_blocks(page, "sh"), *_blocks(page, "console")]
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    for line in [line for block in code for line in block.replace("\\\n", " ").splitlines()]:
        yield from re.findall(r"(?:^\$? ?|\| )stepgraph (.*?)(?:  #.*| \|.*)?$", line)
    yield from (" ".join(span.split()) for span in re.findall(r"`stepgraph ([^`]*)`", text))


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_every_command_that_is_named_exists_with_its_options(page: Path) -> None:
    for mentioned in _mentioned(page):
        command: Any = typer.main.get_command(app)
        words = shlex.split(mentioned)
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        assert not getattr(command, "commands", {}) or not words or words[0][:1] in "-[", mentioned
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        assert {word.split("=")[0] for word in words if word[:2] == "--"} <= known, mentioned


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if not target.startswith("http"):
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            assert file.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in _anchors(file), f"{page.name}: {target}"


def _anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
