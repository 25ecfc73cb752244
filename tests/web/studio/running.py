"""A studio inside this process: the real application on a real socket, in a thread."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import httpx

from stepgraph.graph import TaskGraph
from stepgraph.sequences import Demonstrations
from stepgraph.web.studio.app import make_server
from stepgraph.web.studio.files import SaveTarget
from stepgraph.web.studio.graph_source import METHOD, GraphSource
from stepgraph.web.studio.handlers import Handlers
from stepgraph.web.studio.limits import StudioLimits
from stepgraph.web.studio.session import StudioSession
from tests.learning import learn_all
from tests.web.in_thread import InThread, until

TOKEN = "a-key-that-nobody-else-knows"  # noqa: S105
NOON = "2025-01-01T12:00:00+00:00"
TEA = TaskGraph.from_preconditions(
    {"pour": ["boil water", "warm pot"], "steep": ["pour", "add leaves"], "serve": ["steep"]},
    procedure="tea",
)
"""What `brewed` shows, mostly."""
ORDERS = {
    "anna": ["boil water", "warm pot", "add leaves", "pour", "steep", "serve"],
    "ben": ["add leaves", "boil water", "warm pot", "pour", "steep", "serve"],
    "cleo": ["warm pot", "boil water", "pour", "add leaves", "steep", "serve"],
    "dora": ["boil water", "add leaves", "warm pot", "pour", "steep", "serve"],
    "emil": ["warm pot", "add leaves", "boil water", "pour", "steep", "serve"],
    "fay": ["add leaves", "pour", "warm pot", "steep", "boil water", "serve"],
}


@cache
def brewed() -> GraphSource:
    """Return what is learned from recordings of tea, one of them careless."""
    given = Demonstrations.from_steps(ORDERS, procedure="tea")
    (learning,) = learn_all([given], METHOD)
    return GraphSource.of_learning(learning, given, "tea.csv")


def as_csv(orders: dict[str, list[str]]) -> str:
    """Return recordings as a table."""
    rows = [f'"{name}","{step}"' for name, steps in orders.items() for step in steps]
    return "\n".join(["recording,step", *rows, ""])


class RunningStudio(InThread):
    """A studio with its client.

    Parameters
    ----------
    path
        Where it saves.
    source
        What it shows.
    limits
        As the studio takes them.
    read
        Whether the file holds what is shown.
    """

    def __init__(
        self,
        path: Path,
        source: GraphSource | None = None,
        *,
        limits: StudioLimits | None = None,
        read: bool = False,
    ) -> None:
        self.path = path
        self.session = StudioSession(source or brewed(), lambda: NOON, saved=read)
        self.handlers = Handlers(self.session, SaveTarget(path, read=read), limits)
        headers = {"Authorization": f"Bearer {TOKEN}"}
        super().__init__(make_server(self.handlers, TOKEN), headers=headers)

    @property
    def page(self) -> str:
        """The page's address, with its key."""
        return f"{self.address}/#{TOKEN}"

    def edit(self, edit: str, **more: Any) -> httpx.Response:
        """Make an edit."""
        return self.client.post("/api/edit", json={"edit": edit, **more})

    def upload(self, name: str, content: str | bytes, **more: str) -> httpx.Response:
        """Send a file."""
        query = {"name": name, **more}
        return self.client.post("/api/upload", params=query, content=content)

    def job(self) -> dict[str, Any]:
        """Wait until the work has ended, and return how."""
        until(lambda: self.client.get("/api/job").json()["stage"] != "running", 300)
        found: dict[str, Any] = self.client.get("/api/job").json()
        return found
