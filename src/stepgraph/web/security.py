"""Who may ask: addresses of this machine, an API token, and no page of another site."""

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

    It is no option of its own, as every user of a machine sees the options of its programs.

    Raises
    ------
    SettingError
        If it is too short, or no word that a header can carry.
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
    """Checks where a request comes from and what it carries.

    Parameters
    ----------
    host
        The address that the service listens on.
    token
        What clients must know; None for nothing, which only a loopback address allows.

    Raises
    ------
    SettingError
        If the address can be reached from elsewhere and there is no token.
    """

    def __init__(self, host: str, token: str | None) -> None:
        self._local = is_loopback(host)
        if token is None and not self._local:
            raise SettingError(
                f"the host {host}: other machines can reach it, so an API token is needed; put one "
                f"into a token file, or set {TOKEN_VARIABLE}"
            )
        # Digests are compared, as they are of one length whatever came.
        self._digest = None if token is None else _digest(token.encode())

    @property
    def needs_token(self) -> bool:
        """Whether clients must send a token."""
        return self._digest is not None

    def check_site(self, headers: Mapping[str, str]) -> None:
        """Refuse what a browser sends for the page of another site.

        Raises
        ------
        Problem
            421 if a name of another site leads here, 403 if a page of another site asks.
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
        """Refuse who does not know the token, in the same time however wrong it is.

        Raises
        ------
        Problem
            401 if the token is missing or wrong.
        """
        if self._digest is None:
            return
        scheme, _, came = headers.get("authorization", "").partition(" ")
        given = _digest(came.strip().encode("utf-8", "replace"))
        if not hmac.compare_digest(given, self._digest) or scheme.lower() != "bearer":
            what = "is wrong" if came else "is missing"
            raise Problem(
                401,
                f"the API token {what}; send the header 'Authorization: Bearer TOKEN'",
                {"WWW-Authenticate": "Bearer"},
            )


def _digest(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
