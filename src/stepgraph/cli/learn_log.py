"""`stepgraph learn` for event logs: one graph for each procedure, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from stepgraph.cli.graph_files import graph_paths, too_many
from stepgraph.cli.notes import print_notes_of
from stepgraph.cli.output import (
    count,
    echo,
    print_error,
    print_graph,
    print_json,
    print_notes,
    progress_bar,
)
from stepgraph.cli.targets import (
    check_file,
    check_replaced,
)

if TYPE_CHECKING:
    from stepgraph.runs import Outcome, RunReport, Workers

MANY = 20
"""Up to so many procedures each gets a line; of more, only those that failed."""


@dataclass(frozen=True)
class LogRun:
    """What the command was asked to do with a log.

    Parameters
    ----------
    log
        Which log.
    reading
        The options of `stepgraph.logs.open_log`.
    procedure
        The only procedure to learn, if one is wanted.
    output
        Where the graphs go.
    method, options
        Those of `stepgraph.runs.learn_run`.
    knowledge
        Makes further options of what is known of the one procedure, from its steps.
    workers
        Who does the work.
    changes, as_json
        What to print.
    """

    log: str
    reading: Mapping[str, Any]
    procedure: str | None
    output: str | None
    method: str
    options: Mapping[str, Any]
    knowledge: Callable[[Sequence[str]], Mapping[str, Any]] | None
    workers: Workers
    changes: bool
    as_json: bool


def learn_log(run: LogRun) -> None:
    """Learn the procedures of a log."""
    from stepgraph.logs import open_log
    from stepgraph.runs import learn_run

    with open_log(run.log, **run.reading) as log:
        sizes = [one for one in log.procedures if run.procedure in (None, one.name)]
        if not sizes:
            log.demonstrations([str(run.procedure)])  # says which names come near
        names = [one.name for one in sizes]
        target = _Target.of(run, names)
        known: Mapping[str, Any] = {}
        if run.knowledge is not None:
            if len(names) > 1:
                raise too_many(run.log, names, "a prior, must or never is of one procedure")
            (given,) = log.demonstrations(names)
            known = run.knowledge(given.vocabulary.steps)
        checkpoint = target.checkpoint if len(names) > 1 else None
        print_notes(log.notes)
        with progress_bar() as progress:
            report = learn_run(
                sizes,
                run.method,
                fetch=log.demonstrations,
                workers=run.workers,
                checkpoint=checkpoint,
                progress=progress,
                **run.options,
                **known,
            )
    target.write(report)
    if checkpoint is not None:
        from stepgraph.runs.checkpoint import Checkpoint

        Checkpoint(checkpoint).remove()
    _print(run, report, target)
    if report.failed:
        raise typer.Exit(2 if not report.learned else 1)


@dataclass(frozen=True)
class _Target:
    """Where graphs go: nowhere, one file, a folder with a file each, or one .jsonl with all."""

    output: Path | None
    paths: Mapping[str, Path]
    kind: str

    @classmethod
    def of(cls, run: LogRun, names: Sequence[str]) -> _Target:
        output = None if run.output is None else Path(run.output)
        if output is None:
            if len(names) > 1 and not run.as_json:
                raise too_many(run.log, names, "give a folder or a .jsonl file with -o")
            return cls(None, {}, "nowhere")
        if output.suffix.lower() == ".jsonl":
            check_file(output)
            check_replaced(output)
            return cls(output, {}, "lines")
        many = run.procedure is None and "procedure" in run.reading["columns"]
        paths = graph_paths(run.log, names, str(run.output), folder=many)
        kind = "file" if [*paths.values()] == [output] else "folder"
        return cls(output, paths, kind)

    @property
    def checkpoint(self) -> Path | None:
        """Where the batches of an unfinished run are kept."""
        return (
            None if self.output is None else self.output.with_name(f"{self.output.name}.unfinished")
        )

    def write(self, report: RunReport) -> None:
        """Write the graphs, all of them or none."""
        from stepgraph.files import write_into_folder, write_text
        from stepgraph.formats import graph_text
        from stepgraph.formats.json_text import dump_json

        if self.output is None:
            return
        if self.kind == "lines":
            write_text(self.output, "".join(f"{outcome.text}\n" for outcome in report.learned))
            return
        texts = {}
        for outcome in report.learned:
            path = self.paths[outcome.procedure]
            if path.suffix.lower() in ("", ".json"):
                texts[path.name] = dump_json(outcome.content)
            elif (graph := outcome.graph) is not None:
                texts[path.name] = graph_text(graph, path.suffix)
        if texts:
            write_into_folder(next(iter(self.paths.values())).parent, texts)


def _print(run: LogRun, report: RunReport, target: _Target) -> None:
    print_notes(report.notes)
    if report.resumed:
        print_notes(
            [f"{report.resumed} of {report.batches} batches had been finished by an earlier run"]
        )
    several = len(report.outcomes) > 1
    few = len(report.outcomes) <= MANY
    if few:
        print_notes_of([(outcome.procedure, outcome.notes) for outcome in report.outcomes])
    for outcome in report.failed:
        print_error(f"{outcome.procedure}: {outcome.error}" if several else outcome.error)
    if run.as_json:
        print_json([_as_json(outcome, target) for outcome in report.outcomes])
        return
    for outcome in report.learned:
        if not several and (graph := outcome.graph) is not None:
            print_graph(graph)
        if run.changes:
            about = f"{outcome.procedure}: " if several else ""
            for change in outcome.changes:
                echo(f"{about}{change}")
        if few and (content := outcome.content) and outcome.procedure in target.paths:
            steps, edges = len(content["steps"]), len(content["edges"])
            path = target.paths[outcome.procedure]
            echo(f"{path}: {count(steps, 'step')}, {count(edges, 'edge')}")
    if several or target.kind == "lines":
        failed = f", {len(report.failed)} failed" if report.failed else ""
        where = "" if target.output is None else f"{target.output}: "
        echo(f"{where}{count(len(report.learned), 'procedure')} learned{failed}")


def _as_json(outcome: Outcome, target: _Target) -> dict[str, Any]:
    path = target.paths.get(outcome.procedure)
    return {
        "procedure": outcome.procedure,
        "file": None if path is None else str(path),
        "graph": outcome.content,
        "changes": list(outcome.changes),
        "notes": list(outcome.notes),
        "facts": dict(outcome.facts),
        "error": outcome.error or None,
    }
