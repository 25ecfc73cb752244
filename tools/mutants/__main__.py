"""Count how many mutants of each group the tests notice, and list the survivors.

Run: python -m tools.mutants [GROUP ...] [--sample N] [--examples N]

Results go to test-output/mutants as they come. A run that was broken off goes on with `--rest`;
with `--only` and `--survivors` the results of the other mutants stay.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tomllib
from collections import Counter
from math import sqrt
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
GROUPS: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("groups.toml").read_text()
)
OUTPUT = ROOT / "test-output" / "mutants"
NOTICED = 0.85
"""The share of mutants that must be killed."""
PYTEST = ("-s", "-x", "-p", "no:randomly", "-p", "no:cacheprovider")


def main() -> None:
    """Run the groups that are asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", default=list(GROUPS), metavar="GROUP")
    parser.add_argument("--sample", type=int, help="how many mutants to draw; all by default")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--examples", type=int, default=10, help="of each property at first")
    parser.add_argument(
        "--only",
        nargs="+",
        default=[""],
        metavar="TEXT",
        help="part of the names, file:function:number",
    )
    parser.add_argument("--survivors", action="store_true", help="only those that last survived")
    parser.add_argument("--rest", action="store_true", help="only those without a result")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.groups) - set(GROUPS):
        parser.error(f"no group {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    if options.run:
        _run(options.groups[0], sys.stdin.read().splitlines(), options.examples)
        return
    OUTPUT.mkdir(parents=True, exist_ok=True)
    rates = [_group(name, options) for name in options.groups]
    raise SystemExit(min(rates) < NOTICED)


def _group(group: str, options: argparse.Namespace) -> float:
    """Run a group, print and keep its results, and return the share of killed mutants."""
    from tools.mutants.runner import located

    sources = _sources(group)
    every = [mutant.name for mutant in located(sources)]
    partly = options.survivors or options.rest or any(options.only)
    if not partly:
        _kept(group).unlink(missing_ok=True)
    before = _results(group)
    names = [name for name in every if any(part in name for part in options.only)]
    if options.survivors:
        left = {name for name, result in before.items() if result["status"] != "killed"}
        names = [name for name in names if name in left]
    if options.sample is not None and options.sample < len(names):
        names = sorted(random.Random(options.seed).sample(names, options.sample), key=every.index)
    if options.rest:
        names = [name for name in names if name not in before]
    _start(group, names, options.examples)
    results = _results(group)
    return _printed(group, [results[name] for name in every if name in results], len(every))


def _kept(group: str) -> Path:
    return OUTPUT / f"{group}.jsonl"


def _results(group: str) -> dict[str, dict[str, Any]]:
    """Return the last result of each mutant, by name."""
    if not _kept(group).exists():
        return {}
    results = map(json.loads, _kept(group).read_text().splitlines())
    return {result["name"]: result for result in results}


def _printed(group: str, results: list[dict[str, Any]], every: int) -> float:
    counts = Counter(result["status"] for result in results)
    for result in results:
        if result["status"] != "killed":
            print(_line(result))
    tried = len(results) - counts["does not compile"]
    rate = counts["killed"] / tried if tried else 1.0
    survived = counts["survived"] + counts["not reached"]
    print(f"{group}: {tried} mutants, {counts['killed']} killed, {survived} survived, {rate:.1%}")
    if tried < every - counts["does not compile"]:
        margin = 1.645 * sqrt(rate * (1 - rate) / tried) * sqrt(1 - tried / every)
        print(f"  a sample of {every}; 90 % interval {rate - margin:.1%} to {rate + margin:.1%}")
    return rate


def _line(result: dict[str, Any]) -> str:
    where = f"{result['name']} line {result['line']}"
    return f"{result['status']}: {where} [{result['operator']}] {result['change'][:300]}"


def _start(group: str, names: list[str], examples: int) -> None:
    """Run mutants in a process of their own."""
    command = [sys.executable, "-m", "tools.mutants", "--run", group, "--examples", str(examples)]
    if names and subprocess.run(command, cwd=ROOT, input="\n".join(names), text=True).returncode:  # noqa: S603
        raise SystemExit(f"the run of {group} ended early")


def _run(group: str, names: list[str], examples: int) -> None:
    import pytest

    from tools.mutants.runner import MutantRunner

    def report(result: dict[str, Any]) -> None:
        with _kept(group).open("a") as file:
            file.write(json.dumps(result) + "\n")
        print("." if result["status"] == "killed" else f"\n{_line(result)}", end="", flush=True)

    sources = _sources(group)
    code = pytest.main(
        [*GROUPS[group]["tests"], *map(str, sources), *PYTEST],
        plugins=[MutantRunner(sources, set(names), examples, report)],
    )
    raise SystemExit(int(code))


def _sources(group: str) -> list[Path]:
    return sorted(
        path.relative_to(ROOT)
        for pattern in GROUPS[group]["sources"]
        for path in ROOT.glob(pattern)
    )


if __name__ == "__main__":
    main()
