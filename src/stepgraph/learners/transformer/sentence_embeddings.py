"""Embeddings of step names by a sentence model, computed once for each name and model."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import FormatError, MissingExtraError, SettingError, UnavailableError
from stepgraph.files import reading_arrays
from stepgraph.learners.transformer import minilm

WEIGHTS = (".safetensors", ".bin", ".onnx", ".json", ".txt", ".model")
"""The files of a model's folder that determine its embeddings."""

Embed = Callable[[Sequence[str]], NDArray[np.float32]]


def embed_names(
    names: Sequence[str], model: str = minilm.NAME, *, folder: Path | None = None
) -> NDArray[np.float32]:
    """Return one embedding for each step name: (names, features).

    Parameters
    ----------
    names
        The step names.
    model
        'all-MiniLM-L6-v2', whose weights the extra 'text' brings, or a sentence-transformers model:
        the path of its folder, or its name if it has been downloaded before. Nothing is downloaded.
    folder
        The cache of embeddings; by default `cache_folder`.

    Raises
    ------
    MissingExtraError
        If the extra 'text' is not installed.
    UnavailableError
        If the model is not on this machine.
    FormatError
        If a name is empty, or the model's files cannot be used.
    """
    for number, name in enumerate(names, start=1):
        if not name.strip():
            raise FormatError(f"step {number} has an empty name; a sentence model needs words")
    folder = cache_folder() if folder is None else folder
    identity, embed = _model(model)
    found = {}
    for name in names:
        kept = cached(folder, identity, name)
        if kept is not None:
            found[name] = kept
    missing = [name for name in dict.fromkeys(names) if name not in found]
    if missing:
        computed = embed(missing)
        for name, values in zip(missing, computed, strict=True):
            if not np.isfinite(values).all():
                raise FormatError(f"the model {model!r} has no finite embedding of {name!r}")
            found[name] = values
            keep(folder, identity, name, values)
    return np.stack([found[name] for name in names])


def _model(model: str) -> tuple[str, Embed]:
    """Return the identity of a model's weights, and the function that embeds texts with it."""
    if not model.strip():
        raise SettingError(f"model is {model!r}; expected a name or the path of a folder")
    if model in (minilm.NAME, f"sentence-transformers/{minilm.NAME}"):
        return minilm.SHA256, minilm.embed
    folder = _folder(model)
    return _identity(folder), lambda texts: _with_sentence_transformers(folder, texts)


def _folder(model: str) -> Path:
    """Return the folder of a model that is on this machine."""
    path = Path(model)
    if path.is_dir():
        return path
    if path.suffix or path.is_absolute() or model.startswith(".") or model.count("/") > 1:
        raise UnavailableError(f"{model}: no such folder; expected that of a sentence model")
    try:
        from huggingface_hub import snapshot_download
    except ModuleNotFoundError:
        raise MissingExtraError(f"the sentence model {model!r}", "text") from None
    for name in (model, f"sentence-transformers/{model}"):
        if name.count("/") != 1:
            continue
        try:
            return Path(snapshot_download(name, local_files_only=True))
        except (OSError, ValueError):
            continue
    raise UnavailableError(
        f"the sentence model {model!r} is not on this machine, and stepgraph downloads nothing by "
        f"itself; fetch it with: hf download {model if '/' in model else name}, or use "
        f"{minilm.NAME!r}, which the extra 'text' brings"
    )


@lru_cache(maxsize=8)
def _identity(folder: Path) -> str:
    digest = hashlib.sha256()
    files = sorted(path for path in folder.rglob("*") if path.suffix in WEIGHTS)
    if not files:
        raise FormatError(f"{folder}: no files of a sentence model, such as model.safetensors")
    for path in files:
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


def _with_sentence_transformers(folder: Path, texts: Sequence[str]) -> NDArray[np.float32]:
    values: NDArray[np.float32] = _loaded(folder).encode(
        list(texts), show_progress_bar=False, convert_to_numpy=True
    )
    return values.astype(np.float32)


@lru_cache(maxsize=1)
def _loaded(folder: Path) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ModuleNotFoundError:
        raise MissingExtraError(f"the sentence model {str(folder)!r}", "text") from None
    try:
        return SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    except Exception as error:  # the library may raise anything for a bad folder
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FormatError(f"{folder}: no sentence model that can be used ({reason})") from None


VARIABLE = "STEPGRAPH_CACHE"


def cache_folder() -> Path:
    """Return the cache folder: STEPGRAPH_CACHE, else one among the user's caches."""
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE]) / "embeddings"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "stepgraph" / "embeddings"


def cached(folder: Path, model: str, text: str) -> NDArray[np.float32] | None:
    """Return a text's embedding, or None if the cache has no usable one.

    Parameters
    ----------
    folder
        The folder of the files.
    model
        The identity of the model's weights, such as their checksum.
    text
        The text.
    """
    try:
        content = _path(folder, model, text).read_bytes()
        with reading_arrays():
            values = np.load(io.BytesIO(content), allow_pickle=False)
    except (OSError, ValueError):
        return None  # missing or damaged entries are computed anew
    if values.ndim != 1 or values.dtype != np.float32 or not np.isfinite(values).all():
        return None
    found: NDArray[np.float32] = values
    return found


def keep(folder: Path, model: str, text: str, values: NDArray[np.float32]) -> None:
    """Save a text's embedding, unless the folder is not writable."""
    path = _path(folder, model, text)
    buffer = io.BytesIO()
    np.save(buffer, values, allow_pickle=False)
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(buffer.getvalue())
        temporary.replace(path)


def _path(folder: Path, model: str, text: str) -> Path:
    key = hashlib.sha256(f"{model}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()
    return folder / f"{key}.npy"
