"""`stepgraph recognise`: train a recogniser of key-steps in frames, and judge what it sees."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stepgraph.cli import options
from stepgraph.cli.judging import LiveSessions, for_recogniser, session_factory
from stepgraph.cli.output import (
    OutputClosedError,
    count,
    echo,
    print_json,
    print_json_line,
    print_notes,
    print_table,
    progress_bar,
)
from stepgraph.cli.output_files import check_file
from stepgraph.errors import FileError, FormatError, InputError, SettingError

if TYPE_CHECKING:
    from stepgraph.cli.judging import AnyMonitor
    from stepgraph.recognise import KeyStep, Recogniser, TrainedRecogniser


app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})


@app.callback(invoke_without_command=True)
def recognise(context: typer.Context) -> None:
    """Recognise key-steps in the features of video frames.

    'train' learns from labelled arrays; 'run' judges the key-steps of new ones, frame by frame.

    Example: stepgraph recognise train features --labels labels --classes classes.txt
    """
    if context.invoked_subcommand is None:
        echo(context.get_help())


@app.command()
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
        Path, typer.Option(metavar="DIR", help="The folder of labels: one .npy file per recording.")
    ],
    classes: Annotated[
        Path, typer.Option(metavar="FILE", help="The names of the classes: one per line, or JSON.")
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
            help="Where to write the confusion matrix. Default: beside the recogniser, ending in "
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
    a whole number for each frame, or a row with a column for each class. Some whole recordings
    are held out: they decide when to stop, and the confusion matrix and the printed figures are
    measured on them.

    Example: stepgraph recognise train camera/rgb camera/flow --labels camera/labels --classes
    camera/classes.txt --background nothing -o camera/model.safetensors
    """
    from stepgraph.recognise import train_recogniser
    from stepgraph.recognise.files import read_classes, read_features
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
    _save(trained, output, matrix)
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
            "the held-out recordings also decided when to stop: others score slightly lower",
            "linear sees each frame alone, majority sees none",
            *_unseen(trained),
        ]
    )


def _unseen(trained: TrainedRecogniser) -> list[str]:
    if not trained.unseen:
        return []
    classes = count(len(trained.unseen), "class", "classes")
    return [
        (
            f"{classes}, such as {trained.unseen[0]!r}, occurred in no training frame and will "
            "never be recognised"
        )
    ]


def _save(trained: TrainedRecogniser, output: Path, matrix: Path) -> None:
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


@app.command()
def run(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL", help="The recogniser that 'train' wrote.", show_default=False
        ),
    ],
    features: Annotated[
        list[str],
        typer.Argument(
            metavar="FEATURES...",
            help="The kinds of features given to 'train', in the same order; or - for standard "
            "input, with a JSON list of numbers for each frame.",
            show_default=False,
        ),
    ],
    graph: Annotated[
        Path | None,
        typer.Option(metavar="GRAPH", help="The task graph to judge key-steps by."),
    ] = None,
    confusion: options.ConfusionFile = None,
    calibration: options.CalibrationFile = None,
    error_rate: options.ErrorRate = None,
    fps: Annotated[float, typer.Option(metavar="N", help="Frames per second.")] = 30.0,
    as_json: options.AsJsonLines = False,
    with_next: options.WithNext = False,
) -> None:
    """Recognise key-steps frame by frame, and judge them as they come.

    Each recording is a session. The verdicts are those of 'stepgraph watch'. With --confusion (as
    'train' wrote it), --calibration or --error-rate they are probabilities that allow for the
    recogniser's errors. Without --graph the command prints the key-steps as lines that 'stepgraph
    watch' reads.

    The exit code is 0 if there was no mistake and every step was done, 2 if something could not
    be used, and 1 otherwise. Without --graph nothing is judged.

    Example: stepgraph recognise run camera/model.safetensors camera/test/rgb camera/test/flow
    --graph camera/graph.json --confusion camera/model.confusion.json
    """
    from stepgraph.recognise import load_recogniser

    if not 0 < fps < float("inf"):
        raise SettingError(f"--fps {fps}: expected a number above 0")
    if graph is None and (confusion or calibration or error_rate is not None or with_next):
        raise SettingError("--confusion, --calibration, --error-rate and --next need --graph")
    recogniser = load_recogniser(model)
    sessions = _sessions(recogniser, features)
    watched = None
    if graph is not None:
        watched = _watched(
            recogniser, graph, confusion, calibration, error_rate, as_json, with_next
        )
    clean = True
    try:
        for name, found in sessions:
            seen = False
            for key_step in found:
                seen = True
                entry = {"step": key_step.step, "time": key_step.frame / fps, "session": name}
                if watched is None:
                    print_json_line(entry)
                else:
                    watched.judge(entry)
            if not seen:
                about = "" if name is None else f"{name}: "
                print_notes([f"{about}no key-step was recognised"])
            if watched is not None:
                clean = watched.finish() and seen and clean
                watched.sessions.clear()
                watched.called.clear()
    except OutputClosedError:
        if watched is not None:  # the exit code is still right for the steps so far
            clean = clean and not any(monitor.mistakes for monitor in watched.sessions.values())
    if not clean:
        raise typer.Exit(1)


