"""What comes over the network: bodies of the service, uploads and edits of the studio."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from stepgraph.formats import RECORDING_FORMATS
from stepgraph.formats.stepgraph_json import graph_to_json
from stepgraph.web.studio.files import SUFFIXES, read_upload
from stepgraph.web.studio.limits import StudioLimits
from tests.formats.samples import WRITERS
from tests.fuzz.target import Target, by_name, expect
from tests.web.service.running import BATTER, Running
from tests.web.studio.running import RunningStudio

_ROUTES = (
    ("POST", "/v1/sessions"),
    ("POST", "/v1/sessions/anna/observations"),
    ("PUT", "/v1/graphs/other"),
    ("POST", "/v1/sessions/anna/finish"),
)
_BODIES: tuple[dict[str, Any], ...] = (
    {"graph": "batter", "id": "ben", "label": "Ben"},
    {"event": "1", "step": "mix", "time": 3.5, "confidence": 0.9},
    graph_to_json(BATTER),
    {},
)
_EDITS = ("/api/edit", "/api/save", "/api/relearn")
_JSON = {"Content-Type": "application/json"}


@cache
def _service() -> Running:
    running = Running(Path(tempfile.mkdtemp(prefix="stepgraph-fuzz-service-")))
    running._thread.daemon = True  # the process may end at any time
    running.__enter__()
    running.open("anna")
    return running


@cache
def _studio() -> RunningStudio:
    folder = Path(tempfile.mkdtemp(prefix="stepgraph-fuzz-studio-"))
    running = RunningStudio(folder / "tea.graph.json")
    running._thread.daemon = True  # the process may end at any time
    running.__enter__()
    return running


def _ask(data: bytes, folder: Path) -> None:
    """Send a body to the route that the first byte names."""
    del folder
    method, route = _ROUTES[(data or b"0")[0] % len(_ROUTES)]
    answer = _service().client.request(method, route, content=data[1:], headers=_JSON)
    expect(answer.status_code < 500, f"{method} {route} answers {answer.status_code}")
    answer.json()


def _edit(data: bytes, folder: Path) -> None:
    """Send a body to the studio."""
    del folder
    route = _EDITS[(data or b"0")[0] % 2]
    answer = _studio().client.post(route, content=data[1:], headers=_JSON)
    expect(answer.status_code < 500, f"{route} answers {answer.status_code}")
    answer.json()


def _upload(data: bytes, folder: Path) -> None:
    """Read an upload under the ending that the first byte names."""
    del folder
    suffix = SUFFIXES[(data or b"0")[0] % len(SUFFIXES)]
    reading = read_upload(data[1:], f"tea{suffix}", StudioLimits())
    "".join(reading.notes).encode()


def _uploads() -> list[bytes]:
    seeds = []
    for name in RECORDING_FORMATS:
        suffix = Path(WRITERS[name][0]).suffix
        seeds.append(bytes([SUFFIXES.index(suffix)]) + WRITERS[name][1]().encode())
    return seeds


TARGETS = by_name(
    Target(
        "service-bodies",
        _ask,
        lambda: [bytes([n]) + json.dumps(body).encode() for n, body in enumerate(_BODIES)],
        (
            "stepgraph.web.http",
            "stepgraph.web.validation",
            "stepgraph.web.service.handlers",
            "stepgraph.web.service.graphs",
            "stepgraph.web.service.sessions",
        ),
        ("graph", "id", "label", "event", "step", "time", "confidence", "batter", "mix"),
        1.5,
        is_server=True,
    ),
    Target(
        "studio-edits",
        _edit,
        lambda: (
            [
                b"\x00" + json.dumps(body).encode()
                for body in (
                    {"edit": "add", "step": "serve", "needs": "pour"},
                    {"edit": "threshold", "value": 0.5},
                    {"edit": "optional", "step": "pour"},
                    {"edit": "undo"},
                )
            ]
            + [b"\x01{}"]
        ),
        (
            "stepgraph.web.studio.handlers",
            "stepgraph.web.studio.session",
            "stepgraph.web.studio.edits",
        ),
        ("edit", "add", "remove", "pin", "forbid", "free", "required", "step", "needs", "serve"),
        1.5,
        is_server=True,
    ),
    Target(
        "studio-upload",
        _upload,
        _uploads,
        ("stepgraph.web.studio.files", "stepgraph.formats.registry"),
        share=1.5,
    ),
)
