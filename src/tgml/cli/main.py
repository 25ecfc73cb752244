"""The program `tgml`: its commands, and how errors end it."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from tgml._version import __version__
from tgml.cli import bench, check, convert, demo, evaluate, example, learn, methods, show
from tgml.errors import TgmlError

app = typer.Typer(
    name="tgml",
    help="Learn how a procedure works from recordings of people doing it, and check new ones.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("learn")(learn.learn)
app.command("show")(show.show)
app.command("check")(check.check)
app.command("evaluate")(evaluate.evaluate)
app.command("convert")(convert.convert)
app.command("methods")(methods.methods)
app.command("example")(example.example)
app.command("bench")(bench.bench)
app.command("demo")(demo.demo)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tgml {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Learn how a procedure works from recordings of people doing it, and check new ones."""


def run() -> None:
    """Run the program; what goes wrong on purpose ends it with exit code 2 and one message."""
    try:
        app()
    except TgmlError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # Whoever read our output has had enough; nothing is left to say, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        sys.exit(130)


if __name__ == "__main__":
    run()
