"""Print the size of the package: files, lines, single importers, files that a call passes.

Run it from the root of a checkout: python tools/measure_house.py
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
SHORT = 60
LONG = 500
PROGRAM = """
import sys, warnings
warnings.simplefilter("ignore")
from stepgraph.cli.main import run
from stepgraph import learn

passed = set()

def note(frame, event, _):
    if event == "call" and "/stepgraph/" in frame.f_code.co_filename:
        passed.add(frame.f_code.co_filename)

def job():
    {job}

job()  # once before, so that what imports run does not count
sys.setprofile(note)
job()
sys.setprofile(None)
print("passed", len(passed))
"""
PYTHON = "learn('pancakes.csv')"
COMMAND = """sys.argv = ["stepgraph", "learn", "pancakes.csv"]
    try:
        run()
    except SystemExit:
        pass"""


def modules() -> dict[str, Path]:
    """Return the package's modules by their dotted names."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def importers(known: dict[str, Path]) -> Counter[str]:
    """Return how many other modules import each module."""
    counted: Counter[str] = Counter(dict.fromkeys(known, 0))
    for name, path in known.items():
        imported = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    imported.add(inner if inner in known else node.module)
        counted.update(imported & known.keys() - {name})
    return counted


def passed(job: str) -> int:
    """Return how many of the package's files the functions that a job calls lie in."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "stepgraph", "example", "pancakes", "-o", folder]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own program
        ran = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-c", PROGRAM.format(job=job)],
            capture_output=True,
            text=True,
            check=True,
            cwd=folder,
        )
    return int(ran.stdout.rsplit("passed ", 1)[1])


def main() -> None:
    """Print one line for each figure."""
    import stepgraph

    known = modules()
    lines = {
        name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in known.items()
    }
    single = [
        name
        for name, count in importers(known).items()
        if count == 1 and known[name].name != "__init__.py"
    ]
    figures = {
        "files": len(known),
        "lines": sum(lines.values()),
        "mean file": round(sum(lines.values()) / len(lines)),
        f"files under {SHORT} lines": sum(count < SHORT for count in lines.values()),
        f"files over {LONG} lines": sum(count > LONG for count in lines.values()),
        "modules with exactly one importer": len(single),
        "files that learn('pancakes.csv') passes through": passed(PYTHON),
        "files that 'stepgraph learn pancakes.csv' passes through": passed(COMMAND),
        "names at the top": len(stepgraph.__all__),
    }
    for what, figure in figures.items():
        sys.stdout.write(f"{figure:>7,}  {what}\n")


if __name__ == "__main__":
    main()
