"""Write docs/scaling.md from what `tgml bench scaling -o FILE` measured.

Run: python tools/make_scaling.py scaling.json > docs/scaling.md
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

TITLES = {
    "recordings": ("distinct recordings", "15 steps, batches of 100, one thread"),
    "steps": ("steps", "10 recordings, batches of 10 to 150, one thread"),
    "procedures": ("procedures", "10 to 20 steps, 10 recordings, batches of at most 250"),
    "workers": ("workers", "1,000 procedures of 10 to 20 steps, by the clock"),
    "log": ("rows", "Parquet, 16 events a recording, 100 procedures, to weighted variants"),
}


def page(result: dict[str, Any]) -> str:
    """Return the page."""
    environment = result["environment"]
    torch = environment["packages"].get("torch", "not installed")
    lines = [
        "# Scaling",
        "",
        "How the cost of learning grows, measured by `tgml bench scaling` and written by",
        f"`tools/make_scaling.py`, on {environment['platform']} with {environment['cores']} cores,",
        f"Python {environment['python']}, torch {torch}. Times",
        "are of the processor unless they are said to be by the clock, as the machine did other",
        "work as well. This is one run.",
    ]
    for name, (title, about) in TITLES.items():
        rows = [row for row in result["rows"] if row["method"] == name]
        if not rows:
            continue
        unit = "s" if name == "log" else "ms a procedure"
        factor = 1 if name == "log" else 1000
        lines += ["", f"## {title.capitalize()}", "", f"{about[0].upper()}{about[1:]}.", ""]
        lines += [f"| {title} | {unit} |", "|---|---|"]
        lines += [f"| {row['size']:,} | {factor * row['seconds']:.2f} |" for row in rows]
    said = [note for note in result["notes"] if note.startswith(("a procedure", "a log", "pred"))]
    lines += ["", "## The formula, and a million procedures", ""]
    lines += [f"- {note[0].upper()}{note[1:]}." for note in said]
    lines += [
        "",
        "The prediction assumes that the cores are like this machine's, that memory bandwidth",
        "grows with them, that a batch takes a worker much longer than sending it (a batch of 250",
        "procedures is some 200 kB and takes about a second), that there are many more batches",
        "than workers (4,000 here), and that sequences are complete and about as alike as those of",
        "random procedures. The scheduler's own work, starting workers and writing a million small",
        "files come on top; `-o graphs.jsonl` writes one file.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(page(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
