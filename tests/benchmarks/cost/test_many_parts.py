"""Files of many small parts: the work to read them does not grow with their square."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.cost.many_parts import files_of_many_parts
from tests.operations import calls

SMALL, LARGE = files_of_many_parts(5_000), files_of_many_parts(20_000)


@pytest.mark.parametrize("name", SMALL)
def test_four_times_the_parts_are_four_times_the_work(name: str, tmp_path: Path) -> None:
    def work(number: int) -> int:
        case = (SMALL, LARGE)[number][name]
        folder = tmp_path / str(number)
        folder.mkdir()
        path = case.write(folder)
        return calls(lambda: case.read(path))

    SMALL[name].read(SMALL[name].write(tmp_path))  # the first call pays for imports
    assert work(1) < 4.5 * work(0)
