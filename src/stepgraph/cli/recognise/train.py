"""`stepgraph recognise train`: train a recogniser, and measure it on recordings held out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stepgraph.cli import options
from stepgraph.cli.output import count, echo, print_json, print_notes, print_table, progress_bar
from stepgraph.cli.targets import check_file
from stepgraph.errors import InputError, SettingError

if TYPE_CHECKING:
    from stepgraph.recognise import TrainedRecogniser


def train(
    features: Annotated[
        list[Path],
        typer.Argument(
            metavar="FEATURES...",
            help="A folder of .npy files for each kind of feature, or one file for each kind.",
            show_default=False,
        ),
    ],
    labels: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder of labels, a .npy file a recording.")
    ],
    classes: Annotated[
        Path, typer.Option(metavar="FILE", help="The names of the classes, one a line, or JSON.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write the recogniser.")
    ],
    background: Annotated[
        str | None, typer.Option(metavar="NAME", help="The class of frames that show no step.")
    ] = None,
    save_confusion: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where to write how it errs. Default: beside the recogniser, ending in "
            ".confusion.json.",
        ),
    ] = None,
    held_out: Annotated[
        float, typer.Option(metavar="SHARE", help="The share of recordings to hold out.")
    ] = 0.2,
    seed: options.Seed = 0,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting of the recogniser, such as window=256; repeatable.",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Train a recogniser on per-frame features and labels.

    A recording has the same file name in every folder: (frames, width) for features; for labels
    a whole number for each frame, or a row with a column for each class. Whole recordings are
    held out: they say when to stop and how the recogniser errs, and are what the printed figures
    are measured on.

    Example: stepgraph recognise train camera/rgb camera/flow --labels camera/labels --classes
    camera/classes.txt --background nothing -o camera/model.safetensors
    """
    from stepgraph.recognise import train_recogniser
    from stepgraph.recognise.feature_files import read_classes, read_features
    from stepgraph.recognise.settings import RecogniserSettings

    matrix = output.with_suffix(".confusion.json") if save_confusion is None else save_confusion
    for path in (output, matrix):
        check_file(path)
    if output.suffix != ".safetensors":
        raise InputError(f"{output}: expected a name that ends in .safetensors")
    if not 0 < held_out < 1:
        raise SettingError(f"--held-out {held_out}: expected a number between 0 and 1")
    settings = RecogniserSettings(**options.settings(setting, RecogniserSettings))
    names = read_classes(classes)
    if background is not None and background not in names:
        raise SettingError(f"--background {background!r}: none of the classes in {classes}")
    recordings = read_features(features, labels=labels, classes=len(names))
    with progress_bar() as progress:
        trained = train_recogniser(
            recordings,
            names,
            settings=settings,
            background=background,
            share=held_out,
            seed=seed,
            progress=progress,
        )
    _keep(trained, output, matrix)
    if as_json:
        print_json(_training_as_json(trained, output, matrix))
        return
    print_table(
        ["method", "frame accuracy", "mAP"],
        [
            [name, f"{100 * scores.accuracy:.1f}", f"{100 * scores.mean_average_precision:.1f}"]
            for name, scores in trained.scores.items()
        ],
        title=f"{count(len(trained.held_out), 'recording')} held out of {len(recordings)}, "
        f"{next(iter(trained.scores.values())).frames:,} frames",
    )
    echo(
        f"\nkey-steps after smoothing: edit score {100 * trained.edit_score:.1f}\n"
        f"{output}: written, after epoch {trained.fitted.best_epoch} of {trained.fitted.epochs}\n"
        f"{matrix}: written"
    )
    print_notes(
        [
            "the held-out recordings also said when to stop: expect a little less on others",
            "linear looks at each frame alone, majority at none",
            *_unseen(trained),
        ]
    )


def _unseen(trained: TrainedRecogniser) -> list[str]:
    if not trained.unseen:
        return []
    classes = count(len(trained.unseen), "class", "classes")
    return [
        (
            f"{classes}, such as {trained.unseen[0]!r}, came in no frame of training and will "
            "never be recognised"
        )
    ]


def _keep(trained: TrainedRecogniser, output: Path, matrix: Path) -> None:
    from stepgraph.recognise import save_recogniser

    save_recogniser(trained.recogniser, output)
    trained.confusion.save(matrix)


def _training_as_json(trained: TrainedRecogniser, output: Path, matrix: Path) -> dict[str, Any]:
    return {
        "file": str(output),
        "confusion": str(matrix),
        "held_out": list(trained.held_out),
        "unseen": list(trained.unseen),
        "epochs": trained.fitted.epochs,
        "best_epoch": trained.fitted.best_epoch,
        "edit_score": trained.edit_score,
        "scores": {
            name: {
                "frame_accuracy": scores.accuracy,
                "mean_average_precision": scores.mean_average_precision,
                "frames": scores.frames,
            }
            for name, scores in trained.scores.items()
        },
    }
