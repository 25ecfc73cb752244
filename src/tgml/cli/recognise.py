"""`tgml recognise`: key-steps from the features of video frames, judged as they come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tgml.cli import options
from tgml.cli.live import NobodyReadsError, say_json
from tgml.cli.output import count, echo, print_json, print_notes, print_table, progress_bar
from tgml.cli.targets import check_file, check_folder
from tgml.errors import FileError, FormatError, InputError, SettingError

if TYPE_CHECKING:
    from tgml.cli.watch import AnyMonitor, Watched
    from tgml.learners.recogniser import Recogniser
    from tgml.recognition import KeyStep, TrainedRecogniser

app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})

Features = Annotated[
    list[Path],
    typer.Argument(
        metavar="FEATURES...",
        help="A folder of .npy files for each kind of feature, or one file for each kind.",
        show_default=False,
    ),
]


@app.callback(invoke_without_command=True)
def recognise(context: typer.Context) -> None:
    """Recognise key-steps in the features of video frames.

    'train' learns from arrays with labels, 'run' judges new ones as they come, 'simulate' makes
    arrays to try both with.

    Example: tgml recognise simulate camera
    """
    if context.invoked_subcommand is None:
        echo(context.get_help())


@app.command("train")
def train(
    features: Features,
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
    confusion: Annotated[
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
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="For all that is drawn.")] = 0,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting, such as window=256."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Train a recogniser on per-frame features and labels.

    A recording has the same file name in every folder: (frames, width) for features; for labels
    a whole number for each frame, or a row with a column for each class. Whole recordings are
    held out: they say when to stop and how the recogniser errs, and are what the printed figures
    are measured on.

    Example: tgml recognise train camera/rgb camera/flow --labels camera/labels --classes
    camera/classes.txt --background nothing -o camera/model.safetensors
    """
    from tgml.learners.recogniser.settings import RecogniserSettings
    from tgml.readers.features import read_classes, read_features
    from tgml.recognition import train_recogniser

    matrix = output.with_suffix(".confusion.json") if confusion is None else confusion
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


@app.command("run")
def run(
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="What 'train' wrote.", show_default=False),
    ],
    features: Annotated[
        list[str],
        typer.Argument(
            metavar="FEATURES...",
            help="As for 'train', in the same order; or - for standard input, a JSON list of "
            "numbers for each frame.",
            show_default=False,
        ),
    ],
    graph: Annotated[
        Path | None,
        typer.Option(metavar="GRAPH", help="Judge the key-steps by this task graph."),
    ] = None,
    confusion: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="How the recogniser errs, as 'train' wrote it."),
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What 'tgml calibrate' wrote.")
    ] = None,
    error_rate: Annotated[
        float | None, typer.Option(metavar="R", help="How it errs, as a single rate.")
    ] = None,
    fps: Annotated[float, typer.Option(metavar="N", help="Frames a second.")] = 30.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON Lines, for machines.")
    ] = False,
    with_next: Annotated[
        bool, typer.Option("--next", help="Also say what can be done now, the best first.")
    ] = False,
) -> None:
    """Recognise key-steps frame by frame, and judge them as they come.

    Each recording is a session. The verdicts are those of 'tgml watch': plain ones, or with
    --confusion, --calibration or --error-rate probabilities that allow for the recogniser's
    errors. Without --graph the key-steps are printed as lines that 'tgml watch' reads.

    The exit code is 0 if there was no mistake, 1 if there was one, and 2 if something could not
    be used.

    Example: tgml recognise run camera/model.safetensors camera/test/rgb camera/test/flow
    --graph camera/graph.json --confusion camera/model.confusion.json
    """
    from tgml.learners.recogniser import load_recogniser

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
    mistakes = 0
    try:
        for name, found in sessions:
            seen = False
            for key_step in found:
                seen = True
                entry = {"step": key_step.step, "time": key_step.frame / fps, "session": name}
                if watched is None:
                    say_json(entry)
                else:
                    watched.judge(entry)
            if not seen:
                about = "" if name is None else f"{name}: "
                print_notes([f"{about}no key-step was recognised"])
            if watched is not None:
                mistakes += watched.finish()
                watched.sessions.clear()
                watched.thought.clear()
    except NobodyReadsError:
        if watched is not None:
            mistakes += sum(monitor.mistakes for monitor in watched.sessions.values())
    if mistakes:
        raise typer.Exit(1)


