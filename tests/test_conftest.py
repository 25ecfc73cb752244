"""What the shared fixtures promise."""

from __future__ import annotations

import socket

import pytest
from hypothesis import settings

from tests.conftest import LeftTheComputerError


@pytest.mark.parametrize("name", ["connect", "connect_ex"])
def test_no_test_reaches_another_computer(name: str) -> None:
    # An address that is kept for documentation and belongs to nobody.
    with socket.socket() as one, pytest.raises(LeftTheComputerError, match=r"192\.0\.2\.1"):
        getattr(one, name)(("192.0.2.1", 80))


def test_a_test_reaches_this_computer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as one:
        one.connect(server.getsockname())


def test_no_property_fails_because_the_machine_is_busy() -> None:
    assert settings().deadline is None
