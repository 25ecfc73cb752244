from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import run_benchmark
from stepgraph.errors import UnknownNameError


@pytest.mark.real_data
def test_tables_have_only_the_rows_that_were_asked_for(data: Path) -> None:
    result = run_benchmark("paper", data=data, methods=["no-order", "majority-order"], seeds=1)
    tables = [(row["table"].split(",")[0], row["method"]) for row in result.rows]
    assert tables == [
        ("Table 1 and the appendix on scalability", "no-order"),
        ("Recipes that nobody has demonstrated", "no-order"),
        ("Table 2", "majority-order"),
    ]
    assert [len(part.rows) for part in result.parts] == [1, 1, 1]


def test_unknown_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="majority-order"):
        run_benchmark("paper", data=tmp_path, methods=["majority-ordr"])
