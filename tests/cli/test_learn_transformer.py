"""`stepgraph learn --method tgt-text`, one network for all and its file; `stepgraph predict`."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph.formats import read_graph
from tests.cli.running import Put, Run

TEXT = ("-m", "tgt-text")
TWO = (
    "procedure,recording,step\n"
    "eggs,1,crack egg\neggs,1,whisk egg\neggs,1,fry egg\n"
    "toast,2,slice bread\ntoast,2,toast bread\n"
)
LEARN_TWO = ("learn", "two.csv", *TEXT, "-o", "out")
STEPS = "# nobody has shown this\nboil water\nwarm the pot\nsteep the tea\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPGRAPH_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


def test_a_unified_network_is_saved_and_asked_about_unseen_steps(
    stepgraph: Run, put: Put, folder: Path
) -> None:
    demos, steps = put("two.csv", TWO), put("tea.txt", STEPS)
    learned = stepgraph(
        "learn", demos, *TEXT, "--unified", "--save-model", "network", "-o", "graphs"
    )
    assert learned.code == 0, learned.err
    assert set(read_graph("graphs/eggs.json").preconditions_of("fry egg")) == {"whisk egg"}
    asked = stepgraph("predict", steps, "--model", "network", "-o", "tea.json")
    assert asked.code == 0, asked.err
    assert "a network trained on 2 others" in asked.err
    graph = read_graph("tea.json")
    assert graph.steps == ("boil water", "warm the pot", "steep the tea")
    assert graph.provenance.recordings == 0
    again = stepgraph("predict", steps, "--model", "network", "-o", "again.json")
    assert again.code == 0
    assert (folder / "again.json").read_text().replace("again", "tea") == (
        folder / "tea.json"
    ).read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("predict", "tea.txt"), "missing option '--model'"),
        (("predict", "tea.txt", "--model", "none"), "none: no such file"),
        (("predict", "tea.txt", "--model", "tea.txt"), "cannot be read as safetensors"),
        (("predict", "twice.txt", "--model", "none"), "'stir' is already on line 1"),
        (("predict", "gap.txt", "--model", "none"), "line 2 is empty"),
        (("predict", "tea.txt", "--model", "none", "-o", "tea.csv"), "'.csv' names no format"),
        (("learn", *TEXT), "no recordings"),
        (
            (*LEARN_TWO, "--save-model", "network"),
            "2 networks are to be trained",
        ),
        (
            (*LEARN_TWO, "--set", "sentence_model=no/such"),
            "not on this machine",
        ),
        (
            (*LEARN_TWO, "--set", "embeddings=none.npz"),
            "none.npz: no such file",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_one_message(
    options: tuple[str, ...], message: str, stepgraph: Run, put: Put, folder: Path
) -> None:
    put("two.csv", TWO)
    put("tea.txt", STEPS)
    put("twice.txt", "stir\nstir\n")
    put("gap.txt", "stir\n\npour\n")
    before = sorted(folder.iterdir())
    result = stepgraph(*options)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert sorted(folder.iterdir()) == before


def test_other_methods_take_no_network(stepgraph: Run, put: Put) -> None:
    demos = put("two.csv", TWO)
    result = stepgraph("learn", demos, "-o", "out", "--unified")
    assert (result.code, "takes no --unified" in result.err) == (2, True)
