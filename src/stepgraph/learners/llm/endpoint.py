"""The endpoint, model, key and cache: from the settings or from the environment.

The lookup happens when learning begins, not when the learner is made. So a learner can be made just
to list its settings, and the key from the environment never becomes one of its fields.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from stepgraph.errors import SettingError

URL_VARIABLES = ("STEPGRAPH_LLM_URL", "OPENAI_BASE_URL")
MODEL_VARIABLES = ("STEPGRAPH_LLM_MODEL",)
KEY_VARIABLES = ("STEPGRAPH_LLM_KEY", "OPENAI_API_KEY")
CACHE_VARIABLE = "STEPGRAPH_CACHE"

_PATH = "/chat/completions"


@dataclass(frozen=True)
class Endpoint:
    """The address, the model and the key.

    Parameters
    ----------
    base_url
        The address, without a slash at its end.
    model
        The model's name there.
    key
        The key, or nothing.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)


def find_endpoint(base_url: str, model: str, key: str) -> Endpoint:
    """Return the endpoint that the settings name, or the environment where they are empty.

    Raises
    ------
    SettingError
        If the address or the model is missing or invalid.
    """
    url = base_url or _from_environment(URL_VARIABLES)
    if not url:
        raise SettingError(
            "no endpoint to ask; give its address with base_url='http://localhost:8000/v1' or in "
            "the environment variable "
            f"{' or '.join(URL_VARIABLES)}"
        )
    name = model or _from_environment(MODEL_VARIABLES)
    if not name:
        raise SettingError(
            "no model to ask; give its name with model=NAME or in "
            f"the environment variable {MODEL_VARIABLES[0]}"
        )
    return Endpoint(_checked_url(url), name, _checked_key(key or _from_environment(KEY_VARIABLES)))


def find_cache(folder: str | Path) -> Path:
    """Return the folder of the cache: the given one, the environment's, or the user's own.

    Raises
    ------
    SettingError
        If none of these exists.
    """
    if str(folder):
        return Path(folder)
    named = os.environ.get(CACHE_VARIABLE, "").strip()
    if named:
        return Path(named)
    try:
        return Path.home() / ".cache" / "stepgraph" / "llm"
    except RuntimeError:
        raise SettingError(
            "no folder for the cache, as there is no home folder; give one with cache=DIR "
            f"or in the environment variable {CACHE_VARIABLE}"
        ) from None


def _from_environment(names: tuple[str, ...]) -> str:
    values = (os.environ.get(name, "").strip() for name in names)
    return next((value for value in values if value), "")


def _checked_url(url: str) -> str:
    expected = "expected an address such as http://localhost:8000/v1"
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # looks at it
    except ValueError:
        raise SettingError(f"base_url is no address; {expected}") from None
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        # Quotes nothing, because the extra part may be a secret.
        raise SettingError(
            "base_url holds a user, password, query or fragment; leave it out, and give the key "
            f"in the environment variable {KEY_VARIABLES[0]}"
        )
    if not is_address or not re.fullmatch(r"[!-~]+", url):
        raise SettingError(f"base_url is {url!r}; {expected}")
    # Some users copy the address of the whole request from their provider's pages.
    return url.rstrip("/").removesuffix(_PATH).rstrip("/")


def _checked_key(key: str) -> str:
    key = key.strip()
    if key and not re.fullmatch(r"[!-~]+", key):
        raise SettingError(
            "the key holds characters that no key has, such as blanks or line ends; copy it "
            f"anew into the environment variable {KEY_VARIABLES[0]}"
        )
    return key
