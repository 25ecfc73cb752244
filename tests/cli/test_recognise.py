from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.generators.features import draw_sessions
from stepgraph.formats import save_graph
from stepgraph.monitoring import Confusion
from stepgraph.recognise import key_steps, load_recogniser, save_frames, save_recogniser
from tests.cli.running import Run
from tests.recognise.samples import CAMERA, GRAPH, films, trained

QUICK = [
    option
    for setting in ("epochs=2", "embedding=8", "hidden=8", "window=16", "latest=8")
    for option in ("--set", setting)
]
TRAIN = [
    *("recognise", "train", "rgb", "flow", "--labels", "labels", "--classes", "classes.txt"),
    *("--background", "nothing"),
]
RUN = ["recognise", "run", "model.safetensors", "test/rgb", "test/flow"]


@pytest.fixture(autouse=True)
def camera(folder: Path) -> Path:
    """Write what a camera filmed, and a recogniser trained on it."""
    save_frames(films()[:4], folder, ("rgb", "flow"))
    erring = draw_sessions(GRAPH, 2, seed=4, every_second_errs=True)
    save_frames(CAMERA.film(erring, seed=4), folder / "test", ("rgb", "flow"))
    (folder / "classes.txt").write_text("\n".join(CAMERA.classes))
    save_graph(GRAPH, folder / "graph.json")
    save_recogniser(trained().recogniser, folder / "model.safetensors")
    trained().confusion.save(folder / "confusion.json")
    return folder


def test_training_writes_a_recogniser_and_how_it_errs(stepgraph: Run, folder: Path) -> None:
    result = stepgraph(*TRAIN, *QUICK, "-o", "new.safetensors")
    assert result.code == 0, result.err
    assert result.lines[0] == "1 recording held out of 4, " + result.lines[0].split(", ")[1]
    assert [line.split()[0] for line in result.lines[4:7]] == ["gru", "linear", "majority"]
    assert load_recogniser(folder / "new.safetensors").steps == GRAPH.steps
    assert Confusion.read(folder / "new.confusion.json").steps == GRAPH.steps


def test_classes_that_never_came_are_told(stepgraph: Run, folder: Path) -> None:
    (folder / "classes.txt").write_text("\n".join([*CAMERA.classes, "fly"]))
    result = stepgraph(*TRAIN, *QUICK, "-o", "new.safetensors")
    assert "1 class, such as 'fly', occurred in no training frame" in result.err


def test_without_a_command_the_help_is_shown(stepgraph: Run) -> None:
    result = stepgraph("recognise")
    assert result.code == 0
    assert "train" in result.out


def test_training_can_be_read_by_machines_and_repeated(stepgraph: Run, folder: Path) -> None:
    first = stepgraph(*TRAIN, *QUICK, "-o", "a.safetensors", "--json").json
    again = stepgraph(*TRAIN, *QUICK, "-o", "b.safetensors", "--json").json
    assert first["scores"] == again["scores"]
    assert set(first["scores"]) == {"gru", "linear", "majority"}
    assert first["epochs"] <= 2
    assert (folder / "a.safetensors").read_bytes() == (folder / "b.safetensors").read_bytes()
    assert (folder / "a.confusion.json").read_bytes() == (folder / "b.confusion.json").read_bytes()


