"""`python -m benchmarks`: run one of the benchmarks, get the public data, simulate a camera."""

from __future__ import annotations

import sys

import typer

from benchmarks.command import bench
from benchmarks.data_command import app as data
from benchmarks.simulate_command import simulate
from stepgraph.cli.main import run_app

NAME = "python -m benchmarks"
SETTINGS = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


def _single(command: object) -> typer.Typer:
    app = typer.Typer(name=NAME, add_completion=False, **SETTINGS)  # type: ignore[arg-type]
    app.command()(command)  # type: ignore[type-var]
    return app


def main() -> None:
    """Run what the first word names: a benchmark, `data` or `simulate`."""
    match sys.argv[1:2]:
        case ["data"]:
            del sys.argv[1]
            run_app(data, f"{NAME} data")
        case ["simulate"]:
            del sys.argv[1]
            run_app(_single(simulate), f"{NAME} simulate")
        case _:
            run_app(_single(bench), NAME)


if __name__ == "__main__":
    main()
