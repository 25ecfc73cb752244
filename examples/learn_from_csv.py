"""Learn a task graph from a CSV file, and ask it what a person would ask."""

from __future__ import annotations

import tempfile
from pathlib import Path

import tgml

CSV = """recording,step
anna,crack egg
anna,add milk
anna,mix
ben,add milk
ben,crack egg
ben,mix
"""

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "batter.csv"
    path.write_text(CSV)
    graph = tgml.learn(path)

print("mix needs:", *graph.preconditions_of("mix"), sep="\n  ")
print("after the egg one can:", *graph.executable(["crack egg"]), sep="\n  ")
print("mixing first is allowed:", graph.is_valid(["mix", "crack egg", "add milk"]))
