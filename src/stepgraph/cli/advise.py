"""`stepgraph advise`: what to record next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output import count, echo, print_json, print_notes, print_notes_on
from stepgraph.errors import InputError, SettingError

if TYPE_CHECKING:
    from stepgraph.graph import Constraints, TaskGraph
    from stepgraph.insight import Advice


PAIRS = 5
"""Maximum number of pairs to list in one sentence."""


def advise(
    demos: options.Demos,
    most: Annotated[
        int, typer.Option("--most", metavar="N", min=0, help="Maximum number of questions.")
    ] = 5,
    must: Annotated[
        list[str] | None,
        typer.Option(metavar="'A needs B'", help="An edge known to hold; repeatable."),
    ] = None,
    never: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'A needs B'",
            help="An edge known not to hold; repeatable.",
        ),
    ] = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            "--graph",
            metavar="GRAPH",
            help="A graph of the procedure; its stated and pinned edges need no question.",
        ),
    ] = None,
    order: options.Order = None,
    procedure: options.Procedure = None,
    file_format: options.Format = None,
    column: options.ColumnNames = None,
    as_json: options.AsJson = False,
) -> None:
    """Suggest what to record next.

    The command lists the pairs of steps that the recordings leave open and whose answer would
    change the graph, largest change first. It also gives an order of steps to ask the next person
    for, which shows other pairs as well; --json lists them all. It uses the recordings alone, not
    the meaning of steps: where you know an answer, give it with --must or --never. All recordings
    count, including those with marked mistakes that 'learn' leaves out.

    Example: stepgraph advise pancakes.csv
    """
    from stepgraph.formats import read_demonstrations, read_graph
    from stepgraph.insight import advise as give_advice

    reading = read_demonstrations(demos, **options.reading(file_format, order, procedure, column))
    if (must or never or graph) and len(reading.procedures) > 1:
        raise SettingError(
            f"{demos}: {len(reading.procedures)} procedures; --graph, --must and --never apply to "
            f"one, choose it with --procedure NAME: {', '.join(map(repr, reading.procedures))}"
        )
    known = None if graph is None else read_graph(graph)
    if known is not None and not set(known.steps) & set(reading.only().vocabulary.steps):
        raise InputError(
            f"{graph}: none of its steps is in the recordings; is it a graph of another procedure?"
        )
    found = [
        give_advice(
            given,
            most=most,
            constraints=_constraints(given.vocabulary.steps, known, must, never),
        )
        for given in reading.procedures.values()
    ]
    print_notes_on(reading.procedures, reading.notes)
    if as_json:
        print_json([one.to_json() for one in found])
        return
    for number, one in enumerate(found):
        if number:
            echo()
        _print(one)


def _constraints(
    steps: Sequence[str],
    known: TaskGraph | None,
    must: Sequence[str] | None,
    never: Sequence[str] | None,
) -> Constraints:
    """Return the constraints of a graph and of the options."""
    from stepgraph.formats.edges import parse_edge
    from stepgraph.graph import NO_CONSTRAINTS

    stated = NO_CONSTRAINTS if known is None else known.constraints.among(steps)
    return replace(
        stated,
        must=(*stated.must, *(parse_edge(text, steps) for text in must or ())),
        never=(*stated.never, *(parse_edge(text, steps) for text in never or ())),
    )


def _print(advice: Advice) -> None:
    about = f"{advice.procedure}: " if advice.procedure else ""
    verb = "is" if advice.open_pairs == 1 else "are"
    echo(f"{about}{advice.open_pairs} of {count(advice.pairs, 'pair')} of steps {verb} open")
    for question in advice.questions:
        echo(f"  {question}")
    if advice.questions or advice.order:
        first = next(iter(advice.questions), None)
        stated = shlex.quote(f"{first.first} needs {first.second}" if first else "A needs B")
        echo(
            "This uses the recordings, not the meaning of the steps. Where you know the answer, "
            f"give it, as in --must {stated}, or with --never."
        )
    if not advice.order:
        _print_nothing_to_ask_for(advice)
        print_notes(advice.notes)
        return
    echo()
    echo(
        "Ask the next person, whenever several steps can be done, to do the one that comes first "
        f"in this list; this may decide {count(advice.decides, 'pair')}:"
    )
    width = len(str(len(advice.order)))
    for number, step in enumerate(advice.order, start=1):
        echo(f"  {number:>{width}}  {step}")
    echo(f"This would show for the first time: {_listed(advice.shows)}.")
    if advice.left_open:
        echo(f"It would leave open: {_listed(advice.left_open)}.")
    print_notes(advice.notes)


def _listed(pairs: Sequence[tuple[str, str]]) -> str:
    orders = [f"'{first}' before '{second}'" for first, second in pairs[:PAIRS]]
    if len(pairs) > PAIRS:
        orders.append(f"and {count(len(pairs) - PAIRS, 'other pair')} (--json lists them)")
    return ", ".join(orders)


def _print_nothing_to_ask_for(advice: Advice) -> None:
    if not advice.left_open:
        echo(
            "No order of steps is worth asking for: where these recordings show only one order, "
            "that order is probably needed."
        )
        return
    echo(
        "No order of steps is worth asking for: a recording would have to do what probably cannot "
        f"be done, to show {_listed(advice.left_open)}."
    )
