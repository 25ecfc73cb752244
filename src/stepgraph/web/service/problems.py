"""What goes wrong for one request: a status and a message that says what to do (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from stepgraph.errors import StepgraphError

RETRY = {"Retry-After": "1"}


class Problem(StepgraphError):  # noqa: N818 - the word of RFC 9457
    """A request that cannot be done.

    Parameters
    ----------
    status
        The HTTP status.
    detail
        Where the problem is, what came, what was expected, what to do.
    headers
        What the status asks for, such as ``Retry-After``.
    """

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
        super().__init__(detail)

    def to_json(self) -> dict[str, Any]:
        """Return the problem as plain JSON values."""
        title = HTTPStatus(self.status).phrase
        return {"status": self.status, "title": title, "detail": self.detail}


class StoreError(Problem):
    """The database cannot take or give anything now; nothing of the request was kept."""


class StoreBusyError(StoreError):
    """Somebody else holds the database."""

    def __init__(self) -> None:
        super().__init__(
            503,
            "the store is locked by another program; nothing of this request was kept, "
            "send it again with the same event id",
            RETRY,
        )


class StoreFullError(StoreError):
    """The disk is full."""

    def __init__(self) -> None:
        super().__init__(
            507,
            "the store's disk is full; nothing of this request was kept, send it again with the "
            "same event id when there is room",
            RETRY,
        )


class StoreDownError(StoreError):
    """The database cannot be reached, or fails."""

    def __init__(self, why: str = "") -> None:
        super().__init__(
            503,
            f"the store cannot be used{f' ({why})' if why else ''}; send the request again with "
            "the same event id",
            RETRY,
        )


class StoreRaceError(StoreError):
    """Another process wrote the same rows at the same moment; trying again will see them."""

    def __init__(self) -> None:
        super().__init__(503, "another server wrote the same session at once; try again", RETRY)


def unknown_session(session: str) -> Problem:
    """Return the problem of a session that does not exist."""
    return Problem(
        404, f"there is no session {session!r:.80}; POST /v1/sessions opens one and says its id"
    )
