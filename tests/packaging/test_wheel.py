"""The wheel in an empty environment: alone, and with each extra.

They take their time: `make package` runs them, `make package-from-index` with the package index.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.packaging.declared import requirements
from tests.packaging.environments import Environment, borrow, build, install, interpreter

Way = Callable[[Path, str, Path], Environment]

WAYS = [
    pytest.param(borrow, id="borrowed", marks=pytest.mark.wheel),
    pytest.param(install, id="from-the-index", marks=pytest.mark.network),
]

LIMIT = 100  # megabytes

STOPPED_AFTER_A_WHILE = """
import os, signal, threading
from stepgraph.cli.main import run
timer = threading.Timer(8, os.kill, (os.getpid(), signal.SIGTERM))
timer.daemon = True
timer.start()
run()
"""

TWO_WORKERS_THEN_A_CLUSTER = """
from stepgraph.pipeline.workers import Workers
if __name__ == "__main__":
    with Workers(2).map(len) as run:
        assert sorted(run(["a", "bb"])) == [1, 2]
    from dask.distributed import LocalCluster
    with LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        with Workers(scheduler=cluster.scheduler_address).map(len) as run:
            assert sorted(run(["a", "bb"])) == [1, 2]
"""

# For each extra a use that needs it: the words after `python`, run beside the example recordings.
USES = {
    "torch": ("-c", "from stepgraph.recognise import Recogniser; print(Recogniser)"),
    "text": ("-m", "stepgraph", "learn", "pancakes.csv", "-m", "tgt-text", "-o", "out.json"),
    "stats": (
        "-c",
        "from stepgraph.evaluation import mean_interval; print(mean_interval([1.0, 2.0]))",
    ),
    "draw": ("-m", "stepgraph", "draw", "pancakes.graph.json", "-o", "out.png"),
    "serve": ("-c", STOPPED_AFTER_A_WHILE, "serve", "pancakes.graph.json", "--port", "0"),
    "logs": ("-m", "stepgraph", "inspect", "pancakes.csv"),
    "cluster": ("-c", TWO_WORKERS_THEN_A_CLUSTER),
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module", params=WAYS)
def way(request: pytest.FixtureRequest) -> Way:
    chosen: Way = request.param
    return chosen


@pytest.fixture(scope="module")
def bare(wheel: Path, way: Way, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return with_recordings(way(wheel, "", tmp_path_factory.mktemp("bare")))


def with_recordings(environment: Environment) -> Environment:
    done = environment.stepgraph("example", "pancakes", "-o", ".")
    assert done.returncode == 0, done.stderr
    return environment


@pytest.mark.wheel
def test_the_wheel_holds_types_procedures_and_the_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "stepgraph/py.typed" in names
    assert sum("dist-info/licenses/" in name for name in names) == 2  # ours and the font's
    assert any(name.startswith("stepgraph/procedures/") and ".json" in name for name in names)
    assert not any(name.startswith(("benchmarks", "tests", "docs")) for name in names)


@pytest.mark.network
def test_without_an_extra_the_environment_is_small_and_stays_so_in_use(
    wheel: Path, tmp_path: Path
) -> None:
    environment = with_recordings(install(wheel, "", tmp_path))
    for words in ("learn pancakes.csv -o out.json", "audit pancakes.csv", "show out.json", "demo"):
        environment.stepgraph(*words.split())
    assert any(environment.folder.rglob("audit*.pyc"))
    assert environment.megabytes < LIMIT


@pytest.mark.parametrize(
    "method", ["do", "intersection", "robust", "fusion", "msg2", "count-based"]
)
def test_without_an_extra_graphs_are_learned(bare: Environment, method: str) -> None:
    done = bare.stepgraph("learn", "pancakes.csv", "-m", method, "-o", f"{method}.json")
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
        ("methods", "", 0, "stepgraph[torch]"),
        ("demo", "", 0, "'do'"),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) and value else None,
)
def test_without_an_extra_the_commands_work(
    bare: Environment, words: str, given: str, code: int, expected: str
) -> None:
    done = bare.stepgraph(*words.split(), given=given)
    assert done.returncode == code, done.stderr
    assert expected in done.stdout


@pytest.mark.parametrize(
    ("shell", "begun", "expected"),
    [
        ("bash", {"COMP_WORDS": "stepgraph lea", "COMP_CWORD": "1"}, "learn"),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "stepgraph lea"}, '"learn"'),
        (
            "fish",
            {"_TYPER_COMPLETE_ARGS": "stepgraph lea", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
            "learn",
        ),
    ],
    ids=["bash", "zsh", "fish"],
)
def test_without_an_extra_the_tab_key_completes(
    bare: Environment, shell: str, begun: dict[str, str], expected: str
) -> None:
    asked = [f"{name}={value}" for name, value in begun.items()]
    program = str(bare.folder / "bin" / "stepgraph")
    done = bare.call("env", f"_STEPGRAPH_COMPLETE=complete_{shell}", *asked, program)
    assert expected in done.stdout


@pytest.mark.wheel
def test_every_extra_has_a_use_here() -> None:
    assert set(USES) == set(requirements()) - {""}


@pytest.mark.parametrize("extra", USES)
def test_without_its_extra_a_use_says_what_to_install(bare: Environment, extra: str) -> None:
    done = bare.run(*USES[extra])
    assert done.returncode != 0
    assert f"pip install 'stepgraph[{extra}]'" in done.stderr


@pytest.mark.parametrize("extra", USES)
def test_each_extra_alone_is_enough(wheel: Path, way: Way, extra: str, tmp_path: Path) -> None:
    environment = with_recordings(way(wheel, extra, tmp_path))
    done = environment.run(*USES[extra])
    assert done.returncode == 0, done.stderr


@pytest.mark.network
def test_the_lowest_versions_that_are_declared_learn_and_watch(wheel: Path, tmp_path: Path) -> None:
    python = interpreter("3.11")
    if python is None:
        pytest.skip("no Python 3.11 on this machine, which all of the lowest versions are made for")
    lowest = [f"{line.name}=={next(iter(line.specifier)).version}" for line in requirements()[""]]
    environment = with_recordings(install(wheel, "", tmp_path, python, versions=lowest))
    assert_learns_and_watches(environment)


@pytest.mark.network
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_every_python_that_is_declared_and_can_be_had_learns_and_watches(
    wheel: Path, version: str, tmp_path: Path
) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} on this machine")
    environment = with_recordings(install(wheel, "", tmp_path, python))
    assert_learns_and_watches(environment)


def assert_learns_and_watches(environment: Environment) -> None:
    learned = environment.stepgraph("learn", "pancakes.csv", "-o", "learned.json")
    assert learned.returncode == 0, learned.stderr
    watched = environment.stepgraph("watch", "learned.json", given="whisk the batter\n")
    assert watched.returncode == 1, watched.stderr
    assert "MISTAKE" in watched.stdout
