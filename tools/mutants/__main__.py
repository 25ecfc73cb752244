"""Count how many mutants of each group the tests notice, and list the survivors.

Run: python -m tools.mutants [GROUP ...] [--sample N] [--examples N]

Each group is run in a process of its own: all mutants with few examples of each property, then the
survivors once more with as many as the test-suite tries. Results go to test-output/mutants;
with `--only` or `--survivors` those of the other mutants stay.
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
SUITE_EXAMPLES = 100
"""How many examples hypothesis tries by default."""


def main() -> None:
    """Run the groups that are asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", default=list(GROUPS), metavar="GROUP")
    parser.add_argument("--sample", type=int, help="how many mutants to draw; all by default")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--examples", type=int, default=10, help="of each property at first")
    parser.add_argument("--only", default="", help="part of the names, file:function:number")
    parser.add_argument("--survivors", action="store_true", help="only those that last survived")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.groups) - set(GROUPS):
        parser.error(f"no group {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    if options.run:
        _run(options.groups[0], json.load(sys.stdin), options.examples)
        return
    OUTPUT.mkdir(parents=True, exist_ok=True)
    rates = [_group(name, options) for name in options.groups]
    raise SystemExit(min(rates) < NOTICED)


def _group(group: str, options: argparse.Namespace) -> float:
    """Run a group, print and keep its results, and return the share of killed mutants."""
    from tools.mutants.runner import located

    sources = _sources(group)
    every = [mutant.name for mutant in located(sources)]
    kept = OUTPUT / f"{group}.json"
    before = (
        {result["name"]: result for result in json.loads(kept.read_text())} if kept.exists() else {}
    )
    names = [name for name in every if options.only in name]
    if options.survivors:
        names = [name for name in names if before.get(name, {}).get("status") != "killed"]
    if options.sample is not None and options.sample < len(names):
        names = sorted(random.Random(options.seed).sample(names, options.sample), key=every.index)
    results = {result["name"]: result for result in _pass(group, names, options.examples)}
    survivors = [name for name, result in results.items() if result["status"] == "survived"]
    if survivors and options.examples < SUITE_EXAMPLES:
        results |= {r["name"]: r for r in _pass(group, survivors, SUITE_EXAMPLES)}
    if options.survivors or options.only:
        results = {name: (before | results)[name] for name in every if name in before | results}
    kept.write_text(json.dumps(list(results.values()), indent=1))
    return _printed(group, list(results.values()), len(every))


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


def _pass(group: str, names: list[str], examples: int) -> list[dict[str, Any]]:
    """Run mutants in a process of their own."""
    command = [sys.executable, "-m", "tools.mutants", "--run", group, "--examples", str(examples)]
    done = subprocess.run(  # noqa: S603
        command, cwd=ROOT, input=json.dumps(names), stdout=subprocess.PIPE, text=True, check=False
    )
    results = [
        json.loads(line.removeprefix("RESULT "))
        for line in done.stdout.splitlines()
        if line.startswith("RESULT ")
    ]
    if done.returncode or len(results) != len(names):
        raise SystemExit(f"the run of {group} ended early:\n{done.stdout[-3000:]}")
    return results


def _run(group: str, names: list[str], examples: int) -> None:
    import pytest
    from tools.mutants.runner import MutantRunner

    def report(result: dict[str, Any]) -> None:
        print("RESULT " + json.dumps(result), flush=True)
        mark = "." if result["status"] == "killed" else f"\n{_line(result)}\n"
        print(mark, end="", file=sys.stderr, flush=True)

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
