from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.__main__ import main
from tests.cli.running import Run, runner


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run a test in an empty folder and a terminal of 100 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def bench(
    folder: Path,  # noqa: ARG001 - programs run there
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Run `python -m benchmarks` with some arguments."""
    return runner("benchmarks", main, capsys, monkeypatch)
