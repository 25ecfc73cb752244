"""The engine behind event logs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from stepgraph.logs.engine import Engine

NOTEBOOK = """
class Shell:
    config = {"IPKernelApp": {}}


def get_ipython():
    return Shell()
"""
"""Enough of IPython for duckdb to believe that it runs in a notebook, where widgets are missing."""
READ = """
import IPython, sys
from stepgraph.logs import read_log
print(len(read_log(sys.argv[1]).only()))
"""


def test_no_progress_bar_is_drawn() -> None:
    engine = Engine()
    assert engine.row("SELECT current_setting('enable_progress_bar')") == (False,)
    engine.close()


def test_a_log_is_read_in_a_notebook_without_widgets(tmp_path: Path) -> None:
    (tmp_path / "IPython.py").write_text(NOTEBOOK)
    log = tmp_path / "log.csv"
    log.write_text("case,activity,time\n1,boil,1\n1,pour,2\n")
    paths = [str(tmp_path), *filter(None, sys.path)]
    done = subprocess.run(
        [sys.executable, "-c", READ, str(log)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "1\n", done.stderr
