from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from stepgraph.errors import FileError, FormatError, MissingExtraError
from stepgraph.learners.networks import KEY, put_weights, read_network, write_network


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "network.safetensors"
    write_network(nn.Linear(2, 3), path, format="kind", version=1, about={"width": 2})
    return path


def test_what_is_written_is_read_again(file: Path) -> None:
    header, weights = read_network(file, format="kind", version=1)
    assert header == {"format": "kind", "version": 1, "width": 2}
    network = nn.Linear(2, 3)
    put_weights(network, weights, "here")
    assert torch.equal(network.weight, weights["weight"])


def test_the_same_network_gives_the_same_bytes(tmp_path: Path) -> None:
    network = nn.Linear(2, 3)
    for name in ("a", "b"):
        write_network(network, tmp_path / name, format="kind", version=1, about={"b": 1, "a": 2})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_another_format_or_version_is_refused(file: Path) -> None:
    with pytest.raises(FormatError, match="a 'kind'; expected a 'other'"):
        read_network(file, format="other", version=1)
    with pytest.raises(FormatError, match="version 1 of the format; this stepgraph reads 2"):
        read_network(file, format="kind", version=2)


@pytest.mark.parametrize("keep", [0, 4, 100])
def test_a_truncated_file_is_refused(file: Path, keep: int) -> None:
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(FormatError, match="cannot be read as safetensors, is it whole"):
        read_network(file, format="kind", version=1)


@pytest.mark.parametrize("header", ["[" * 100_000, "9" * 5000, '{"width": NaN}'])
def test_a_header_that_is_no_json_is_refused(tmp_path: Path, header: str) -> None:
    save_file({"weight": torch.ones(2)}, tmp_path / "odd", metadata={KEY: header})
    with pytest.raises(FormatError, match="no network that stepgraph saved"):
        read_network(tmp_path / "odd", format="kind", version=1)


def test_half_of_a_character_in_a_header_is_refused(tmp_path: Path) -> None:
    header = r'{"format": "kind", "version": 1, "names": ["\ud800"]}'
    save_file({"weight": torch.ones(2)}, tmp_path / "odd", metadata={KEY: header})
    with pytest.raises(FormatError, match="a text in its header has half of a character"):
        read_network(tmp_path / "odd", format="kind", version=1)


def test_a_pickle_is_refused(tmp_path: Path) -> None:
    torch.save({"weight": torch.ones(2)}, tmp_path / "pickle")
    with pytest.raises(FormatError, match="cannot be read as safetensors"):
        read_network(tmp_path / "pickle", format="kind", version=1)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file; expected a network that stepgraph saved"):
        read_network(tmp_path / "none", format="kind", version=1)


def test_a_folder_in_place_of_a_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="a folder; expected a network that stepgraph saved"):
        read_network(tmp_path, format="kind", version=1)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"weight": torch.ones(3, 4), "bias": torch.ones(3)}, r"'weight' have shape \(3, 4\)"),
        ({"weight": torch.ones(3, 2)}, "'bias' have shape None"),
        ({"weight": torch.ones(3, 2), "bias": torch.full((3,), torch.nan)}, "not finite"),
    ],
)
def test_weights_that_do_not_fit_are_refused(
    weights: dict[str, torch.Tensor], message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        put_weights(nn.Linear(2, 3), weights, "here")


def test_without_safetensors_the_command_that_installs_it_is_said(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'stepgraph\[torch\]'"):
        read_network(file, format="kind", version=1)
