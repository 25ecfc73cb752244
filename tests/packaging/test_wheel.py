"""The wheel in an empty environment: alone, and with each extra.

These tests install from the package index, so they run by `make package` and not by default.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.packaging.declared import requirements
from tests.packaging.environments import Environment, build, install, interpreter

pytestmark = pytest.mark.network

LIMIT = 100  # megabytes

STOPPED_AFTER_A_WHILE = """
import os, signal, threading
from tgml.cli.main import run
timer = threading.Timer(8, os.kill, (os.getpid(), signal.SIGTERM))
timer.daemon = True
timer.start()
run()
"""

TWO_WORKERS = """
from tgml.runs import Workers
with Workers(2).map(len) as run:
    print(sorted(run(["a", "bb"])))
"""

# For each extra a use that needs it: the words after `python`, run beside the example recordings.
USES = {
    "torch": ("-m", "tgml", "learn", "pancakes.csv", "-m", "do", "-o", "out.json"),
    "text": ("-m", "tgml", "learn", "pancakes.csv", "-m", "tgt-text", "-o", "out.json"),
    "stats": (
        "-c",
        "from tgml.evaluation.intervals import mean_interval; print(mean_interval([1.0, 2.0]))",
    ),
    "draw": ("-m", "tgml", "draw", "pancakes.graph.json", "-o", "out.png"),
    "serve": ("-c", STOPPED_AFTER_A_WHILE, "serve", "pancakes.graph.json", "--port", "0"),
    "logs": ("-m", "tgml", "inspect", "pancakes.csv"),
    "cluster": ("-c", TWO_WORKERS),
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return with_recordings(install(wheel, "", tmp_path_factory.mktemp("bare")))


def with_recordings(environment: Environment) -> Environment:
    done = environment.tgml("example", "pancakes", "-o", ".")
    assert done.returncode == 0, done.stderr
    return environment


def test_the_wheel_holds_types_procedures_and_the_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "tgml/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert any(name.startswith("tgml/procedures/") and ".json" in name for name in names)
    assert not any(name.startswith(("tests", "docs")) for name in names)


def test_without_an_extra_the_environment_is_small(bare: Environment) -> None:
    assert bare.megabytes < LIMIT


@pytest.mark.parametrize("method", ["intersection", "robust", "fusion", "msg2", "count-based"])
def test_without_an_extra_graphs_are_learned(bare: Environment, method: str) -> None:
    done = bare.tgml("learn", "pancakes.csv", "-m", method, "-o", f"{method}.json")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "given", "code", "expected"),
    [
        ("show pancakes.graph.json", "", 0, "fry a pancake"),
        ("check pancakes.graph.json pancakes.csv", "", 1, "before"),
        ("align pancakes.graph.json pancakes.csv", "", 0, "fitness"),
        ("audit pancakes.csv", "", 0, ""),
        ("advise pancakes.csv", "", 0, ""),
        ("evaluate pancakes.graph.json pancakes.graph.json", "", 0, "100"),
        ("convert pancakes.graph.json -o pancakes.bpmn", "", 0, ""),
        ("watch pancakes.graph.json", "whisk the batter\n", 1, "MISTAKE"),
        ("methods", "", 0, "tgml[torch]"),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) and value else None,
)
def test_without_an_extra_the_commands_work(
    bare: Environment, words: str, given: str, code: int, expected: str
) -> None:
    done = bare.tgml(*words.split(), given=given)
    assert done.returncode == code, done.stderr
    assert expected in done.stdout


def test_every_extra_has_a_use_here() -> None:
    assert set(USES) == set(requirements()) - {""}


@pytest.mark.parametrize("extra", USES)
def test_without_its_extra_a_use_says_what_to_install(bare: Environment, extra: str) -> None:
    done = bare.run(*USES[extra])
    assert done.returncode != 0
    assert f"pip install 'tgml[{extra}]'" in done.stderr


@pytest.mark.parametrize("extra", USES)
def test_each_extra_alone_is_enough(wheel: Path, extra: str, tmp_path: Path) -> None:
    environment = with_recordings(install(wheel, extra, tmp_path))
    done = environment.run(*USES[extra])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_every_python_that_is_declared_and_can_be_had_learns_and_watches(
    wheel: Path, version: str, tmp_path: Path
) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} on this machine")
    environment = with_recordings(install(wheel, "", tmp_path, python))
    learned = environment.tgml("learn", "pancakes.csv", "-o", "learned.json")
    assert learned.returncode == 0, learned.stderr
    watched = environment.tgml("watch", "learned.json", given="whisk the batter\n")
    assert watched.returncode == 1, watched.stderr
    assert "MISTAKE" in watched.stdout
