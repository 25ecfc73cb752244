from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from benchmarks.generators.video_segments import simulate_segments
from stepgraph.errors import FileError, FormatError
from stepgraph.learners.transformer import embedding_files
from stepgraph.learners.transformer.embedding_files import (
    read_embeddings,
    read_segments,
    vectors_of,
)
from stepgraph.sequences import Demonstrations

EGG, MILK = np.array([1.0, 2.0], np.float32), np.array([3.0, 4.0], np.float32)


def write(path: Path, **arrays: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Path:
    np.savez(path, allow_pickle=False, **arrays)
    return path


def test_every_kind_of_file_gives_the_same_vectors(tmp_path: Path) -> None:
    by_name = write(tmp_path / "a.npz", egg=EGG, milk=MILK)
    rows = tmp_path / "b.npz"
    np.savez(rows, steps=np.array(["egg", "milk"]), embeddings=np.stack([EGG, MILK]))
    tensors = {"egg": torch.from_numpy(EGG), "milk": torch.from_numpy(MILK)}
    save_file(tensors, tmp_path / "c.safetensors")
    torch.save(tensors, tmp_path / "d.pt")
    for path in (by_name, rows, tmp_path / "c.safetensors", tmp_path / "d.pt"):
        vectors = vectors_of(["milk", "egg"], read_embeddings(path), str(path))
        assert vectors.tolist() == [[3.0, 4.0], [1.0, 2.0]]


def test_a_step_without_an_embedding_is_named_with_the_nearest() -> None:
    with pytest.raises(FormatError, match=r"mine: no embedding of the step 'eg'.*mean 'egg'"):
        vectors_of(["eg"], {"egg": EGG}, "mine")


def test_vectors_of_different_widths_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.npz", egg=EGG, milk=np.ones(3, np.float32))
    with pytest.raises(FormatError, match="'milk' has 3 values, others have 2"):
        read_embeddings(path)


def test_values_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.npz", egg=np.array([1.0, np.nan], np.float32))
    with pytest.raises(FormatError, match="'egg' holds a value that is no finite number"):
        read_embeddings(path)


def test_an_empty_name_and_a_name_listed_twice_are_refused(tmp_path: Path) -> None:
    torch.save({" ": torch.ones(2)}, tmp_path / "a.pt")
    with pytest.raises(FormatError, match="empty name"):
        read_embeddings(tmp_path / "a.pt")
    np.savez(tmp_path / "b.npz", steps=np.array(["egg", "egg"]), embeddings=np.ones((2, 2)))
    with pytest.raises(FormatError, match="'egg' is listed twice"):
        read_embeddings(tmp_path / "b.npz")


def test_rows_without_names_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", steps=np.array(["egg"]), embeddings=np.ones((2, 2)))
    with pytest.raises(FormatError, match="one name and one row for each step"):
        read_embeddings(tmp_path / "a.npz")


class Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("this pickle ran code",)


def test_a_pickle_that_is_not_plain_tensors_is_refused_and_runs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.save({"egg": Trap()}, tmp_path / "a.pt")
    (tmp_path / "b.pt").write_bytes(pickle.dumps({"egg": Trap()}))
    for name in ("a.pt", "b.pt"):
        with pytest.raises(FormatError, match="more in it than plain tensors"):
            read_embeddings(tmp_path / name)
    assert capsys.readouterr().out == ""


def test_a_list_of_tensors_is_refused(tmp_path: Path) -> None:
    torch.save([torch.ones(2)], tmp_path / "a.pt")
    with pytest.raises(FormatError, match="holds list; expected a dictionary"):
        read_embeddings(tmp_path / "a.pt")


@pytest.mark.parametrize("suffix", [".npz", ".safetensors", ".pt"])
def test_truncated_files_are_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    if suffix == ".npz":
        write(path, egg=EGG)
    elif suffix == ".pt":
        torch.save({"egg": torch.ones(2)}, path)
    else:
        save_file({"egg": torch.ones(2)}, path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(FormatError, match="is it whole"):
        read_embeddings(path)


def test_missing_and_foreign_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_embeddings(tmp_path / "a.npz")
    (tmp_path / "a.csv").write_text("egg,1,2")
    with pytest.raises(FormatError, match="expected a file of the kind"):
        read_embeddings(tmp_path / "a.csv")


def test_a_pickle_whose_instructions_make_no_sense_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    torch.save({"egg": torch.ones(2)}, buffer)
    # Instructions that take from an empty stack.
    with zipfile.ZipFile(buffer) as whole, zipfile.ZipFile(tmp_path / "a.pt", "w") as broken:
        for name in whole.namelist():
            content = whole.read(name)
            broken.writestr(name, b"\x80\x02." if name.endswith("data.pkl") else content)
    with pytest.raises(FormatError, match=r"a\.pt: "):
        read_embeddings(tmp_path / "a.pt")


def test_a_file_that_grows_out_of_proportion_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_files, "GROWTH_FROM", 1_000_000)
    np.savez_compressed(tmp_path / "bomb.npz", egg=np.zeros(1_000_000))
    with pytest.raises(FormatError, match="grows to more than 50 times its size"):
        read_embeddings(tmp_path / "bomb.npz")


# Where a zip file's entry says which version, flags and method it has: in its own header, and in
# the list at the file's end.
@pytest.mark.parametrize(
    ("field", "value"),
    [("extract_version", 99), ("flag_bits", 1), ("flag_bits", 32), ("compress_type", 99)],
)
def test_an_archive_of_a_kind_that_numpy_never_writes_is_refused(
    tmp_path: Path, field: str, value: int
) -> None:
    path = tmp_path / "steps.npz"
    np.savez(path, mix=np.ones(3, np.float32))
    content = bytearray(path.read_bytes())
    place = {"extract_version": 4, "flag_bits": 6, "compress_type": 8}[field]
    for start, more in ((content.index(b"PK\3\4"), 0), (content.index(b"PK\1\2"), 2)):
        content[start + place + more] = value
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"cannot be read as \.npz, is it whole"):
        read_embeddings(path)


def test_what_is_no_array_in_an_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "steps.npz"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("steps", b"mix")
        packed.writestr("embeddings", b"1 2 3")
    with pytest.raises(FormatError, match="'steps' in it is no array; expected arrays alone"):
        read_embeddings(path)


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
