"""Files of networks, features and embeddings, what runs and caches keep, and replies of models."""

from __future__ import annotations

import io
import json
import sys
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from stepgraph.cli.recognise import from_standard_input
from stepgraph.learners.llm.questions import Question, read_answer
from stepgraph.learners.transformer.embedding_files import read_embeddings, read_segments
from stepgraph.learners.transformer.model import Shape, TaskGraphTransformer
from stepgraph.learners.transformer.sentence_embeddings import cached, keep
from stepgraph.learners.transformer.trained import (
    TrainedTransformer,
    load_checkpoint,
    save_checkpoint,
)
from stepgraph.pipeline.outcomes import Checkpoint, Outcome
from stepgraph.recognise import Recogniser, RecogniserSettings, load_recogniser
from stepgraph.recognise.files import read_classes, read_features
from stepgraph.recognise.recogniser import FrameNetwork, Pace, save_recogniser
from stepgraph.sequences import Demonstrations
from tests.fuzz.target import Target, by_name, expect, put

_QUESTION = Question("mix", ("crack egg", "pour milk", "step 1", "step 2"))
_OUTCOMES = [
    Outcome(
        "tea",
        '{"format": "stepgraph-graph", "version": 1, "steps": [], "edges": []}',
        explanations=("note",),
    ),
    Outcome("soup", error="no steps", facts={"loss": 0.5}),
]


def _recogniser(data: bytes, folder: Path) -> None:
    found = load_recogniser(put(folder, "recogniser.safetensors", data))
    save_recogniser(found, folder / "again.safetensors")
    again = load_recogniser(folder / "again.safetensors")
    expect(
        (again.classes, again.widths, again.background)
        == (found.classes, found.widths, found.background),
        "read as it was written",
    )
    expect(again.settings == found.settings and again.pace == found.pace, "with its settings")


def _transformer(data: bytes, folder: Path) -> None:
    found = load_checkpoint(put(folder, "transformer.safetensors", data))
    save_checkpoint(found, folder / "again.safetensors")
    again = load_checkpoint(folder / "again.safetensors")
    expect(again.network.shape == found.network.shape, "read as it was written")
    expect(again.procedures == found.procedures, "with its procedures")


def _embeddings(suffix: str, data: bytes, folder: Path) -> None:
    found = read_embeddings(put(folder, f"steps{suffix}", data))
    widths = {values.shape for values in found.values()}
    expect(len(widths) == 1, "embeddings have one width")
    expect(all(np.isfinite(values).all() for values in found.values()), "and finite numbers")


def _frames(data: bytes, folder: Path) -> None:
    recogniser = load_recogniser(put(folder, "recogniser.safetensors", _files()["recogniser"]))
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data))
    try:
        steps = list(from_standard_input(recogniser))
    finally:
        sys.stdin = before
    expect({key_step.step for key_step in steps} <= {"mix"}, "key-steps are classes")


def _segments(suffix: str, data: bytes, folder: Path) -> None:
    given = Demonstrations.from_steps({"one": ["mix", "fry"]}, procedure="pancakes")
    place = folder / "pancakes"
    if suffix == ".pt":
        place /= "one"
    place.mkdir(parents=True, exist_ok=True)
    for name in ("0_mix.pt", "1_fry.pt") if suffix == ".pt" else ("one.npz",):
        put(place, name, data)
    views = read_segments(folder, given)
    expect({own.shape[1] for own in views} == {views[0].shape[1]}, "embeddings have one width")


def _cached(data: bytes, folder: Path) -> None:
    keep(folder / "cache", "model", "mix", np.ones(3, dtype=np.float32))
    (path,) = (folder / "cache").glob("*.npy")
    path.write_bytes(data)
    found = cached(folder / "cache", "model", "mix")
    expect(found is None or bool(np.isfinite(found).all()), "finite numbers or nothing")


def _features(data: bytes, folder: Path) -> None:
    features = put(folder, "one.npy", data)
    for labels in (None, put(folder, "two.npy", _npy(np.array([0, 1, 1])))):
        for recording in read_features([features], labels=labels, classes=2):
            expect(bool(recording.id), "a recording has a name")


def _labels(data: bytes, folder: Path) -> None:
    features = put(folder, "one.npy", _npy(np.ones((3, 2), dtype=np.float32)))
    (recording,) = read_features([features], labels=put(folder, "two.npy", data), classes=2)
    expect(recording.labels is not None and set(recording.labels) <= {0, 1}, "labels are classes")


def _classes(name: str, data: bytes, folder: Path) -> None:
    found = read_classes(put(folder, name, data))
    expect(len(set(found)) == len(found) > 0, "classes have different names")


def _checkpoint(data: bytes, folder: Path) -> None:
    kept = Checkpoint(folder / "kept")
    put(kept.folder, "abc.jsonl", data)
    found = kept.find("abc")
    if found is not None:
        for outcome in found:
            _ = outcome.graph
        kept.keep("abc", found)
        expect(kept.find("abc") == found, "read as it was written")


def _reply(data: bytes, folder: Path) -> None:
    del folder
    answer = read_answer(data.decode("utf-8", "replace"), _QUESTION)
    expect(set(answer.preconditions) <= set(_QUESTION.options), "an answer names options only")


