"""What tests of the service and of its pages share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph.web.service.store import Connect, connector
from tests.browser import browser, open_page
from tests.web.postgres import postgres
from tests.web.service.running import Running
from tests.web.studio.on_page import begin

__all__ = ["begin", "browser", "open_page", "postgres"]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Give a service with the graph 'batter'; the tests of a module share it."""
    with Running(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture(params=["sqlite", "postgres"])
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Connect:
    """Give what opens connections to an empty store, of each kind."""
    if request.param == "sqlite":
        opened = connector(f"sqlite:///{tmp_path / 'sessions.db'}")
    else:
        opened = connector(request.getfixturevalue("postgres"))
        tables = opened()
        for name in ("observations", "sessions", "graphs", "stepgraph_store"):
            tables.fetch(f"DROP TABLE IF EXISTS {name}")
        tables.close()
    tables = opened()
    tables.create()
    tables.close()
    return opened
