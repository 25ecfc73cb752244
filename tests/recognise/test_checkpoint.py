from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepgraph.errors import FormatError
from stepgraph.learners.network_file import read_network, write_network
from stepgraph.recognise import load_recogniser, save_recogniser
from stepgraph.recognise.checkpoint import FORMAT, VERSION
from tests.recognise.samples import films, trained


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    save_recogniser(trained().recogniser, path)
    return path


def test_a_file_holds_the_whole_recogniser(file: Path) -> None:
    own, read = trained().recogniser, load_recogniser(file)
    for name in ("settings", "classes", "widths", "background", "pace"):
        assert getattr(read, name) == getattr(own, name)
    recording = films(1, seed=5)[0]
    np.testing.assert_array_equal(read.shares(recording), own.shares(recording))


def test_the_same_recogniser_gives_the_same_bytes(file: Path) -> None:
    again = file.with_name("again")
    save_recogniser(load_recogniser(file), again)
    assert again.read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"widths": [6, 4]}, r"the weights 'mean' have shape \(9,\); by its header \(10,\)"),
        ({"widths": []}, "its header lacks or misstates the widths"),
        ({"classes": ["a", "a"]}, "its header lacks or misstates different classes"),
        ({"background": "fog"}, "its header lacks or misstates the background"),
        ({"settings": {}}, "its header lacks or misstates 'design'"),
        ({"settings": []}, "its header lacks or misstates"),
        ({"pace": []}, "its header lacks or misstates"),
        ({"pace": {"enter": 10**400}}, "its header lacks or misstates int too large"),
        ({"widths": [10**12]}, r"safetensors: by its header the network has 24,.* numbers or more"),
        ({"pace": {"duration": float("nan")}}, "no network that stepgraph saved"),
        ({"version": 2}, "version 2 of the format; this stepgraph reads 1"),
        (
            {"format": "stepgraph-transformer"},
            "a 'stepgraph-transformer'; expected a 'stepgraph-recogniser'",
        ),
    ],
)
def test_a_header_that_misstates_is_refused(
    file: Path, change: dict[str, Any], message: str
) -> None:
    header, _ = read_network(file, format=FORMAT, version=VERSION)
    header.update(change)
    kind = {name: header.pop(name) for name in ("format", "version")}
    write_network(trained().recogniser.network, file, **kind, about=header)
    with pytest.raises(FormatError, match=message):
        load_recogniser(file)


def test_a_recogniser_without_a_pace_or_background_can_be_kept(tmp_path: Path) -> None:
    bare = replace(trained().recogniser, pace=None, background=None)
    save_recogniser(bare, tmp_path / "bare")
    read = load_recogniser(tmp_path / "bare")
    assert read.pace is None
    assert read.steps == read.classes
