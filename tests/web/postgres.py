"""A real PostgreSQL that the tests start, or the reason why there is none."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

USER = "stepgraph"


def _programs() -> Path | None:
    known = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = str(known[-1]) if known else shutil.which("initdb")
    return Path(found).resolve().parent if found else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Start PostgreSQL and give its address, or skip where it is not installed."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    owner = None
    if os.getuid() == 0:  # it refuses to run as root
        owner = "postgres"
        try:
            pwd.getpwnam(owner)
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    folder = Path(tempfile.mkdtemp(prefix="stepgraph-postgres-", dir="/tmp"))
    if owner:
        shutil.chown(folder, owner)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(*words: str) -> None:
        done = subprocess.run(
            [programs / words[0], *words[1:]],
            user=owner,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
        if done.returncode:
            pytest.skip(f"PostgreSQL cannot be started here: {done.stderr.decode()[-200:]}")

    data = str(folder / "data")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
    run("initdb", "-D", data, "-A", "trust", "-U", USER, "--no-sync", "-E", "UTF8")
    run("pg_ctl", "-D", data, "-o", options, "-l", str(folder / "log"), "-w", "start")
    try:
        yield f"postgresql://{USER}@127.0.0.1:{port}/postgres"
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)
