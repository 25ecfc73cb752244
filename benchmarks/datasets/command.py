"""`python -m benchmarks data`: the public data sets, which are present, and how to get them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stepgraph.cli import options
from stepgraph.cli.output import count, echo, print_json, print_notes, print_table, progress_bar
from stepgraph.errors import SettingError

if TYPE_CHECKING:
    from benchmarks.datasets import DataFile, DataSet, DataSetStatus

data_app = typer.Typer(
    rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]}
)

SHOWN = 3
"""How many files of a kind are named before the rest is only counted."""
DataDirectory = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="DIR", help="The data directory. Default: the variable STEPGRAPH_DATA."
    ),
]


@data_app.callback(invoke_without_command=True)
def data(
    context: typer.Context, directory: DataDirectory = None, as_json: options.AsJson = False
) -> None:
    """List the public data sets, or fetch one.

    A file counts as present if its checksum is right.

    Example: python -m benchmarks data --data ~/datasets
    """
    if context.invoked_subcommand is not None:
        if directory is not None or as_json:
            raise SettingError(
                f"options come last: python -m benchmarks data {context.invoked_subcommand} NAME "
                "--data DIR"
            )
        return
    from benchmarks.datasets import DATASETS, VARIABLE, data_directory, examine

    # A list of what exists needs no directory; one that was named must be there.
    found = None
    if directory is not None or os.environ.get(VARIABLE):
        found = data_directory(directory)
    states = {
        name: None if found is None else examine(dataset, found)
        for name, dataset in DATASETS.items()
    }
    if as_json:
        rows = [_as_json(dataset, states[dataset.name]) for dataset in DATASETS.values()]
        print_json({"directory": None if found is None else str(found), "datasets": rows})
        return
    print_table(
        ["name", "what", "licence", "present"],
        [_row(dataset, states[dataset.name]) for dataset in DATASETS.values()],
    )
    echo()
    print_table(
        ["name", "from these repositories on GitHub"],
        [[dataset.name, " ".join(dataset.repositories)] for dataset in DATASETS.values()],
    )
    print_notes(_notes(found, [status for status in states.values() if status is not None]))


@data_app.command("fetch")
def fetch(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="Which data set.",
            show_default=False,
        ),
    ],
    directory: DataDirectory = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace files that differ from the pinned ones.")
    ] = False,
    mirror: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Download from a copy of GitHub's raw files."),
    ] = None,
) -> None:
    """Download a data set's public files; refuse what does not match.

    Each file comes from GitHub at a pinned commit and is compared with its checksum. What is
    there already is left alone, and an interrupted download goes on where it stopped.

    Example: python -m benchmarks data fetch captaincook4d --data ~/datasets
    """
    from benchmarks import datasets
    from benchmarks.datasets.download import DownloadSettings

    dataset = datasets.get_dataset(name)
    settings = DownloadSettings() if mirror is None else DownloadSettings(base_url=mirror)
    target = datasets.data_directory(directory, create=True)
    # Before the first byte comes: who may not use the data can still stop.
    echo(f"{dataset.name}: {dataset.about}")
    with progress_bar() as progress:
        report = datasets.fetch(
            dataset, target, settings=settings, replace=replace, progress=progress
        )
    size = sum(file.size for file in report.fetched)
    echo(
        f"{count(len(report.fetched), 'file')} fetched ({size / 1e6:.1f} MB), "
        f"{len(report.present)} present before, {len(report.missing)} not offered, "
        f"in {target / dataset.name}"
    )
    print_notes(_by_hand(report.missing))


def _row(dataset: DataSet, status: DataSetStatus | None) -> list[str]:
    from benchmarks.datasets import State

    total = len(dataset.files)
    there = "?" if status is None else str(len(status.files(State.PRESENT)))
    licence = f"{dataset.licence}{' (non-commercial)' if dataset.non_commercial else ''}"
    return [dataset.name, dataset.summary, licence, f"{there} of {total}"]


def _notes(directory: Path | None, states: list[DataSetStatus]) -> list[str]:
    from benchmarks.datasets import VARIABLE, State

    if directory is None:
        return [f"no data directory: set {VARIABLE}, or use --data DIR, to see what is present"]
    notes = []
    for status in states:
        name = status.dataset.name
        different = status.files(State.DIFFERENT)
        if different:
            notes.append(f"{name}: not the pinned files: {_named(different)}")
        missing = status.files(State.MISSING)
        offered = [file for file in missing if file.downloadable]
        if offered:
            notes.append(
                f"{name}: python -m benchmarks data fetch {name} downloads "
                f"{count(len(offered), 'file')} "
                f"({sum(file.size for file in offered) / 1e6:.1f} MB; {status.dataset.terms})"
            )
        notes += _by_hand(file for file in missing if not file.downloadable)
    return notes


def _by_hand(files: Iterable[DataFile]) -> list[str]:
    """Return what to do about files that are not offered, one note for all with one reason."""
    groups: dict[Any, list[DataFile]] = {}
    for file in files:
        groups.setdefault((file.evidence, file.source), []).append(file)
    return [
        group[0].by_hand if len(group) == 1 else f"{group[0].by_hand}; likewise {_named(group[1:])}"
        for group in groups.values()
    ]


def _named(files: Iterable[DataFile]) -> str:
    names = [file.path for file in files]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _as_json(dataset: DataSet, status: DataSetStatus | None) -> dict[str, Any]:
    states = status.states if status is not None else [None] * len(dataset.files)
    return {
        "name": dataset.name,
        "summary": dataset.summary,
        "licence": dataset.licence,
        "non_commercial": dataset.non_commercial,
        "repositories": list(dataset.repositories),
        "files": [
            {
                "path": file.path,
                "size": file.size,
                "sha256": file.sha256,
                "repository": file.source.repository,
                "commit": file.source.commit,
                "published": file.published,
                "evidence": file.evidence.value,
                "downloadable": file.downloadable,
                "state": None if state is None else state.value,
            }
            for file, state in zip(dataset.files, states, strict=True)
        ],
    }
