from __future__ import annotations

import re

import pytest

from tests.cli.running import Run


@pytest.mark.parametrize("command", ["learn", "inspect"])
def test_every_option_stands_once_below_a_title(stepgraph: Run, command: str) -> None:
    help_ = stepgraph(command, "--help").out
    titles = re.findall(r"^(\w.*):$", help_, flags=re.MULTILINE)
    assert titles[:2] == ["Arguments", "Options"]
    assert len(titles) == len(set(titles)) > 4
    options = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", help_, flags=re.MULTILINE)
    assert len(options) == len(set(options))
    assert {"--json", "--help", "--order", "--since", "--memory"} <= set(options)


def test_the_options_of_a_section_stand_below_it(stepgraph: Run) -> None:
    _, _, below = stepgraph("learn", "--help").out.partition("Prior knowledge")
    section, _, _ = below.partition("\n\n")
    assert re.findall(r"^  (--\S+)", section, flags=re.MULTILINE) == [
        "--must",
        "--never",
        "--prior",
    ]