def _sessions(
    recogniser: Recogniser, features: list[str]
) -> Iterator[tuple[str | None, Iterator[KeyStep]]]:
    """Return the sessions to judge, each with its key-steps as they come."""
    from stepgraph.recognise import key_steps
    from stepgraph.recognise.files import read_features

    if features == ["-"]:
        return iter([(None, from_standard_input(recogniser))])
    recordings = read_features([Path(place) for place in features])
    for recording in recordings:
        recogniser.check(recording)  # before anything is judged
    return ((recording.id, key_steps(recogniser, recording)) for recording in recordings)


def from_standard_input(recogniser: Recogniser) -> Iterator[KeyStep]:
    """Yield the key-steps of frames on standard input, each line a JSON list of numbers."""
    import numpy as np

    from stepgraph.formats.json_text import parse_json
    from stepgraph.recognise import KeyStepStream

    stream = KeyStepStream(recogniser)
    if sys.stdin is None:
        return
    try:
        for number, line in enumerate(sys.stdin.buffer, start=1):
            if not line.strip():
                continue
            where = f"standard input, line {number}"
            try:
                with np.errstate(over="ignore"):  # infinite numbers are refused by the stream
                    values = np.array(parse_json(line.decode(), where), dtype=np.float32)
                step = stream.observe(values)
            except (FormatError, OverflowError, TypeError, ValueError) as error:
                raise FormatError(f"{where}: no frame ({str(error).splitlines()[0]})") from None
            if step is not None:
                yield step
    except OSError as error:
        raise FileError(f"standard input cannot be read ({error.strerror})") from None


def _watched(
    recogniser: Recogniser,
    graph: Path,
    confusion: Path | None,
    calibration: Path | None,
    error_rate: float | None,
    as_json: bool,
    with_next: bool,
) -> LiveSessions:
    from stepgraph.formats import read_graph
    from stepgraph.monitoring import Confusion, UncertainMonitor
    from stepgraph.recognise import confusion_for

    loaded = read_graph(graph)
    unseen = [step for step in loaded.steps if step not in recogniser.steps]
    if len(unseen) == len(loaded.steps):
        raise InputError(
            f"{graph}: none of its steps is one that the recogniser tells apart, such as "
            f"{recogniser.steps[0]!r}; expected the graph of a procedure that it was trained on"
        )
    if unseen:
        print_notes(
            [f"the recogniser was never shown {count(len(unseen), 'step')}, such as {unseen[0]!r}"]
        )
    begin: Callable[[], AnyMonitor]
    if confusion is not None and calibration is None and error_rate is None:
        own = confusion_for(Confusion.read(confusion), loaded)
        begin = partial(UncertainMonitor, for_recogniser(loaded), confusion=own)
    else:
        begin = session_factory(loaded, calibration, confusion, error_rate)
    return LiveSessions(loaded, begin, as_json=as_json, with_next=with_next)
