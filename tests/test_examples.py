"""Every example runs, and its notebook is what the script gives today."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


def _without_pictures(notebook: dict[str, Any]) -> dict[str, Any]:
    """Leave out what may differ between versions of the layout engine, but not that it is there."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            for kind in output.get("data", {}):
                if kind.startswith("image/"):
                    output["data"][kind] = "a picture"
    return notebook


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_example_runs_and_its_notebook_shows_what_came_out(
    script: Path, tmp_path: Path
) -> None:
    for folder in ("empty", "made"):
        (tmp_path / folder).mkdir()
    tool = str(ROOT / "tools" / "make_notebooks.py")
    done = subprocess.run(
        [sys.executable, tool, str(script), "--output", str(tmp_path / "made")],
        cwd=tmp_path / "empty",
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert not list((tmp_path / "empty").iterdir())
    name = f"{script.stem}.ipynb"
    made = json.loads((tmp_path / "made" / name).read_text(encoding="utf-8"))
    kept = json.loads((ROOT / "examples" / name).read_text(encoding="utf-8"))
    assert any(cell.get("outputs") for cell in made["cells"])
    assert _without_pictures(kept) == _without_pictures(made), "run tools/make_notebooks.py"


def test_every_notebook_has_its_script() -> None:
    notebooks = {path.stem for path in (ROOT / "examples").glob("*.ipynb")}
    assert notebooks == {path.stem for path in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_notebook_is_one_that_programs_can_open(script: Path) -> None:
    text = script.with_suffix(".ipynb").read_text(encoding="utf-8")
    nbformat.validate(json.loads(text))
