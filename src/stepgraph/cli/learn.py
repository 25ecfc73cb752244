"""`stepgraph learn`: recordings in, task graph out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stepgraph.cli import log_options, options
from stepgraph.cli.graph_files import graph_paths, save_graphs, too_many
from stepgraph.cli.notes import print_notes_of, print_notes_on
from stepgraph.cli.output import (
    count,
    echo,
    is_terminal,
    print_graph,
    print_json,
    print_notes,
    progress_bar,
)
from stepgraph.cli.sections import KNOWLEDGE, LEARNING, LOG_MEANS, NAMES, READING
from stepgraph.cli.zero_shot import predict_graph, refuse_for_zero_shot
from stepgraph.errors import InputError, SettingError

if TYPE_CHECKING:
    from stepgraph.graph import Edge
    from stepgraph.pipeline import Learning
    from stepgraph.sequences import Demonstrations


def learn(
    demos: Annotated[
        str | None,
        typer.Argument(
            metavar="[DEMOS]",
            help="The recordings: CSV, JSON Lines, JSON or text; or an event log: Parquet, XES, "
            "compressed files, a glob.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="The graph file to write, .json or a format of 'stepgraph convert'; for several "
            "procedures, or with a slash at its end, a folder; for a log also one .jsonl file.",
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            metavar="NAME",
            help="How; see 'stepgraph methods'.",
            autocompletion=options.completing(options.method_names),
        ),
    ] = "robust",
    why: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'A needs B'",
            help="Also say why A needs B in the graph, or why it does not; repeatable.",
        ),
    ] = None,
    changes: Annotated[
        bool, typer.Option("--changes", help="List what post-processing removed and added.")
    ] = False,
    as_json: options.AsJson = False,
    order: options.Order = None,
    procedure: options.Procedure = None,
    repetitions: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="Which occurrence counts where a recording repeats a step: first, last, expand "
            "(all ways to keep one) or random.",
            rich_help_panel=READING,
        ),
    ] = "first",
    with_mistakes: options.WithMistakes = False,
    file_format: options.Format = None,
    column: options.ColumnNames = None,
    errors: options.Errors = None,
    must: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'A needs B'",
            help="An edge, whatever the recordings say; repeatable.",
            rich_help_panel=KNOWLEDGE,
        ),
    ] = None,
    never: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'A needs B'",
            help="No such edge, whatever they say; repeatable.",
            rich_help_panel=KNOWLEDGE,
        ),
    ] = None,
    prior: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A graph that somebody thinks is right, or a .txt file "
            "with lines 'must A needs B' and 'never A needs B'.",
            rich_help_panel=KNOWLEDGE,
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Edges weigh more than this. Default: the method's own.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    relaxed: Annotated[
        bool,
        typer.Option(
            "--relaxed",
            help="Post-process as the paper does for noisy sequences.",
            rich_help_panel=LEARNING,
        ),
    ] = False,
    seed: options.Seed = 0,
    setting: options.Settings = None,
    unified: Annotated[
        bool,
        typer.Option("--unified", help="One network for all procedures.", rich_help_panel=NAMES),
    ] = False,
    save_model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the trained network there.", rich_help_panel=NAMES
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="For --zero-shot: a network that --save-model wrote.",
            rich_help_panel=NAMES,
        ),
    ] = None,
    zero_shot: Annotated[
        Path | None,
        typer.Option(
            metavar="STEPS",
            help="Instead of DEMOS: a text file with one step name a line, of a procedure that "
            "nobody has demonstrated.",
            rich_help_panel=NAMES,
        ),
    ] = None,
    recording_column: log_options.RecordingColumn = None,
    step_column: log_options.StepColumn = None,
    time_column: log_options.TimeColumn = None,
    procedure_column: log_options.ProcedureColumn = None,
    lifecycle_column: log_options.LifecycleColumn = None,
    time_format: log_options.TimeFormat = None,
    since: log_options.Since = None,
    until: log_options.Until = None,
    complete: log_options.Complete = False,
    first_step: log_options.FirstStep = None,
    last_step: log_options.LastStep = None,
    min_step: log_options.MinStep = None,
    min_variant: log_options.MinVariant = None,
    top_variants: log_options.TopVariants = None,
    memory: log_options.Memory = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="How many processes. Default: one for each core.",
            rich_help_panel=LOG_MEANS,
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Learn on the Dask cluster at this address.",
            rich_help_panel=LOG_MEANS,
        ),
    ] = None,
) -> None:
    """Learn a task graph from recordings.

    Example: stepgraph learn pancakes.csv -o learned.json

    An event log: stepgraph learn events.parquet --procedure-column product -o graphs
    """
    from stepgraph.formats import read_demonstrations
    from stepgraph.formats.edges import parse_edge
    from stepgraph.pipeline import learn_all

    if zero_shot is not None:
        refuse_for_zero_shot(demos, method, model, unified=unified, save_model=save_model)
        unseen = options.settings(setting, options.learner_class(method))
        paths = _paths(zero_shot, [zero_shot.stem], output)
        learning = predict_graph(zero_shot, model, unseen, threshold, relaxed)
        _report([learning], paths, changes, as_json)
        return
    if model is not None:
        raise InputError("--model FILE is for --zero-shot STEPS; to train a network leave it out")
    if demos is None:
        raise InputError(
            "no recordings; name their file, as in: stepgraph learn pancakes.csv -o learned.json "
            "('stepgraph example pancakes' writes one to start from)"
        )
    named = {
        "recording": recording_column,
        "step": step_column,
        "time": time_column,
        "procedure": procedure_column,
        "lifecycle": lifecycle_column,
    }
    filters = {
        "since": since,
        "until": until,
        "complete": complete,
        "first_step": first_step,
        "last_step": last_step,
        "min_step": min_step,
        "min_variant": min_variant,
        "top_variants": top_variants,
    }
    only_logs = {
        **{f"{role}_column": name for role, name in named.items()},
        **filters,
        "time_format": time_format,
        "memory": memory,
        "workers": workers,
        "scheduler": scheduler,
    }
    if log_options.is_log(demos, file_format, only_logs):
        for option, used in (("--errors", errors), ("--why", why)):
            if used:
                raise SettingError(f"{option}: of no use to an event log; leave it out")
        stated = prior is not None or must or never
        _learn_log(
            demos,
            reading={
                "columns": log_options.columns(column, **named),
                "order": order,
                "time_format": time_format,
                "keep": log_options.keep(**filters),
                **({} if memory is None else {"memory": memory}),
            },
            procedure=procedure,
            output=output,
            method=method,
            options={
                "seed": seed,
                "threshold": threshold,
                "relaxed": relaxed,
                "with_mistakes": with_mistakes,
                "repetitions": repetitions,
                **options.settings(setting, options.learner_class(method)),
            },
            knowledge=(
                partial(options.knowledge, options.learner_class(method), prior, must, never)
                if stated
                else None
            ),
            workers=(workers, scheduler),
            changes=changes,
            as_json=as_json,
        )
        return
    path = Path(demos)
    log_options.refuse_large(path)
    reading = read_demonstrations(
        path, **options.reading(file_format, order, procedure, column, errors)
    )
    several = len(reading.procedures) > 1
    if several and output is None and not as_json:
        raise too_many(path, list(reading.procedures), "give a folder with -o")
    paths = _paths(path, list(reading.procedures), output)
    kind = options.learner_class(method)
    settings = options.settings(setting, kind)
    settings |= options.transformer(kind, unified=unified, save_model=save_model)
    if several and (prior is not None or must or never or why):
        raise too_many(
            path, list(reading.procedures), "a prior, must, never or why is of one procedure"
        )
    asked = [parse_edge(text, reading.only().vocabulary.steps) for text in why or ()]
    if prior is not None or must or never:
        (given,) = reading.procedures.values()
        settings |= options.knowledge(kind, prior, must, never, given.vocabulary.steps)
    with progress_bar() as progress:
        learn_with = partial(
            learn_all,
            list(reading.procedures.values()),
            method,
            seed=seed,
            threshold=threshold,
            relaxed=relaxed,
            with_mistakes=with_mistakes,
            progress=progress,
            repetitions=repetitions,
        )
        learnings = learn_with(**settings)
        if settings.get("must") or settings.get("never"):
            untold = learn_with(**settings | {"must": (), "never": ()})
            learnings = [_with_consequences(*pair) for pair in zip(untold, learnings, strict=True)]
    print_notes_on(reading.procedures, reading.notes)
    said = [_why(reading.only(), learnings[0], edge, with_mistakes) for edge in asked]
    _report(learnings, paths, changes, as_json, said)


def _paths(path: Path, names: Sequence[str], output: str | None) -> list[Path | None]:
    return [None] * len(names) if output is None else [*graph_paths(path, names, output).values()]


def _with_consequences(untold: Learning, learning: Learning) -> Learning:
    from stepgraph.insight import consequences

    notes = (*learning.notes, *consequences(untold.graph, learning.graph))
    return replace(learning, notes=notes)


def _why(given: Demonstrations, learning: Learning, edge: Edge, with_mistakes: bool) -> str:
    from stepgraph.insight import why
    from stepgraph.pipeline import learnable

    learned_from, _ = learnable(given, with_mistakes)
    return why(learned_from, learning.graph, edge, learning.confidence)


def _report(
    learnings: Sequence[Learning],
    paths: Sequence[Path | None],
    changes: bool,
    as_json: bool,
    said: Sequence[str] = (),
) -> None:
    """Write the graphs where they are to go, and say what was learned."""
    several = len(learnings) > 1
    if any(path is not None for path in paths):
        save_graphs(learnings, paths)
    print_notes_of([(learning.graph.procedure, learning.notes) for learning in learnings])
    if as_json:
        answers = {"why": list(said)} if said else {}
        print_json([_as_json(*pair) | answers for pair in zip(learnings, paths, strict=True)])
        return
    for learning, target in zip(learnings, paths, strict=True):
        if not several:
            print_graph(learning.graph)
        if changes:
            about = f"{learning.graph.procedure}: " if several else ""
            for change in learning.changes:
                echo(f"{about}{change}")
        if target is not None:
            edges = count(len(learning.graph.edges), "edge")
            echo(f"{target}: {count(len(learning.graph.steps), 'step')}, {edges}")
    for answer in said:
        echo(answer)
    if is_terminal() and not any(paths):
        print_notes(["nothing was written; -o FILE keeps the graph"])


def _learn_log(demos: str, *, workers: tuple[int | None, str | None], **asked: Any) -> None:
    from stepgraph.cli.learn_log import LogRun, learn_log
    from stepgraph.runs import Workers

    learn_log(LogRun(demos, workers=Workers(*workers), **asked))


def _as_json(learning: Learning, path: Path | None) -> dict[str, Any]:
    from stepgraph.formats.stepgraph_json import graph_to_json

    return {
        "file": None if path is None else str(path),
        "graph": graph_to_json(learning.graph),
        "changes": [str(change) for change in learning.changes],
        "notes": list(learning.notes),
        "facts": dict(learning.facts),
    }