def test_verdicts_are_those_of_watch(stepgraph: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = stepgraph(*RUN, "--graph", "graph.json", "--json")
    steps = stepgraph(*RUN)
    assert steps.code == 0
    stdin = SimpleNamespace(buffer=io.BytesIO(steps.out.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    watched = stepgraph("watch", "graph.json", "--json")
    assert judged.code == watched.code == 1

    def by_session(lines: list[str]) -> list[dict[str, object]]:
        return sorted((json.loads(line) for line in lines), key=lambda entry: entry["session"])

    assert by_session(judged.lines) == by_session(watched.lines)


@pytest.mark.parametrize(("session", "code"), [("session-01", 0), ("session-02", 1)])
def test_the_exit_code_says_whether_a_session_was_right(
    stepgraph: Run, session: str, code: int
) -> None:
    frames = [f"test/{kind}/{session}.npy" for kind in ("rgb", "flow")]
    result = stepgraph(
        "recognise", "run", "model.safetensors", *frames, "--graph", "graph.json", "--json"
    )
    assert json.loads(result.lines[-1])["mistakes"] == code
    assert result.code == code


def test_a_session_without_key_steps_is_not_right(stepgraph: Run) -> None:
    frames = ["rgb.npy", "flow.npy"]
    for kind, path in zip(("rgb", "flow"), frames, strict=True):
        np.save(path, np.load(f"test/{kind}/session-01.npy")[:1])
    result = stepgraph("recognise", "run", "model.safetensors", *frames, "--graph", "graph.json")
    assert (result.code, result.lines) == (1, [])
    assert result.notes == ["note: rgb: no key-step was recognised"]


def test_key_steps_come_with_their_times(stepgraph: Run) -> None:
    np.save("one.npy", np.load("test/rgb/session-01.npy"))
    result = stepgraph(
        *("recognise", "run", "model.safetensors", "one.npy", "test/flow/session-01.npy"),
        *("--fps", "10"),
    )
    entries = [json.loads(line) for line in result.lines]
    film = CAMERA.film(draw_sessions(GRAPH, 2, seed=4, every_second_errs=True), seed=4)[0]
    expected = [(k.step, k.frame / 10) for k in key_steps(trained().recogniser, film)]
    assert [(entry["step"], entry["time"]) for entry in entries] == expected
    assert {entry["session"] for entry in entries} == {"one"}


def test_with_a_confusion_verdicts_are_probabilities(stepgraph: Run) -> None:
    plain = stepgraph(*RUN, "--graph", "graph.json")
    probable = stepgraph(*RUN, "--graph", "graph.json", "--confusion", "confusion.json")
    assert "[session-01] 1: " in plain.out
    assert "%" not in plain.out
    assert "%" in probable.out
    assert probable.lines[0].startswith("[session-01] 1: ")


def test_frames_can_come_through_standard_input(
    stepgraph: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    rgb, flow = (np.load(f"test/{kind}/session-01.npy") for kind in ("rgb", "flow"))
    lines = [json.dumps(frame.tolist()) for frame in np.concatenate([rgb, flow], axis=1)]
    stdin = SimpleNamespace(buffer=io.BytesIO("\n\n".join(lines).encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    live = stepgraph("recognise", "run", "model.safetensors", "-")
    files = stepgraph(*RUN)
    steps = [json.loads(line)["step"] for line in files.lines if '"session-01"' in line]
    assert [json.loads(line)["step"] for line in live.lines] == steps


ODD_FRAMES = ["mix", "[1, 2]", '{"a": 1}', "[1, null]", f"[1{'0' * 400}]", f"[{'1e300,' * 8} 1]"]


@pytest.mark.parametrize("line", ODD_FRAMES)
def test_a_line_that_is_no_frame_is_refused(
    stepgraph: Run, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(line.encode())))
    result = stepgraph("recognise", "run", "model.safetensors", "-")
    assert result.code == 2
    assert "standard input, line 1: no frame" in result.err


def error(stepgraph: Run, *arguments: str) -> str:
    result = stepgraph(*arguments)
    assert result.code == 2
    assert not result.out
    (line,) = [line for line in result.notes if line.startswith("error: ")]
    return line


def test_what_cannot_be_trained_on_is_one_message_and_writes_nothing(
    stepgraph: Run, folder: Path
) -> None:
    target = ["-o", "new.safetensors"]
    assert "expected a name that ends in .safetensors" in error(stepgraph, *TRAIN, "-o", "new.pt")
    assert "none of the classes" in error(stepgraph, *TRAIN, *target, "--background", "fog")
    assert "--held-out 1.5" in error(stepgraph, *TRAIN, *target, "--held-out", "1.5")
    assert "unknown setting 'windw'" in error(stepgraph, *TRAIN, *target, "--set", "windw=3")
    assert "latest is 999" in error(stepgraph, *TRAIN, *target, "--set", "latest=999")
    (folder / "flow" / "session-02.npy").unlink()
    assert "flow: there is no session-02.npy, but rgb has one" in error(stepgraph, *TRAIN, *target)
    assert not list(folder.glob("new*"))


def test_what_cannot_be_run_is_one_message(stepgraph: Run, folder: Path) -> None:
    graph = ["--graph", "graph.json"]
    assert "this recogniser was trained on 6 and 3" in error(stepgraph, *RUN[:-1], *graph)
    assert "need --graph" in error(stepgraph, *RUN, "--next")
    assert "--fps 0" in error(stepgraph, *RUN, "--fps", "0")
    both = ["--error-rate", "0.1", "--confusion", "confusion.json"]
    assert "exclude each other" in error(stepgraph, *RUN, *graph, *both)
    (folder / "other.txt").write_text("other")
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:-9])
    assert "is it whole?" in error(stepgraph, *RUN, *graph)


def test_a_graph_of_other_steps_is_refused_and_missing_ones_are_told(
    stepgraph: Run, folder: Path
) -> None:
    from stepgraph.graph import TaskGraph

    save_graph(TaskGraph.from_preconditions({"b": ["a"]}), folder / "other.json")
    assert "none of its steps is one that the recogniser tells apart" in error(
        stepgraph, *RUN, "--graph", "other.json"
    )
    save_graph(TaskGraph.from_preconditions({"mix": ["a"]}), folder / "part.json")
    result = stepgraph(*RUN, "--graph", "part.json", "--confusion", "confusion.json")
    assert "the recogniser was never shown 1 step, such as 'a'" in result.err
