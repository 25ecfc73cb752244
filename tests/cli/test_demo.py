from __future__ import annotations

import re
from pathlib import Path

import pytest

from stepgraph.formats import read_graph
from stepgraph.procedures import procedure_names
from tests.cli.running import Result, Run


@pytest.fixture
def shown(stepgraph: Run) -> Result:
    return stepgraph("demo", "-o", "graphs")


def test_the_demonstration_learns_scores_writes_and_names_a_mistake(
    shown: Result, folder: Path
) -> None:
    assert (shown.code, shown.err) == (0, "")
    names = procedure_names()
    for name in names:
        assert any(re.match(rf"{name}: \d+ steps, \d+ edges", line) for line in shown.lines)
        figures = next(line.split()[1:] for line in shown.lines if re.match(rf"{name} +\d", line))
        assert all(0 <= float(figure) <= 100 for figure in figures)
        assert len(figures) == 4
        assert read_graph(folder / "graphs" / f"{name}.json").procedure == name
        assert (folder / "graphs" / f"{name}.dot").is_file()
    assert len(list((folder / "graphs").iterdir())) == 2 * len(names)
    assert shown.out.count("against the known graph: precision") == len(names)
    mistake = next(number for number, line in enumerate(shown.lines) if "✗" in line)
    assert re.fullmatch(r"    mistake: needs '.+', not done yet", shown.lines[mistake + 1])
