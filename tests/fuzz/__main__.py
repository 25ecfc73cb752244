"""The command: ``python -m tests.fuzz --minutes 60``."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz.registry import all_targets
from tests.fuzz.work import Work

GUIDED = 2 / 3
"""Which share of the time the guided side gets."""


def main() -> int:
    """Fuzz the targets one after another, print a table, and say whether anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="their names; by default all")
    parser.add_argument("--minutes", type=float, default=60.0, help="processor time in total")
    parser.add_argument("--folder", type=Path, default=Path("fuzz-output"))
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    known = all_targets()
    names = given.targets or list(known)
    if set(names) - set(known):
        parser.error(f"the targets are {', '.join(known)}")
    work = Work(given.folder)
    guided = find_spec("atheris") is not None
    if not guided:
        print("atheris is not installed: only the drawn side runs")
    shares = sum(known[name].share for name in names)
    for name in names:
        seconds = 60 * given.minutes * known[name].share / shares
        if guided:
            _process("guided", name, seconds * GUIDED, work, given.seed)
        _process("drawn", name, seconds * (1 - GUIDED if guided else 1), work, given.seed)
        subprocess.run([sys.executable, "-m", "tests.fuzz.lines", name, str(work.folder)])
        print(row(name, work.results[name]), flush=True)
    return int(any(own["findings"] for own in work.results.values()))


def row(name: str, own: dict[str, object]) -> str:
    """Return a target's results as a line of a table."""
    sides = [side for side in (own.get("guided"), own.get("drawn")) if isinstance(side, dict)]
    executions, accepted, seconds = (
        sum(side[key] for side in sides) for key in ("executions", "accepted", "seconds")
    )
    found = own["findings"]
    return (
        f"| {name} | {executions:,} | {accepted:,} | {seconds:.0f} | {own.get('corpus', 0)} "
        f"| {own.get('lines', 0)} of {own.get('of', 0)} "
        f"| {len(found) if isinstance(found, dict) else 0} |"
    )


def _process(side: str, name: str, seconds: float, work: Work, seed: int) -> None:
    command = [sys.executable, "-m", f"tests.fuzz.{side}", name, str(seconds)]
    log = work.folder / f"{side}-{name}.log"
    work.folder.mkdir(parents=True, exist_ok=True)
    with log.open("w") as stream:
        try:
            code = subprocess.run(
                [*command, str(work.folder), str(seed)],
                stdout=stream,
                stderr=subprocess.STDOUT,
                timeout=20 * seconds + 300,
            ).returncode
        except subprocess.TimeoutExpired:
            code = -1
    if code:
        said = log.read_text(errors="replace").strip().splitlines()[-1:]
        work.add_finding(name, f"the process ended with {code}: {said}", log.name)


if __name__ == "__main__":
    sys.exit(main())