def _npy(values: object) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.asarray(values))
    return stream.getvalue()


def _npz(**arrays: object) -> bytes:
    stream = io.BytesIO()
    arguments: dict[str, Any] = {name: np.asarray(values) for name, values in arrays.items()}
    np.savez(stream, **arguments)
    return stream.getvalue()


@cache
def _files() -> dict[str, bytes]:
    settings = RecogniserSettings(embedding=2, hidden=2, window=4, latest=2)
    torch.manual_seed(0)
    network = FrameNetwork(2, 2, settings).eval()
    recogniser = Recogniser(network, settings, ("rest", "mix"), (2,), "rest", Pace(4, 0.7, 2))
    trained = TrainedTransformer(
        TaskGraphTransformer(Shape(features=4, width=4, heads=2)).eval(), "model", ("tea",)
    )
    from safetensors.torch import save

    pickled = io.BytesIO()
    torch.save({"mix": torch.ones(3), "fry": torch.zeros(3)}, pickled)
    segment = io.BytesIO()
    torch.save({"video": torch.ones(1, 3), "text": torch.zeros(1, 3)}, segment)
    with tempfile.TemporaryDirectory() as place:
        save_recogniser(recogniser, Path(place) / "recogniser")
        save_checkpoint(trained, Path(place) / "transformer")
        kept = Checkpoint(Path(place) / "kept")
        kept.keep("abc", _OUTCOMES)
        return {
            **{name: (Path(place) / name).read_bytes() for name in ("recogniser", "transformer")},
            "checkpoint": next(kept.folder.iterdir()).read_bytes(),
            ".safetensors": save({"mix": torch.ones(3), "fry": torch.zeros(3)}),
            ".pt": pickled.getvalue(),
            "segments.pt": segment.getvalue(),
            "segments.npz": _npz(steps=["mix", "fry"], embeddings=[[1.0, 2.0], [3.0, 4.0]]),
            ".npz": _npz(steps=["mix", "fry"], embeddings=[[1.0, 2.0], [3.0, 4.0]]),
        }


def _seed(name: str) -> list[bytes]:
    return [_files()[name]]


_CLASSES = json.dumps({"0": "mix", "1": "pour"}).encode()

TARGETS = by_name(
    Target(
        "recogniser",
        _recogniser,
        partial(_seed, "recogniser"),
        ("stepgraph.learners.networks", "stepgraph.recognise.recogniser"),
        share=1.5,
    ),
    Target(
        "transformer",
        _transformer,
        partial(_seed, "transformer"),
        ("stepgraph.learners.networks", "stepgraph.learners.transformer.trained"),
        share=1.5,
    ),
    *(
        Target(
            f"embeddings-{suffix[1:]}",
            partial(_embeddings, suffix),
            partial(_seed, suffix),
            ("stepgraph.learners.transformer.embedding_files",),
            share=0.5,
        )
        for suffix in (".npz", ".safetensors", ".pt")
    ),
    *(
        Target(
            f"segments-{suffix[1:]}",
            partial(_segments, suffix),
            partial(_seed, f"segments{suffix}"),
            ("stepgraph.learners.transformer.embedding_files",),
            share=0.5,
        )
        for suffix in (".npz", ".pt")
    ),
    Target(
        "embeddings-cached",
        _cached,
        lambda: [_npy(np.ones(3, dtype=np.float32))],
        ("stepgraph.learners.transformer.sentence_embeddings",),
        share=0.5,
    ),
    Target(
        "features",
        _features,
        lambda: [_npy(np.ones((3, 2), dtype=np.float32)), _npy(np.ones((3, 2), dtype=np.int8))],
        ("stepgraph.recognise.files",),
    ),
    Target(
        "frame-labels",
        _labels,
        lambda: [_npy(np.array([0, 1, 1])), _npy(np.eye(3, 2, -1) + 0.1 * np.eye(3, 2))],
        ("stepgraph.recognise.files",),
        share=0.5,
    ),
    Target(
        "classes-json",
        partial(_classes, "classes.json"),
        lambda: [_CLASSES, b'["mix", "pour"]', b'{"mix": 1, "pour": 2}'],
        ("stepgraph.recognise.files",),
        share=0.5,
    ),
    Target(
        "classes-text",
        partial(_classes, "classes.txt"),
        lambda: [b"mix\npour\n", b"0 mix\n1 pour\n"],
        ("stepgraph.recognise.files",),
        share=0.5,
    ),
    Target(
        "frame-stream",
        _frames,
        lambda: [b"[0.5, 1]\n\n[1, -1]\n" * 8],
        ("stepgraph.cli.recognise",),
        share=0.5,
    ),
    Target(
        "run-checkpoint",
        _checkpoint,
        partial(_seed, "checkpoint"),
        ("stepgraph.pipeline.outcomes",),
    ),
    Target(
        "llm-reply",
        _reply,
        lambda: [b'Sure! {"mix": ["crack eggs", "None of the above"]}', b'{"mix": []}'],
        ("stepgraph.learners.llm.questions",),
        ("mix", "crack egg", "step 1"),
    ),
)
