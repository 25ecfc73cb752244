from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def data() -> Path:
    folder = os.environ.get("TGML_DATA")
    if not folder:
        pytest.skip("TGML_DATA is not set; it points at the public data sets")
    return Path(folder)


Put = Callable[[str, str], Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write a file and return its path."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode("utf-8"))
        return path

    return write
