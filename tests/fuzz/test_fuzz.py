"""A few inputs of each kind that `make fuzz` tries by the million, and that it would notice."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from stepgraph.errors import FormatError
from stepgraph.formats import GRAPH_WRITERS, RECORDING_FORMATS
from tests.fuzz import checking, drawn
from tests.fuzz.checking import Findings
from tests.fuzz.mutation import mutate
from tests.fuzz.registry import all_targets
from tests.fuzz.target import Check, Target, expect
from tests.fuzz.work import Work

# Tests of the service and of the studio send bad bodies to servers that they stop again.
TARGETS = {name: target for name, target in all_targets().items() if not target.is_server}
every_target = pytest.mark.parametrize("name", TARGETS)


def test_every_format_is_a_target() -> None:
    assert {f"recordings-{name}" for name in RECORDING_FORMATS} <= TARGETS.keys()
    assert {"graph-graphml", "graph-pnml", "graph-bpmn", "graph-json"} <= TARGETS.keys()
    assert {".graphml", ".pnml", ".bpmn", ".json"} <= GRAPH_WRITERS.keys()


@every_target
def test_valid_inputs_are_accepted_and_come_back_as_they_were(name: str, tmp_path: Path) -> None:
    for data in TARGETS[name].seeds():
        TARGETS[name].check(data, tmp_path)


@every_target
def test_changed_inputs_give_something_valid_or_an_error_of_stepgraph(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "SECONDS", math.inf)  # times are for `make fuzz`
    target = TARGETS[name]
    seeds = target.seeds()
    with Findings(target, tmp_path) as findings:
        for number in range(4 if name.startswith("log-") else 40):
            rng = random.Random(f"{name} {number}")
            findings.try_input(mutate(rng.choice(seeds), rng, target.words))
    assert findings.known == {}


def test_the_same_generator_gives_the_same_inputs() -> None:
    seed = b'{"steps": ["a", "b"], "inner": "[1, 2]"}'
    changed = [mutate(seed, random.Random(number)) for number in range(50)]
    assert changed == [mutate(seed, random.Random(number)) for number in range(50)]
    assert len(set(changed)) > 30


def raising(error: Exception) -> Check:
    def check(_data: bytes, _folder: Path) -> None:
        raise error

    return check


def warning(_data: bytes, _folder: Path) -> None:
    warnings.warn("odd", stacklevel=1)


def breaking(_data: bytes, _folder: Path) -> None:
    expect(False, "all is well")


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (raising(KeyError("a")), "KeyError"),
        (warning, "UserWarning"),
        (breaking, "all is well"),
    ],
    ids=["another error", "a warning", "a broken promise"],
)
def test_what_goes_wrong_is_noticed_and_its_input_kept(
    check: Check, said: str, tmp_path: Path
) -> None:
    with Findings(Target("odd", check, list, ()), tmp_path) as findings:
        findings.try_input(b"long input")
        findings.try_input(b"short")
    [(wrong, file)] = findings.known.items()
    assert said in wrong
    assert (tmp_path / file).read_bytes() == b"short"


def test_much_memory_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    peaks = iter([100.0, 399.0, 399.0, 700.0])
    monkeypatch.setattr(checking, "_peak", lambda: next(peaks))
    target = Target("odd", lambda *_: None, list, ())
    with Findings(target, tmp_path, executions=20) as findings:
        assert findings.try_input(b"") is None
        assert findings.try_input(b"") == "large: 300 MB more than anything before"


def test_an_error_of_stepgraph_is_no_finding(tmp_path: Path) -> None:
    target = Target("odd", raising(FormatError("not this")), list, ())
    with Findings(target, tmp_path) as findings:
        assert findings.try_input(b"") is None
    assert (findings.executions, findings.accepted) == (1, 0)


def test_the_drawn_side_adds_its_results(tmp_path: Path) -> None:
    for _ in range(2):
        drawn.run("steps", 0.1, Work(tmp_path), seed=1)
    own = Work(tmp_path).results["steps"]
    assert own["drawn"]["executions"] > 2
    assert own["findings"] == {}


def test_the_guided_side_keeps_inputs_that_reach_new_code(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="the guided side needs atheris")
    command = [sys.executable, "-m", "tests.fuzz.guided", "steps", "0.3", str(tmp_path), "1"]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["steps"]["guided"]["executions"] > 100
    assert len(list((tmp_path / "corpus" / "steps").iterdir())) > 1
