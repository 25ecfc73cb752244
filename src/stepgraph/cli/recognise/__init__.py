"""`stepgraph recognise`: key-steps from the features of video frames, judged as they come."""

from __future__ import annotations

import typer

from stepgraph.cli.output import echo
from stepgraph.cli.recognise import run, train

app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})
app.command("train")(train.train)
app.command("run")(run.run)


@app.callback(invoke_without_command=True)
def recognise(context: typer.Context) -> None:
    """Recognise key-steps in the features of video frames.

    'train' learns from arrays with labels, 'run' judges new ones as they come.

    Example: stepgraph recognise train features --labels labels --classes classes.txt
    """
    if context.invoked_subcommand is None:
        echo(context.get_help())
