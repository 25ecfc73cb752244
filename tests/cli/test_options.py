"""How the texts of options become values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

import pytest

from stepgraph.cli import options
from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.graph import TaskGraph
from stepgraph.learners.base import Learned, Learner
from stepgraph.sequences import Demonstrations
from tests.cli.running import Run


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Painter(Learner):
    name = "painter"

    strokes: int = 1
    width: float = 1.0
    limit: float | None = None
    colour: Colour = Colour.RED
    title: str = ""
    framed: bool = False
    model: TaskGraph | None = None
    pairs: tuple[str, ...] = ()

    def learn(self, demonstrations: Demonstrations, *, seed: int = 0) -> Learned:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("strokes=3", 3),
        ("width=1e-3", 0.001),
        ("width=2", 2.0),
        ("limit=0.5", 0.5),
        ("colour=red", "red"),
        ("title=5", "5"),
        ("title=a=b", "a=b"),
        (" title = x ", "x"),
        ("framed=true", True),
        ("framed=No", False),
    ],
)
def test_a_setting_gets_a_value_of_its_own_type(text: str, value: object) -> None:
    (given,) = options.settings([text], Painter).values()
    assert given == value
    assert type(given) is type(value)


def test_a_setting_that_is_a_graph_is_read_from_a_file(graph: str) -> None:
    settings = options.settings([f"model={graph}"], Painter)
    assert settings["model"].procedure == "sandwich"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("strokes=few", "--set strokes=few: expected a whole number"),
        ("strokes=1.5", "expected a whole number"),
        ("width=wide", "expected a number"),
        ("limit=none", "expected a number"),
        ("framed=perhaps", "expected true or false"),
        ("pairs=a", "can be given in Python only"),
        ("width", "expected NAME=VALUE"),
        ("width=", "expected NAME=VALUE"),
        ("=3", "expected NAME=VALUE"),
        ("with_mistakes=true", "use the option --with-mistakes instead"),
    ],
)
def test_a_text_that_is_no_such_value_is_refused(text: str, says: str) -> None:
    with pytest.raises(SettingError) as error:
        options.settings([text], Painter)
    assert says in str(error.value)


def test_an_unknown_setting_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'strokes'"):
        options.settings(["stroke=1"], Painter)


def test_no_options_are_no_values() -> None:
    assert options.settings(None, Painter) == {}
    assert options.columns(None) == {}


def test_columns_are_given_by_their_role() -> None:
    assert options.columns(["step=What was done", "recording=id"]) == {
        "step": "What was done",
        "recording": "id",
    }


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
        "--one-of",
        "--undoes",
        "--prior",
    ]