@app.command("simulate")
def simulate(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where to write.", show_default=False)
    ],
    procedure: Annotated[
        str, typer.Option(metavar="NAME", help="Which procedure that ships with tgml.")
    ] = "pancakes",
    recordings: Annotated[
        int, typer.Option(metavar="N", min=2, help="How many recordings to train on.")
    ] = 20,
    test: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many to run, every second with errors.")
    ] = 4,
    noise: Annotated[float, typer.Option(metavar="X", help="How blurred frames are.")] = 2.0,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="For all that is drawn.")] = 0,
) -> None:
    """Write simulated features, labels and a graph to try it with.

    They are drawn at random, not taken from any video: each step is a point of its own in
    feature space, blurred by noise and a slow drift. Figures measured on them say nothing about
    real video.

    Example: tgml recognise simulate camera --procedure pancakes
    """
    from tgml.files import make_folder, write_text
    from tgml.procedures import load_procedure
    from tgml.recognition import save_frames
    from tgml.storage import save_graph
    from tgml.synthetic.features import SimulatedCamera, draw_sessions

    graph = load_procedure(procedure).graph
    camera = SimulatedCamera(graph.steps, noise=noise, seed=seed)
    check_folder(folder)
    make_folder(folder)
    kinds = ("rgb", "flow")
    films = camera.film(draw_sessions(graph, recordings, seed=seed), seed=2 * seed)
    tests = camera.film(
        draw_sessions(graph, test, seed=seed + 1, every_second_errs=True), seed=2 * seed + 1
    )
    save_frames(films, folder, kinds)
    save_frames(tests, folder / "test", kinds)
    write_text(folder / "classes.txt", "\n".join(camera.classes) + "\n")
    save_graph(graph, folder / "graph.json")
    frames = sum(map(len, films))
    echo(
        f"{folder}: simulated features of {count(len(films), 'recording')} to train on "
        f"({frames:,} frames) and {len(tests)} to run"
    )
    print_notes(
        [
            "simulated: no video was involved",
            (
                f"next: tgml recognise train {folder}/rgb {folder}/flow --labels {folder}/labels "
                f"--classes {folder}/classes.txt --background {camera.classes[0]} "
                f"-o {folder}/model.safetensors"
            ),
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
    from tgml.learners.recogniser import save_recogniser

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


def _sessions(
    recogniser: Recogniser, features: list[str]
) -> Iterator[tuple[str | None, Iterator[KeyStep]]]:
    """Return the sessions to judge, each with its key-steps as they come."""
    from tgml.readers.features import read_features
    from tgml.recognition import key_steps

    if features == ["-"]:
        return iter([(None, _from_standard_input(recogniser))])
    recordings = read_features([Path(place) for place in features])
    for recording in recordings:
        recogniser.check(recording)  # before anything is judged
    return ((recording.id, key_steps(recogniser, recording)) for recording in recordings)


def _from_standard_input(recogniser: Recogniser) -> Iterator[KeyStep]:
    import numpy as np

    from tgml.recognition import KeyStepStream
    from tgml.storage import parse_json

    stream = KeyStepStream(recogniser)
    if sys.stdin is None:
        return
    try:
        for number, line in enumerate(sys.stdin.buffer, start=1):
            if not line.strip():
                continue
            where = f"standard input, line {number}"
            try:
                values = np.array(parse_json(line.decode(), where), dtype=np.float32)
                step = stream.observe(values)
            except (FormatError, TypeError, ValueError) as error:
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
) -> Watched:
    from tgml.cli.watch import Watched, begin_sessions
    from tgml.monitoring import Confusion, UncertainMonitor
    from tgml.readers import read_graph
    from tgml.recognition import confusion_for

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
        begin = partial(UncertainMonitor, loaded, confusion=own)
    else:
        begin = begin_sessions(loaded, calibration, confusion, error_rate)
    return Watched(loaded, begin, as_json=as_json, with_next=with_next)
