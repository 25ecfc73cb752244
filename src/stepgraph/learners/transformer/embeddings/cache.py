"""Embeddings on disk: one small file for each text and model, found by their content."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stepgraph.files import reading_arrays

VARIABLE = "STEPGRAPH_CACHE"


def cache_folder() -> Path:
    """Return the cache folder: STEPGRAPH_CACHE, else one among the user's caches."""
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE]) / "embeddings"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "stepgraph" / "embeddings"


def cached(folder: Path, model: str, text: str) -> NDArray[np.float32] | None:
    """Return a text's embedding, or None where there is none that can be used.

    Parameters
    ----------
    folder
        Where the files are.
    model
        What identifies the model's weights, such as their checksum.
    text
        The text.
    """
    try:
        content = _path(folder, model, text).read_bytes()
        with reading_arrays():
            values = np.load(io.BytesIO(content), allow_pickle=False)
    except (OSError, ValueError):
        return None  # a cache is no source: what is missing or damaged is computed anew
    if values.ndim != 1 or values.dtype != np.float32 or not np.isfinite(values).all():
        return None
    found: NDArray[np.float32] = values
    return found


def keep(folder: Path, model: str, text: str, values: NDArray[np.float32]) -> None:
    """Keep a text's embedding; where the folder cannot be written, nothing is kept."""
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
