"""`stepgraph learn --zero-shot`: the graph of a procedure that nobody has demonstrated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.errors import InputError

if TYPE_CHECKING:
    from stepgraph.pipeline import Learning


def refuse_for_zero_shot(
    demos: str | None, method: str, model: Path | None, *, unified: bool, save_model: Path | None
) -> None:
    """Check that nothing is asked for that needs recordings.

    Raises
    ------
    InputError
        If something is, or the network is not named.
    """
    if demos is not None:
        raise InputError(f"{demos}: --zero-shot takes no recordings, only step names")
    if method != "tgt-text":
        raise InputError(f"--zero-shot is for --method tgt-text, not {method!r}")
    if model is None:
        raise InputError("--zero-shot needs --model FILE, a network that --save-model wrote")
    if unified or save_model is not None:
        raise InputError("--zero-shot trains nothing; leave out --unified and --save-model")


def predict_graph(
    steps: Path, model: Path | None, given: dict[str, Any], threshold: float | None, relaxed: bool
) -> Learning:
    """Return the graph that a trained network gives for a file of step names."""
    from stepgraph.formats import read_steps
    from stepgraph.pipeline import predict

    embeddings = given.pop("embeddings", None)
    if given:
        raise InputError(
            f"--set {next(iter(given))} is of no use to --zero-shot, which trains nothing; only "
            "--set embeddings=FILE is"
        )
    return predict(
        read_steps(steps),
        str(model),
        embeddings=embeddings,
        procedure=steps.stem,
        threshold=threshold,
        relaxed=relaxed,
    )
