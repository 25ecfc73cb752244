"""What tests of several packages share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def data() -> Path:
    """Return the folder of public data sets, or skip the test where there is none."""
    folder = os.environ.get("TGML_DATA")
    if not folder:
        pytest.skip("TGML_DATA is not set: no public data sets to read")
    return Path(folder)
