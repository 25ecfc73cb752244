from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.cost.scale import DASK_SETTINGS, MEMORY_VARIABLES, as_variables, two_workers

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "logs.md"


def test_the_documentation_advises_what_is_measured() -> None:
    page = DOCUMENTATION.read_text()
    for name, value in {**as_variables(DASK_SETTINGS), **MEMORY_VARIABLES}.items():
        assert f"{name}={value}" in page


def test_dask_reads_the_variables_as_the_settings() -> None:
    config = pytest.importorskip("dask.config")
    defaults = config.collect_env(as_variables(DASK_SETTINGS))
    for name, value in DASK_SETTINGS.items():
        assert config.get(name, config=defaults) == value


def test_both_settings_are_measured() -> None:
    pytest.importorskip("distributed")
    row = two_workers("intersection", 12, 3, 1)
    assert row["ratio"] > 0
    assert row["unset_ratio"] > 0
    assert [len(turn) for turn in row["turns"]] == [2]
