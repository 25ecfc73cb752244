"""Judge steps as they come, one after the other, from anything that can be iterated over."""

from __future__ import annotations

from collections.abc import Iterator

import tgml
from tgml.monitoring import explain


def recogniser() -> Iterator[str]:
    """Stand in for a camera: yield steps as they are recognised."""
    yield from ("crumble the compost", "fill the tray", "sow the seeds", "press in the rows")


graph = tgml.load_procedure("seed-tray").graph
monitor = tgml.Monitor(graph)
for step in recogniser():
    print(explain(monitor.observe(step), graph))
print("still to do:", ", ".join(monitor.finish().open))
