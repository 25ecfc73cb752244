from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from stepgraph.errors import FileError, FormatError
from stepgraph.learners.transformer.embeddings.segments import read_segments
from stepgraph.learners.transformer.simulation import simulate_segments
from stepgraph.sequences import Demonstrations

TEA = Demonstrations.from_steps(["ab", "ba", "aab"], procedure="tea")


def write_released(root: Path, given: Demonstrations = TEA) -> None:
    """Write a file for each segment, whose first value is 10 times the recording plus the step."""
    for number, recording in enumerate(given):
        folder = root / given.procedure / recording.id
        folder.mkdir(parents=True)
        for place, node in enumerate(recording.steps):
            vector = torch.zeros((1, 4))
            vector[0, 0], vector[0, node] = 10 * number + node, 100.0
            name = f"{place}_{given.vocabulary.name(node)}.pt"
            torch.save({"video": vector, "text": vector + 0.5}, folder / name)


def first_values(
    views: list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]],
) -> list[list[float]]:
    return [own[:, 0].tolist() for own in views]


def test_each_step_has_a_view_for_every_segment_that_shows_it(tmp_path: Path) -> None:
    write_released(tmp_path)
    assert first_values(read_segments(tmp_path, TEA)) == [[1, 11, 21, 21], [2, 12, 22]]
    assert first_values(read_segments(tmp_path, TEA, "text"))[1] == [2.5, 12.5, 22.5]


def test_only_the_recordings_given_are_opened(tmp_path: Path) -> None:
    write_released(tmp_path)
    for path in (tmp_path / "tea" / TEA.sequences[1].id).iterdir():
        path.write_bytes(b"held for test")
    train = Demonstrations(TEA.vocabulary, TEA.sequences[0::2], "tea")
    assert first_values(read_segments(tmp_path, train)) == [[1, 21, 21], [2, 22]]


def test_one_file_a_recording_holds_the_same(tmp_path: Path) -> None:
    texts = {"a": np.array([1.0, 0.0], np.float32), "b": np.array([0.0, 1.0], np.float32)}
    simulate_segments(tmp_path, TEA, texts, seed=0)
    views = read_segments(tmp_path, TEA)
    assert [own.shape for own in views] == [(4, 2), (3, 2)]
    simulate_segments(tmp_path / "again", TEA, texts, seed=0)
    again = read_segments(tmp_path / "again", TEA)
    assert all(np.array_equal(*pair) for pair in zip(views, again, strict=True))


def test_a_missing_and_an_extra_segment_are_named(tmp_path: Path) -> None:
    write_released(tmp_path)
    folder = tmp_path / "tea" / TEA.sequences[0].id
    (folder / "1_b.pt").rename(folder / "7_b.pt")
    with pytest.raises(FormatError, match="no embedding of segment 1, 'b'"):
        read_segments(tmp_path, TEA)
    torch.save({"video": torch.ones(2)}, folder / "1_b.pt")
    with pytest.raises(FormatError, match=r"an embedding of segment 7, .* segments 0 to 1"):
        read_segments(tmp_path, TEA)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"video": torch.ones(3)}, "embeddings have 3, 4 values"),
        ({"video": torch.tensor([1.0, torch.nan])}, "no finite number"),
        ({"text": torch.ones(2)}, "a dictionary with a tensor 'video'"),
        ({"video": object}, "more in it than plain tensors"),
    ],
)
def test_a_segment_that_cannot_be_used_is_refused(
    tmp_path: Path, content: object, message: str
) -> None:
    write_released(tmp_path)
    torch.save(content, tmp_path / "tea" / TEA.sequences[0].id / "0_a.pt")
    with pytest.raises(FormatError, match=message):
        read_segments(tmp_path, TEA)


def test_files_that_say_no_place_or_the_same_one_are_refused(tmp_path: Path) -> None:
    write_released(tmp_path)
    folder = tmp_path / "tea" / TEA.sequences[0].id
    torch.save({"video": torch.ones(2)}, folder / "0_again.pt")
    with pytest.raises(FormatError, match="the segment 0 has another file"):
        read_segments(tmp_path, TEA)
    (folder / "0_again.pt").rename(folder / "first.pt")
    with pytest.raises(FormatError, match=r"expected a name such as 0_step\.pt"):
        read_segments(tmp_path, TEA)


def test_procedures_and_recordings_without_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="expected one for the procedure 'tea'"):
        read_segments(tmp_path, TEA)
    (tmp_path / "tea").mkdir()
    with pytest.raises(FileError, match="expected the embeddings of the recording"):
        read_segments(tmp_path, TEA)


def test_one_file_a_recording_must_have_its_steps(tmp_path: Path) -> None:
    (tmp_path / "tea").mkdir()
    path = tmp_path / "tea" / f"{TEA.sequences[0].id}.npz"
    np.savez(path, steps=np.array(["b", "a"]), embeddings=np.ones((2, 2)))
    with pytest.raises(FormatError, match="segment 0 is 'b'; the recording has 'a' there"):
        read_segments(tmp_path, TEA)
    np.savez(path, steps=np.array(["a"]), embeddings=np.ones((2, 2)))
    with pytest.raises(FormatError, match="one name and one row for each segment"):
        read_segments(tmp_path, TEA)
    np.savez(path, vectors=np.ones((2, 2)))
    with pytest.raises(FormatError, match="holds vectors; expected 'steps' and 'embeddings'"):
        read_segments(tmp_path, TEA)
