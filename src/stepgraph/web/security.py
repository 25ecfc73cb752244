"""Access control: loopback addresses, API tokens, and no requests from pages of other sites."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from stepgraph.errors import SettingError
from stepgraph.files import read_text
from stepgraph.web.http import Problem

TOKEN_VARIABLE = "STEPGRAPH_SERVE_TOKEN"  # noqa: S105 - the name of a variable
SHORTEST_TOKEN = 16
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def find_token(file: Path | None) -> str | None:
    """Return the API token from a file, or from the environment variable STEPGRAPH_SERVE_TOKEN.

    There is no option for the token, because every user of a machine can see the options of its
    programs.

    Raises
    ------
    SettingError
        If the token is too short, or a header cannot carry it.
    """
    if file is not None:
        token, source = read_text(file).strip(), str(file)
    else:
        token, source = os.environ.get(TOKEN_VARIABLE, "").strip(), TOKEN_VARIABLE
        if not token:
            return None
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise SettingError(
            f"{source}: the token must have at least {SHORTEST_TOKEN} characters of plain ASCII; "
            "make one with: python -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    return token


class Guard:
    """Checks the origin and the token of a request.

    Parameters
    ----------
    host
        The address that the service listens on.
    token
        The API token that clients must send; None for no token, which needs a loopback address.

    Raises
    ------
    SettingError
        If other machines can reach the address and there is no token.
    """

    def __init__(self, host: str, token: str | None) -> None:
        self._local = is_loopback(host)
        if token is None and not self._local:
            raise SettingError(
                f"the host {host}: other machines can reach it, so an API token is needed; put one "
                f"into a token file, or set {TOKEN_VARIABLE}"
            )
        # Compare digests: they have the same length whatever the client sends.
        self._digest = None if token is None else _digest(token.encode())

    @property
    def needs_token(self) -> bool:
        """Whether clients must send a token."""
        return self._digest is not None

    def check_site(self, headers: Mapping[str, str]) -> None:
        """Refuse requests that a browser sends for the page of another site.

        Raises
        ------
        Problem
            421 if the request names another host, 403 if it comes from a page of another site.
        """
        host = headers.get("host", "")
        if self._local and _hostname(host) not in LOOPBACK_NAMES:
            raise Problem(
                421, f"the request is for {host!r:.80}; this service answers to localhost only"
            )
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            raise Problem(403, f"a page of {origin!r:.80} may not use this service")

    def check_token(self, headers: Mapping[str, str]) -> None:
        """Refuse a missing or wrong token, in constant time.

        Raises
        ------
        Problem
            401 if the token is missing or wrong.
        """
        if self._digest is None:
            return
        scheme, _, token = headers.get("authorization", "").partition(" ")
        digest = _digest(token.strip().encode("utf-8", "replace"))
        if not hmac.compare_digest(digest, self._digest) or scheme.lower() != "bearer":
            finding = "is wrong" if token else "is missing"
            raise Problem(
                401,
                f"the API token {finding}; send the header 'Authorization: Bearer TOKEN'",
                {"WWW-Authenticate": "Bearer"},
            )


def _digest(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
