"""`stepgraph learn`: recordings in, task graphs out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stepgraph.cli import options
from stepgraph.cli.options import KNOWLEDGE, LEARNING, NAMES, READING
from stepgraph.cli.output import is_terminal, print_notes, print_notes_on, progress_bar
from stepgraph.cli.output_files import GraphTarget, print_report, too_many
from stepgraph.cli.recordings import LogOptions, refuse_large, with_log_options
from stepgraph.errors import InputError, SettingError

if TYPE_CHECKING:
    from stepgraph.logs import Log
    from stepgraph.pipeline.procedures import Fetch, Sized
    from stepgraph.sequences import Demonstrations


@with_log_options
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
    *,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="The graph file to write, .json or a format of 'stepgraph convert'; for several "
            "procedures, or with a slash at its end, a folder, or one .jsonl file.",
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            metavar="NAME",
            help="The method; see 'stepgraph methods'.",
            autocompletion=options.completing(options.method_names),
        ),
    ] = "robust",
    preset: options.PresetName = None,
    why: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'A needs B'",
            help="Also explain why A needs B in the graph, or why it does not; repeatable.",
        ),
    ] = None,
    changes: options.Changes = False,
    as_json: options.AsJson = False,
    order: options.Order = None,
    procedure: options.Procedure = None,
    repetitions: Annotated[
        str | None,
        typer.Option(
            metavar="WHICH",
            help="Which occurrence counts where a recording repeats a step: first, last, expand "
            "(all ways to keep one), random, augment (first, last and random) or all. Default: "
            "the method's own.",
            rich_help_panel=READING,
        ),
    ] = None,
    with_mistakes: options.WithMistakes = False,
    file_format: options.Format = None,
    column: options.ColumnNames = None,
    errors: options.Errors = None,
    must: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'A needs B'",
            help="Require this edge, whatever the recordings show; repeatable.",
            rich_help_panel=KNOWLEDGE,
        ),
    ] = None,
    never: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'A needs B'",
            help="Forbid this edge, whatever the recordings show; repeatable.",
            rich_help_panel=KNOWLEDGE,
        ),
    ] = None,
    one_of: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'A | B'",
            help="Exactly one of these is done, whatever the recordings show; 'A + B | C' for "
            "alternatives of several steps; repeatable.",
            rich_help_panel=KNOWLEDGE,
        ),
    ] = None,
    undoes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'A: B'",
            help="A undoes B, which then has to be done again; 'A: B + C' for several; repeatable.",
            rich_help_panel=KNOWLEDGE,
        ),
    ] = None,
    prior: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A graph that may be right, or a .txt file with lines 'must A needs B', "
            "'never A needs B', 'one-of A | B' and 'undoes A: B'.",
            rich_help_panel=KNOWLEDGE,
        ),
    ] = None,
    threshold: options.Threshold = None,
    relaxed: options.Relaxed = False,
    seed: options.Seed = 0,
    setting: options.Settings = None,
    unified: Annotated[
        bool,
        typer.Option("--unified", help="One network for all procedures.", rich_help_panel=NAMES),
    ] = False,
    save_model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the trained network to FILE.", rich_help_panel=NAMES
        ),
    ] = None,
    embeddings: options.Embeddings = None,
    log: LogOptions,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of processes. Default: one for each core.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Learn on the Dask cluster at this address.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
) -> None:
    """Learn a task graph from recordings.

    Example: stepgraph learn pancakes.csv -o learned.json

    An event log: stepgraph learn events.parquet --procedure-column product -o graphs
    """
    from stepgraph.formats.edges import parse_edge
    from stepgraph.pipeline import LearningOptions
    from stepgraph.pipeline.procedures import learn_procedures
    from stepgraph.pipeline.workers import Workers

    if demos is None:
        raise InputError(
            "no recordings; name their file, as in: stepgraph learn pancakes.csv -o learned.json "
            "('stepgraph example pancakes' writes one to start from)"
        )
    kind = options.learner_class(method)
    settings = options.settings(setting, kind)
    settings |= options.transformer(
        kind, unified=unified, save_model=save_model, embeddings=embeddings
    )
    if repetitions is not None:
        settings["repetitions"] = repetitions
    if log.is_log(demos, file_format):
        if errors is not None:
            raise SettingError("--errors: of no use to an event log; leave it out")
        opened = _open_log(demos, log.reading(column, order), procedure)
        folder = procedure is None and "procedure" in log.named_columns(column)
    else:
        opened = _read_file(
            Path(demos), options.reading(file_format, order, procedure, column, errors)
        )
        folder = False
    with opened as source:
        several = len(source.names) > 1
        stated = options.Stated(must, never, one_of, undoes)
        if several and (prior is not None or stated or why):
            raise too_many(
                demos,
                source.names,
                "a prior, must, never, one of, undoes or why is of one procedure",
            )
        target = GraphTarget.of(demos, source.names, output, folder=folder, printed=as_json)
        steps: Sequence[str] = () if several else source.only().vocabulary.steps
        known, constraints = options.knowledge(kind, prior, stated, steps)
        learning = LearningOptions(
            method,
            settings | known,
            seed,
            threshold,
            relaxed,
            with_mistakes,
            constraints,
            tuple(parse_edge(text, steps) for text in why or ()),
            preset,
        )
        print_notes_on(source.names, source.notes)
        checkpoint = target.checkpoint if several else None
        with progress_bar() as progress:
            report = learn_procedures(
                source.procedures,
                learning,
                fetch=source.fetch,
                workers=Workers(workers, scheduler),
                checkpoint=checkpoint,
                progress=progress,
            )
    target.write(report.learned, checkpoint)
    print_report(report, target, changes=changes, as_json=as_json)
    if report.failed:
        raise typer.Exit(1 if report.learned else 2)
    if is_terminal() and output is None and not as_json:
        print_notes(["nothing was written; -o FILE keeps the graph"])


@dataclass(frozen=True)
class _Source:
    """Procedures to learn, as recordings or as sizes with a function that fetches recordings."""

    names: Sequence[str]
    procedures: Iterable[Demonstrations] | Iterable[Sized]
    notes: Sequence[str]
    fetch: Fetch | None = None

    def only(self) -> Demonstrations:
        """Return the recordings of the one procedure."""
        if self.fetch is not None:
            return self.fetch(self.names)[0]
        (given,) = self.procedures
        return given  # type: ignore[return-value]


@contextmanager
def _read_file(path: Path, reading: dict[str, Any]) -> Iterator[_Source]:
    from stepgraph.formats import read_demonstrations

    refuse_large(path)
    found = read_demonstrations(path, **reading)
    yield _Source([*found.procedures], [*found.procedures.values()], found.notes)


@contextmanager
def _open_log(where: str, reading: dict[str, Any], procedure: str | None) -> Iterator[_Source]:
    from stepgraph.logs import open_log

    with open_log(where, **reading) as log:
        if procedure is not None and procedure not in [one.name for one in log.procedures]:
            log.demonstrations([procedure])  # says which names come near
        yield _log_source(log, procedure)


def _log_source(log: Log, procedure: str | None) -> _Source:
    sizes = [one for one in log.procedures if procedure in (None, one.name)]
    return _Source([one.name for one in sizes], sizes, log.notes, log.demonstrations)
