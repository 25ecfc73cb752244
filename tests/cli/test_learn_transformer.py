"""`stepgraph learn --method tgt-text`: one network for all, its file, and step names alone."""

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
    asked = stepgraph("learn", *TEXT, "--model", "network", "--zero-shot", steps, "-o", "tea.json")
    assert asked.code == 0, asked.err
    assert "a network trained on 2 others" in asked.err
    graph = read_graph("tea.json")
    assert graph.steps == ("boil water", "warm the pot", "steep the tea")
    assert graph.provenance.recordings == 0
    again = stepgraph(
        "learn", *TEXT, "--model", "network", "--zero-shot", steps, "-o", "again.json"
    )
    assert again.code == 0
    assert (folder / "again.json").read_text().replace("again", "tea") == (
        folder / "tea.json"
    ).read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--zero-shot", "tea.txt"), "--zero-shot needs --model FILE"),
        (("--zero-shot", "tea.txt", "--model", "none"), "none: no such file"),
        (("--zero-shot", "tea.txt", "--model", "tea.txt"), "cannot be read as safetensors"),
        (("--zero-shot", "twice.txt", "--model", "none"), "'stir' is already on line 1"),
        (("--zero-shot", "gap.txt", "--model", "none"), "line 2 is empty"),
        (("two.csv", "--zero-shot", "tea.txt", "--model", "none"), "takes no recordings"),
        (("--zero-shot", "tea.txt", "--model", "none", "--unified"), "trains nothing"),
        (("two.csv", "--model", "none"), "--model FILE is for --zero-shot"),
        ((), "no recordings"),
        (("two.csv", "-o", "out", "--save-model", "network"), "2 networks are to be trained"),
        (("two.csv", "-o", "out", "--set", "sentence_model=no/such"), "not on this machine"),
        (("two.csv", "-o", "out", "--set", "embeddings=none.npz"), "none.npz: no such file"),
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
    result = stepgraph("learn", *options, *TEXT)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert sorted(folder.iterdir()) == before


def test_other_methods_take_no_network(stepgraph: Run, put: Put) -> None:
    demos = put("two.csv", TWO)
    result = stepgraph("learn", demos, "-o", "out", "--unified")
    assert (result.code, "takes no --unified" in result.err) == (2, True)
    result = stepgraph("learn", "--zero-shot", demos)
    assert (result.code, "for --method tgt-text" in result.err) == (2, True)
