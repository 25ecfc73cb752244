"""Training a recogniser: windows in, the network that is best on held-out recordings out."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import nn

from stepgraph.errors import FormatError, SettingError
from stepgraph.learners.base import Progress, no_progress
from stepgraph.learners.threads import one_thread
from stepgraph.recognise.frames import FrameRecording
from stepgraph.recognise.network import FrameNetwork
from stepgraph.recognise.recogniser import BLOCK, Recogniser
from stepgraph.recognise.settings import Design, RecogniserSettings
from stepgraph.recognise.windows import NOT_COUNTED, batches


@dataclass(frozen=True, eq=False)
class Fitted:
    """A recogniser, and how its training went.

    Parameters
    ----------
    recogniser
        With the weights of the best epoch.
    epochs
        How many epochs were done.
    best_epoch
        Which one was best on the held-out recordings, from 1 on.
    losses
        The mean loss on the training windows, epoch by epoch.
    held_out_losses
        The mean loss on all frames of the held-out recordings, epoch by epoch.
    """

    recogniser: Recogniser
    epochs: int
    best_epoch: int
    losses: tuple[float, ...]
    held_out_losses: tuple[float, ...]


def fit_recogniser(
    training: Sequence[FrameRecording],
    held_out: Sequence[FrameRecording],
    classes: Sequence[str],
    *,
    settings: RecogniserSettings | None = None,
    background: str | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Fitted:
    """Train a recogniser.

    Parameters
    ----------
    training
        Recordings with labels to learn from.
    held_out
        Recordings with labels that say when to stop; nothing else is learned from them.
    classes
        The names of the classes, label 0 first.
    settings
        How to build and train it.
    background
        The class that is no step, if there is one.
    seed
        The same seed gives the same weights.
    progress
        Told of each epoch.

    Raises
    ------
    SettingError
        If a set of recordings is empty, or the background is none of the classes.
    FormatError
        If recordings have no labels, or features of different widths.
    """
    settings = settings or RecogniserSettings()
    names = tuple(classes)
    _check(training, held_out, names, background)
    if settings.design is Design.LINEAR:  # frames before the counted ones would change nothing
        settings = replace(settings, window=settings.latest)
    widths = training[0].widths
    rng = np.random.default_rng([seed, 1])
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = FrameNetwork(sum(widths), len(names), settings)
        _standardise(network, training)
        optimizer = torch.optim.AdamW(
            network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        loss_of = nn.CrossEntropyLoss(ignore_index=NOT_COUNTED)
        best, best_epoch, best_weights = math.inf, 0, network.state_dict()
        losses: list[float] = []
        held_out_losses: list[float] = []
        for epoch in range(1, settings.epochs + 1):
            network.train()
            found = []
            for batch in batches(training, settings, rng):
                scores, _ = network(batch.frames)
                loss = loss_of(scores.flatten(0, 1), batch.labels.flatten())
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                optimizer.step()
                found.append(float(loss.detach()))
            losses.append(sum(found) / len(found))
            held_out_losses.append(_mean_loss(network, held_out))
            if held_out_losses[-1] < best:
                best, best_epoch = held_out_losses[-1], epoch
                best_weights = copy.deepcopy(network.state_dict())
            progress(epoch, settings.epochs, f"epoch {epoch}, held-out loss {best:.3f}")
            if epoch - best_epoch >= settings.patience:
                break
        if not best_epoch:
            raise SettingError(
                f"training diverged with a learning rate of {settings.learning_rate:g}; expected "
                "finite losses; try a lower rate"
            )
        network.load_state_dict(best_weights)
    recogniser = Recogniser(network.eval(), settings, names, widths, background)
    return Fitted(recogniser, len(losses), best_epoch, tuple(losses), tuple(held_out_losses))


def _check(
    training: Sequence[FrameRecording],
    held_out: Sequence[FrameRecording],
    classes: tuple[str, ...],
    background: str | None,
) -> None:
    if not training or not held_out:
        raise SettingError(
            f"{len(training)} recordings to train on and {len(held_out)} held out; expected one "
            "or more of each"
        )
    if background is not None and background not in classes:
        raise SettingError(f"the background {background!r} is none of the {len(classes)} classes")
    for recording in (*training, *held_out):
        if recording.labels is None:
            raise FormatError(f"recording {recording.id!r} has no labels; expected some to learn")
        if recording.widths != training[0].widths:
            raise FormatError(
                f"recording {recording.id!r} has features of widths {recording.widths}; expected "
                f"{training[0].widths}, as {training[0].id!r} has"
            )
        if recording.labels.min() < 0 or recording.labels.max() >= len(classes):
            raise FormatError(
                f"recording {recording.id!r} has labels from {recording.labels.min()} to "
                f"{recording.labels.max()}; expected 0 to {len(classes) - 1}"
            )


def _standardise(network: FrameNetwork, recordings: Sequence[FrameRecording]) -> None:
    """Let the network bring each feature to mean 0 and deviation 1 over the training frames."""
    count = 0
    total = np.zeros(network.mean.numel())
    squares = np.zeros(network.mean.numel())
    for recording in recordings:
        for first in range(0, len(recording), BLOCK):
            block = recording.block(first, first + BLOCK).astype(np.float64)
            count += len(block)
            total += block.sum(axis=0)
            squares += (block**2).sum(axis=0)
    mean = total / count
    deviation = np.sqrt(np.maximum(squares / count - mean**2, 0))
    # A feature that never changes says nothing; dividing by its noise would make it shout.
    deviation[deviation < 1e-6 * np.maximum(np.abs(mean), 1.0)] = 1.0
    network.mean.copy_(torch.from_numpy(mean.astype(np.float32)))
    network.scale.copy_(torch.from_numpy(deviation.astype(np.float32)))


def _mean_loss(network: FrameNetwork, recordings: Sequence[FrameRecording]) -> float:
    """Return the loss a frame as the network is run: over whole recordings, state carried on."""
    network.eval()
    total, count = 0.0, 0
    with torch.inference_mode():
        for recording in recordings:
            state = None
            for first in range(0, len(recording), BLOCK):
                frames = torch.from_numpy(recording.block(first, first + BLOCK))
                scores, state = network(frames[None], state)
                assert recording.labels is not None  # noqa: S101 - checked before training
                labels = torch.from_numpy(recording.labels[first : first + BLOCK].astype(np.int64))
                total += float(nn.functional.cross_entropy(scores[0], labels, reduction="sum"))
                count += len(labels)
    return total / count
