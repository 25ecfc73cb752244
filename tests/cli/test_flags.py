"""Parameters of the library as options of the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.main import get_command

import stepgraph
from stepgraph.cli.flags import FLAGS, in_flags
from stepgraph.cli.main import app

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
