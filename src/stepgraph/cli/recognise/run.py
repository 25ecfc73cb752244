"""`stepgraph recognise run`: key-steps from features, judged as they come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.judging import Watched, begin_sessions
from stepgraph.cli.live import NobodyReadsError, say_json
from stepgraph.cli.output import count, print_notes
from stepgraph.errors import FileError, FormatError, InputError, SettingError

if TYPE_CHECKING:
    from stepgraph.cli.judging import AnyMonitor
    from stepgraph.monitoring import KeyStep
    from stepgraph.recognise import Recogniser


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
    confusion: options.ConfusionFile = None,
    calibration: options.CalibrationFile = None,
    error_rate: options.ErrorRate = None,
    fps: Annotated[float, typer.Option(metavar="N", help="Frames a second.")] = 30.0,
    as_json: options.AsJsonLines = False,
    with_next: options.WithNext = False,
) -> None:
    """Recognise key-steps frame by frame, and judge them as they come.

    Each recording is a session. The verdicts are those of 'stepgraph watch': plain ones, or with
    --confusion (as 'train' wrote it), --calibration or --error-rate probabilities that allow for
    the recogniser's errors. Without --graph the key-steps are printed as lines that 'stepgraph
    watch' reads.

    The exit code is 0 if there was no mistake, 1 if there was one, and 2 if something could not
    be used.

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


def _sessions(
    recogniser: Recogniser, features: list[str]
) -> Iterator[tuple[str | None, Iterator[KeyStep]]]:
    """Return the sessions to judge, each with its key-steps as they come."""
    from stepgraph.recognise import key_steps
    from stepgraph.recognise.feature_files import read_features

    if features == ["-"]:
        return iter([(None, from_standard_input(recogniser))])
    recordings = read_features([Path(place) for place in features])
    for recording in recordings:
        recogniser.check(recording)  # before anything is judged
    return ((recording.id, key_steps(recogniser, recording)) for recording in recordings)


def from_standard_input(recogniser: Recogniser) -> Iterator[KeyStep]:
    """Give the key-steps of frames that come as lines, each a JSON list of numbers."""
    import numpy as np

    from stepgraph.recognise import KeyStepStream
    from stepgraph.storage import parse_json

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
) -> Watched:
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
        begin = partial(UncertainMonitor, loaded, confusion=own)
    else:
        begin = begin_sessions(loaded, calibration, confusion, error_rate)
    return Watched(loaded, begin, as_json=as_json, with_next=with_next)
