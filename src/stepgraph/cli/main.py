"""The program `stepgraph`: its commands and its handling of errors."""

from __future__ import annotations

import re
import sys
from typing import Annotated, Any, cast

import typer

from stepgraph._version import __version__
from stepgraph.cli import (
    advise,
    align,
    audit,
    calibrate,
    check,
    convert,
    demo,
    draw,
    evaluate,
    example,
    inspect,
    learn,
    methods,
    predict,
    recognise,
    report,
    serve,
    show,
    studio,
    watch,
)
from stepgraph.cli.options import SectionedCommand
from stepgraph.cli.output import discard_output, echo, prepare_streams, print_error
from stepgraph.errors import StepgraphError

INTERRUPTED = 130

# Typer exports one of its usage errors, not the class that they share.
NUMBERS = {
    "int range": "a whole number",
    "float range": "a number",
    "integer": "a whole number",
    "int": "a whole number",
    "float": "a number",
}
"""The parser's names of numbers, and plain words for them."""
HINTS = {
    "stepgraph watch": "steps come from standard input, as in: stepgraph watch GRAPH < FILE",
    "stepgraph report": "recordings are named with --demos FILE",
}
"""Advice for a command with one file too many."""
FEW = 3
"""Maximum number of other commands to name for an unknown option."""
_UsageError = cast("type[Exception]", typer.BadParameter.__mro__[1])

app = typer.Typer(
    name="stepgraph",
    pretty_exceptions_enable=False,
    # Plain help loads nothing, fits narrow terminals and any encoding.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("learn", cls=SectionedCommand)(learn.learn)
app.command("predict")(predict.predict)
app.command("inspect", cls=SectionedCommand)(inspect.inspect)
app.command("show")(show.show)
app.command("draw")(draw.draw)
app.command("report")(report.report)
app.command("check")(check.check)
app.command("align")(align.align)
app.command("watch")(watch.watch)
app.command("advise")(advise.advise)
app.command("audit")(audit.audit)
app.command("calibrate")(calibrate.calibrate)
app.command("serve")(serve.serve)
app.command("studio")(studio.studio)
app.command("evaluate")(evaluate.evaluate)
app.command("convert")(convert.convert)
app.command("methods")(methods.methods)
app.command("example")(example.example)
app.command("demo")(demo.demo)
app.add_typer(recognise.app, name="recognise")


@app.command("help", hidden=True)  # hidden, because --help does the same
def _help(
    words: Annotated[list[str] | None, typer.Argument(metavar="[COMMAND]", help="Which.")] = None,
) -> None:
    """Explain a command, as --help does.

    Example: stepgraph help learn
    """
    app([*(words or ()), "--help"], prog_name="stepgraph", standalone_mode=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        echo(f"stepgraph {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Learn how a procedure works from recordings of it, and check new ones.

    To begin: stepgraph example pancakes, then stepgraph learn pancakes.csv -o learned.json

    'stepgraph COMMAND --help' explains a command, with an example.
    """
    if context.invoked_subcommand is None:
        echo(context.get_help())


def run() -> None:
    """Run the program `stepgraph`."""
    run_app(app, "stepgraph")


def run_app(program: typer.Typer, name: str) -> None:
    """Run a program; an error of ours ends it with exit code 2 and one message.

    Parameters
    ----------
    program
        Its commands.
    name
        Its name on the command line.
    """
    prepare_streams()
    try:
        code = program(prog_name=name, standalone_mode=False)
    except StepgraphError as error:
        print_error(str(error))
        sys.exit(2)
    except _UsageError as error:
        print_error(_usage_message(error))
        sys.exit(2)
    except OSError as error:
        # Files are looked after where they are used, so this is the stream that help goes to.
        discard_output()
        print_error(f"{error.filename or 'the output'}: {error.strerror}")
        sys.exit(2)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        print_error("interrupted")
    sys.exit(code)


def _usage_message(error: Any) -> str:
    message = error.format_message().rstrip(".")
    for theirs, ours in NUMBERS.items():
        message = re.sub(rf"is not a valid {theirs}\b", f"is not {ours}", message)
    command = error.ctx.command_path if error.ctx is not None else "stepgraph"
    if command in HINTS and "unexpected extra argument" in message:
        message += f"; {HINTS[command]}"
    elsewhere = _commands_with(getattr(error, "option_name", ""), error.ctx)
    if 0 < len(elsewhere) <= FEW:
        named = " and ".join(filter(None, [", ".join(elsewhere[:-1]), elsewhere[-1]]))
        message += f"; {named} {'has' if len(elsewhere) == 1 else 'have'} it"
    return f"{message[:1].lower()}{message[1:]} (see '{command} --help')"


def _commands_with(option: str, context: Any) -> list[str]:
    """Return the commands that have an option, as one types them."""
    root: Any = context.find_root().command if option and context is not None else None
    return [
        f"'stepgraph {name}'"
        for name, command in getattr(root, "commands", {}).items()
        if any(option in parameter.opts for parameter in command.params)
    ]


if __name__ == "__main__":
    run()
