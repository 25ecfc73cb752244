"""One idea has one option: walks all commands, and compares what they call and how they take it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from stepgraph.cli.main import app
from tests.cli.running import COMMANDS, Run

SHORT = {"--help": "-h", "--output": "-o", "--method": "-m"}
"""The short names that there are, the same wherever the long one is."""
TAKES: dict[str, set[str]] = {
    # What is written depends on the command, and is a file, a folder, or either.
    "--output": {"FILE", "FOLDER", "PATH"},
}
"""Options of one idea whose value may be of several kinds."""
SYNONYMS = {
    "--demos": ("--demonstrations", "--sequences", "--log", "--trials"),
    "--output": ("--out", "--target", "--folder", "--to", "--file"),
    "--truth": ("--against", "--reference", "--known", "--ground-truth"),
    "--json": ("--as-json", "--machine"),
    "--seed": ("--random-state", "--random-seed"),
    "--workers": ("--jobs", "--processes"),
    "--set": ("--setting", "--option", "--param"),
}
"""Words for what has an option already."""


def walk(command: Any = None, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command that takes options, by its name."""
    command = command or typer.main.get_command(app)
    yield name, command
    for word, below in getattr(command, "commands", {}).items():
        yield from walk(below, f"{name} {word}".strip())


def options() -> dict[str, dict[str, Any]]:
    """Return for each option, by its long name, the commands that have it."""
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for name, command in walk():
        for parameter in command.params:
            if parameter.param_type_name == "option":
                (long,) = [option for option in parameter.opts if option.startswith("--")]
                found[long][name] = parameter
    return found


def test_the_walk_finds_every_command() -> None:
    names = {name for name, _ in walk()}
    assert names >= {*COMMANDS, "recognise run", "recognise train"}


@pytest.mark.parametrize("option", sorted(options()))
def test_an_option_takes_the_same_everywhere(option: str) -> None:
    commands = options()[option]
    kinds = {
        (found.is_flag, found.multiple, None if option in TAKES else found.metavar)
        for found in commands.values()
    }
    assert len(kinds) == 1, sorted(commands)
    if option in TAKES:
        assert {found.metavar for found in commands.values()} <= TAKES[option]


@pytest.mark.parametrize("option", sorted(options()))
def test_short_names_are_few_and_always_there(option: str) -> None:
    for name, found in options()[option].items():
        short = [other for other in found.opts if not other.startswith("--")]
        assert short == ([SHORT[option]] if option in SHORT else []), name


def test_one_idea_has_one_option() -> None:
    for chosen, others in SYNONYMS.items():
        assert chosen in options()
        assert not set(others) & set(options())


@pytest.mark.parametrize("option", ["--seed", "--json", "--truth", "--demos", "--order"])
def test_what_several_commands_share_is_explained_in_the_same_words(option: str) -> None:
    texts = {found.help.replace(" Lines", "") for found in options()[option].values()}
    assert len(texts) == 1


def test_arguments_of_one_kind_have_one_name() -> None:
    kinds = {
        parameter.metavar or parameter.human_readable_name
        for _, command in walk()
        for parameter in command.params
        if parameter.param_type_name == "argument"
    }
    recordings = {kind for kind in kinds if "DEMOS" in kind}
    assert kinds - recordings == {
        *("FEATURES...", "GRAPH", "GRAPHS", "LOG", "MODEL", "NAME", "STEPS", "TRUTH"),
        "[COMMAND]",
    }


@pytest.mark.parametrize("command", ["learn", "calibrate", "recognise train"])
def test_a_negative_seed_is_refused_in_the_same_way(command: str, stepgraph: Run) -> None:
    result = stepgraph(*command.split(), "--seed", "-1")
    assert (result.code, result.out) == (2, "")
    assert "'--seed'" in result.err
    assert "-1 is not in the range x>=0" in result.err
